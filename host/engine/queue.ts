/** Admits one run at a time, in order of arrival. A run cancelled while waiting leaves the queue. */
import { CopyscopeError } from '../../core/errors.ts';
import type { CancelSignal } from '../../core/program/engine.ts';

export class RunQueue {
  #busy = false;
  #waiting: (() => void)[] = [];

  /** Resolves when it is the caller's turn; the caller must then call leave(). Rejects with `run.cancelled`. */
  async enter(signal?: CancelSignal): Promise<void> {
    if (signal?.aborted) throw cancelledError();
    if (this.#busy) await this.#turn(signal);
    this.#busy = true;
  }

  leave(): void {
    const next = this.#waiting.shift();
    // The turn passes directly to the next waiting run, so that a new one can't come first.
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
