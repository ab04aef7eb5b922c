/** Finds streams that the legacy default stream ties to each other. Rule (core/rules): legacy-default-stream. */
import type { ProgramStream } from '../../program/program.ts';

/** Returns whether a stream synchronises with the legacy default stream, without being it. */
const isBlocking = (stream: ProgramStream | undefined): boolean =>
  stream?.kind === 'blocking' || stream?.kind === 'per-thread-default';

/** Returns whether the legacy default stream orders work of the two. */
export function areTied(a: ProgramStream | undefined, b: ProgramStream | undefined): boolean {
  if (a?.device !== b?.device) return false;
  return (a?.kind === 'legacy-default' && isBlocking(b)) || (b?.kind === 'legacy-default' && isBlocking(a));
}
