/** CUDA's own thread, which runs all streams' host functions in turn. Rule (core/rules): host-function-in-turn. */

import type { StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import { Fifo } from './fifo.ts';

export interface FunctionSink {
  functionFinished(entry: StreamEntry, nowNs: number): void;
}

export class HostFunctions implements Actor {
  readonly #clock: EventQueue;
  readonly #sink: FunctionSink;
  readonly #waiting = new Fifo<StreamEntry>();
  #active: StreamEntry | null = null;

  constructor(clock: EventQueue, sink: FunctionSink) {
    this.#clock = clock;
    this.#sink = sink;
  }

  submit(entry: StreamEntry, nowNs: number): void {
    if (this.#active === null) this.#begin(entry, nowNs);
    else this.#waiting.push(entry);
  }

  act(_what: number, nowNs: number): void {
    const entry = this.#active;
    if (entry === null) return;
    this.#active = null;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(next, nowNs);
    this.#sink.functionFinished(entry, nowNs);
  }

  #begin(entry: StreamEntry, nowNs: number): void {
    this.#active = entry;
    entry.startNs = nowNs;
    this.#clock.schedule(nowNs + entry.deviceNs, this, 0);
  }
}
