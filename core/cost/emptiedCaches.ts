/**
 * Before each recorded iteration an engine restores the buffers that the program writes (native/src/executor.cpp), which
 * empties the caches that a host thread's first calls need.
 */
import type { Program } from '../program/program.ts';

/** Half of what calls need is gone after so many bytes have been restored; some of it is gone in any case. */
const halfBytes = 2 ** 20;
const leastBytes = 2 ** 17;

/** The part, 0 to 1, of what first calls need that has left the caches. */
export function emptiedPart({ buffers, multiCopies }: Program): number {
  const restored = buffers.reduce(
    (sum, { memory, bytes, written, allocated }) =>
      memory !== 'device' && written && allocated === 'before-run' ? sum + bytes : sum,
    leastBytes,
  );
  const targets = multiCopies.reduce((sum, { sizes }) => sum + sizes.reduce((all, bytes) => all + bytes, 0), 0);
  return (restored + targets) / (restored + targets + halfBytes);
}
