/** What an operation took in the trace it was lifted from, as far as it still is what was recorded. */
import { copyBytes } from '../experiment/describe.ts';
import type { Operation, OperationOf } from '../experiment/operations.ts';
import type { RecordedCost } from './program.ts';
import type { Scope } from './scope.ts';

export function recordedCost(operation: Operation, scope: Scope): RecordedCost | undefined {
  const recorded = 'recorded' in operation ? operation.recorded : undefined;
  if (recorded === undefined) return undefined;
  const { callNs, deviceNs } = recorded;
  // A spin is as long as it says: that may have been changed.
  if (operation.op === 'kernel') {
    return { callNs, deviceNs: operation.kernel.kind === 'spin' ? operation.kernel.durationNs : undefined };
  }
  return operation.op === 'copy' && !isAsRecorded(operation, scope) ? undefined : { callNs, deviceNs };
}

function isAsRecorded(copy: OperationOf<'copy'>, scope: Scope): boolean {
  const { bytes, memory } = copy.recorded ?? {};
  if (bytes !== undefined && bytes !== copyBytes(copy, scope.experiment, scope.find)) return false;
  const memories = [copy.src, copy.dst].map((id) => scope.find(id)?.memory);
  return memory === undefined || memories.includes(memory);
}
