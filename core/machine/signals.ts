/** Counting signals between host threads, like bounded queues. Waiting threads continue in order. */
import type { Program } from '../program/program.ts';
import { Fifo } from './fifo.ts';

export interface SignalWaiter {
  /** Called when the thread's wait is over. */
  signalled(nowNs: number): void;
}

interface State {
  readonly capacity: number;
  count: number;
  /** Threads held in a wait, or in a signal that finds the count at its capacity. One of the lists is always empty. */
  readonly takers: Fifo<SignalWaiter>;
  readonly givers: Fifo<SignalWaiter>;
}

export class Signals {
  readonly #states: readonly State[];

  constructor({ signals }: Program) {
    this.#states = signals.map(({ capacity }) => ({ capacity, count: 0, takers: new Fifo(), givers: new Fifo() }));
  }

  /** Returns false if the thread is held. It is then called when it may continue. */
  signal(index: number, thread: SignalWaiter, nowNs: number): boolean {
    const state = this.#states[index];
    if (state === undefined) return true;
    const taker = state.takers.shift();
    if (taker !== undefined) {
      taker.signalled(nowNs);
      return true;
    }
    if (state.count < state.capacity) {
      state.count += 1;
      return true;
    }
    state.givers.push(thread);
    return false;
  }

  wait(index: number, thread: SignalWaiter, nowNs: number): boolean {
    const state = this.#states[index];
    if (state === undefined) return true;
    if (state.count === 0) {
      state.takers.push(thread);
      return false;
    }
    const giver = state.givers.shift();
    // After one thread takes, a held giver gives at once.
    if (giver === undefined) state.count -= 1;
    else giver.signalled(nowNs);
    return true;
  }
}
