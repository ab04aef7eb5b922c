/**
 * Queues of a copy engine. Each engine has a few. A stream keeps its queue until another stream takes it, then it takes
 * the least recently used one. Copies in one queue run in the order of issue, whatever their stream. Rule (core/rules):
 * copy-queues.
 */
import type { StreamEntry } from './entry.ts';
import { Fifo } from './fifo.ts';

/** Queues per engine, as on H200 machines, where CUPTI's channels are 8 to 11 to the device and 12 to 15 from it. */
const queuesOfEngine = 4;

export interface CopyQueue {
  /** Unique on the device, like CUPTI's channel. */
  readonly number: number;
  readonly entries: Fifo<StreamEntry>;
  /** Stream that used it last. */
  stream: number;
}

export class CopyQueues {
  /** Least recently used first. */
  readonly #queues: CopyQueue[] = [];
  readonly #first: number;

  /** `engine`: number of the engine on its device, from 0. */
  constructor(engine: number) {
    this.#first = engine * queuesOfEngine;
  }

  /** Returns the queue of a copy that is issued now. */
  of(stream: number): CopyQueue {
    const queues = this.#queues;
    let place = queues.length - 1;
    while (place >= 0 && queues[place]?.stream !== stream) place -= 1;
    if (place < 0 && queues.length === queuesOfEngine) place = 0;
    const queue = queues[place] ?? { number: this.#first + queues.length, entries: new Fifo(), stream };
    queue.stream = stream;
    if (place < 0) queues.push(queue);
    else {
      // Moves up the queues behind it.
      for (let behind = place + 1; behind < queues.length; behind += 1)
        queues[behind - 1] = queues[behind] as CopyQueue;
      queues[queues.length - 1] = queue;
    }
    return queue;
  }
}
