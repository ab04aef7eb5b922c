/** Changes that join many small copies. */
import type { Change, DocumentPath } from '../experiment/change.ts';
import { ChangeBuilder } from '../experiment/changeBuilder.ts';
import type { Operation, OperationOf } from '../experiment/operations.ts';
import { at, find, type Situation } from './situation.ts';

/** Joins copies that are adjacent both in issue order and in memory. */
export function joinCopies(situation: Situation): Change | null {
  const { experiment, verdict } = situation;
  const copy = find(situation, verdict.op, 'copy');
  if (copy === null) return null;
  const list = at(experiment, copy.info.path.slice(0, -1)) as readonly Operation[];
  const own = Number(copy.info.path.at(-1));
  let [first, last] = [own, own];
  while (continues(list[first - 1], list[first])) first -= 1;
  while (continues(list[last], list[last + 1])) last += 1;
  if (first === last) return null;
  const joined = list.slice(first, last + 1) as readonly OperationOf<'copy'>[];
  const path = (index: number): DocumentPath => copy.info.path.with(-1, index);
  const bytes = joined.reduce((sum, one) => sum + (one.bytes ?? 0), 0);
  const edit = new ChangeBuilder(experiment).step(`Join ${joined.length} copies of "${copy.operation.src}" into one.`);
  // Keeps the verdict's own copy, so that its result can be compared.
  edit.replace([...path(own), 'bytes'], bytes);
  edit.replace([...path(own), 'srcOffset'], joined[0]?.srcOffset ?? 0);
  edit.replace([...path(own), 'dstOffset'], joined[0]?.dstOffset ?? 0);
  for (let index = last; index >= first; index -= 1) if (index !== own) edit.remove(path(index));
  return edit.change;
}

function continues(one: Operation | undefined, next: Operation | undefined): boolean {
  if (one?.op !== 'copy' || next?.op !== 'copy' || one.bytes === undefined || next.bytes === undefined) return false;
  const isAlike = one.src === next.src && one.dst === next.dst && one.stream === next.stream && one.mode === next.mode;
  return isAlike && next.srcOffset === one.srcOffset + one.bytes && next.dstOffset === one.dstOffset + one.bytes;
}

/** Makes a multi-tensor copy use the strategy that packs small tensors and overlaps packing with the link. */
export function pipelined(situation: Situation): Change | null {
  const copy = find(situation, situation.verdict.op, 'multiCopy');
  if (copy === null || copy.operation.strategy === 'pipelined') return null;
  return new ChangeBuilder(situation.experiment)
    .step(`Copy the tensors of "${copy.info.label}" with the strategy "pipelined".`)
    .replace([...copy.info.path, 'strategy'], 'pipelined').change;
}
