/** One kind of input: how it is made, and its reader. */
import type { Random } from '../unit/support/random.ts';

export interface Attempt {
  /** Input in the form that is saved after a failure, with the seed and number that make it again. */
  readonly input: Uint8Array | string;
  /** Resolves with true if the input is accepted, false if it is refused with a message. Rejects otherwise. */
  readonly run: () => Promise<boolean>;
}

export interface Kind {
  /** Returns the next input, which depends on `random` alone. */
  make(random: Random): Attempt;
  /** Removes its files. */
  close?(): void;
}
