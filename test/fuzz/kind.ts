/** One kind of input: what it is made of, and what reads it. */
import type { Random } from '../unit/support/random.ts';

export interface Attempt {
  /** As it is kept where it fails, beside the seed and number that make it again. */
  readonly input: Uint8Array | string;
  /** Resolves with whether it was taken, or refused in words. Rejects where it did anything else. */
  readonly run: () => Promise<boolean>;
}

export interface Kind {
  /** The next input. It depends on `random` alone. */
  make(random: Random): Attempt;
  /** What it holds on the disk is removed. */
  close?(): void;
}
