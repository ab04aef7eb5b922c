/**
 * Which parameter of a profile a recorded row tells. A row tells one only where the simulation says that nothing else
 * is in it: a call that a full queue held, or a copy that shared the link, lasts as long as it does for other reasons.
 */
import { callTells, synchroniseTells } from './callTells.ts';
import { gapTells } from './gapTells.ts';
import { hostMemoryTells } from './memoryTells.ts';
import type { RowPair } from './rowPairs.ts';
import type { TellingRun, Told } from './tellingRun.ts';
import { copyTells, kernelTells } from './workTells.ts';

export function tells(run: TellingRun, whole: RowPair): readonly Told[] {
  const pair = run.withoutShared(whole);
  const { simulated } = pair;
  // Threads that pack share the host's memory with what they put on the link.
  if (run.instruction(simulated.op, 'multiCopy') !== undefined) return [];
  switch (simulated.kind) {
    case 'host-call':
      return callTells(run, pair);
    case 'host-sync':
      return synchroniseTells(run, pair);
    case 'host-read':
    case 'host-write':
    case 'host-work':
      return hostMemoryTells(run, pair);
    case 'copy':
      return [...copyTells(run, pair), ...gapTells(run, pair)];
    case 'kernel':
      return [...kernelTells(run, pair), ...gapTells(run, pair)];
    case 'memset':
      return [...run.point(pair, 'memset.device', simulated.bytes), ...gapTells(run, pair)];
    case 'host-function':
      return gapTells(run, pair);
    default:
      return [];
  }
}
