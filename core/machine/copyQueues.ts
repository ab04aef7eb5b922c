/**
 * The queues through which copies reach an engine. CUDA gives each engine a few, and each stream one of them for as long as
 * no other stream has taken it; then it takes that which was used longest ago. What is in one queue goes in the order in
 * which it was issued, of whatever streams it is. Rule (core/rules): copy-queues.
 */
import type { StreamEntry } from './entry.ts';
import { Fifo } from './fifo.ts';

/** Of an engine, as CUPTI names the channels of copies on H200 machines: 8 to 11 to the device, 12 to 15 from it. */
const queuesOfEngine = 4;

export interface CopyQueue {
  /** Tells it apart from all others of the device, as CUPTI's channel does. */
  readonly number: number;
  readonly entries: Fifo<StreamEntry>;
  /** The stream that used it last. */
  stream: number;
}

export class CopyQueues {
  /** In the order in which they were last used. */
  readonly #queues: CopyQueue[] = [];
  readonly #first: number;

  /** `engine`: which of its device's copy engines it is, from 0. */
  constructor(engine: number) {
    this.#first = engine * queuesOfEngine;
  }

  /** The queue of a copy that is issued now. */
  of(stream: number): CopyQueue {
    const queues = this.#queues;
    let place = queues.length - 1;
    while (place >= 0 && queues[place]?.stream !== stream) place -= 1;
    if (place < 0 && queues.length === queuesOfEngine) place = 0;
    const queue = queues[place] ?? { number: this.#first + queues.length, entries: new Fifo(), stream };
    queue.stream = stream;
    if (place < 0) queues.push(queue);
    else {
      // Those behind it move up.
      for (let behind = place + 1; behind < queues.length; behind += 1)
        queues[behind - 1] = queues[behind] as CopyQueue;
      queues[queues.length - 1] = queue;
    }
    return queue;
  }
}
