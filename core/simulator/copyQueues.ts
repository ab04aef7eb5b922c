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
    const last = this.#queues.at(-1);
    // The usual case, copies of one stream in a row.
    if (last?.stream === stream) return last;
    const queue = this.#taken(stream);
    queue.stream = stream;
    this.#queues.push(queue);
    return queue;
  }

  #taken(stream: number): CopyQueue {
    const own = this.#queues.findIndex((queue) => queue.stream === stream);
    const place = own < 0 && this.#queues.length === queuesOfEngine ? 0 : own;
    const number = this.#first + this.#queues.length;
    return this.#queues.splice(place, place < 0 ? 0 : 1)[0] ?? { number, entries: new Fifo(), stream };
  }
}
