/** Lets one run in at a time, in order of arrival. One that is cancelled while it waits leaves the queue. */
import { CopyscopeError } from '../../core/errors.ts';
import type { CancelSignal } from '../../core/program/engine.ts';

export class RunQueue {
  #busy = false;
  #waiting: (() => void)[] = [];

  /** Resolves when it is the caller's turn; the caller then owes a leave(). Rejects with `run.cancelled`. */
  async enter(signal?: CancelSignal): Promise<void> {
    if (signal?.aborted) throw cancelledError();
    if (this.#busy) await this.#turn(signal);
    this.#busy = true;
  }

  leave(): void {
    const next = this.#waiting.shift();
    // The turn is handed over without a gap, so that nobody who comes just now slips in.
    if (next === undefined) this.#busy = false;
    else next();
  }

  #turn(signal?: CancelSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const admit = (): void => {
        signal?.removeEventListener('abort', abandon);
        resolve();
      };
      const abandon = (): void => {
        signal?.removeEventListener('abort', abandon);
        this.#waiting = this.#waiting.filter((waiting) => waiting !== admit);
        reject(cancelledError());
      };
      signal?.addEventListener('abort', abandon);
      this.#waiting.push(admit);
    });
  }
}

export const cancelledError = (message = 'The run was cancelled.'): CopyscopeError =>
  new CopyscopeError({ code: 'run.cancelled', message });
