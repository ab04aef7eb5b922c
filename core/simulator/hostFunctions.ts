/** CUDA's own thread, which runs the host functions of all streams, one after another. Rule (core/rules): host-function-in-turn. */

import type { StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import { Fifo } from './fifo.ts';
import type { DeviceProfile } from './profile.ts';

export interface FunctionSink {
  functionFinished(entry: StreamEntry, nowNs: number): void;
}

const begins = 0;
const ends = 1;

export class HostFunctions implements Actor {
  readonly #clock: EventQueue;
  readonly #sink: FunctionSink;
  readonly #gapNs: number;
  readonly #waiting = new Fifo<StreamEntry>();
  #active: StreamEntry | null = null;
  #endedNs = Number.NEGATIVE_INFINITY;

  constructor(profile: DeviceProfile, clock: EventQueue, sink: FunctionSink) {
    this.#clock = clock;
    this.#sink = sink;
    this.#gapNs = profile.hostFunction.gapNs;
  }

  submit(entry: StreamEntry, nowNs: number): void {
    if (this.#active === null) this.#begin(entry, nowNs);
    else this.#waiting.push(entry);
  }

  act(what: number, nowNs: number): void {
    const entry = this.#active;
    if (entry === null) return;
    if (what === begins) {
      entry.startNs = nowNs;
      this.#clock.schedule(nowNs + entry.step.deviceNs, this, ends);
      return;
    }
    this.#active = null;
    this.#endedNs = nowNs;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(next, nowNs);
    this.#sink.functionFinished(entry, nowNs);
  }

  #begin(entry: StreamEntry, nowNs: number): void {
    this.#active = entry;
    this.#clock.schedule(Math.max(this.#endedNs + this.#gapNs, nowNs), this, begins);
  }
}
