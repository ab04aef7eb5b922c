/** Changes that join many small copies. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import { type Experiment, walkOperations } from '../../experiment/experiment.ts';
import type { Operation, OperationOf } from '../../experiment/operations.ts';
import { bufferBytes } from '../../experiment/resources.ts';
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

/** Copies of at most this size are joined: larger ones take longer than the calls that issue them. */
const smallBytes = 64 * 1024;

/**
 * Joins small copies all over the document: runs in issue order that are adjacent in memory, and loops of one copy, each
 * round of which stands for the next part of both buffers.
 */
export function joinedCopies(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  let count = 0;
  const joinLists = (list: readonly Operation[], path: DocumentPath): void => {
    for (let at = 0; at < list.length; at += 1) {
      const operation = list[at];
      if (operation === undefined) continue;
      if (operation.op === 'repeat' && operation.operations.length === 1) {
        const whole = joinedLoop(experiment, operation);
        if (whole !== null) {
          edit.before([...path, at], whole).remove([...path, at]);
          count += operation.count;
          continue;
        }
      }
      if ('operations' in operation) joinLists(operation.operations, [...path, at, 'operations']);
      let last = at;
      while (isSmall(list[last]) && continues(list[last], list[last + 1])) last += 1;
      if (last === at || operation.op !== 'copy') continue;
      const bytes = (list.slice(at, last + 1) as OperationOf<'copy'>[]).reduce((sum, one) => sum + (one.bytes ?? 0), 0);
      edit.replace([...path, at, 'bytes'], bytes);
      for (let index = last; index > at; index -= 1) edit.remove([...path, index]);
      count += last - at + 1;
      at = last;
    }
  };
  for (const [thread, { operations }] of experiment.threads.entries()) {
    joinLists(operations, ['threads', thread, 'operations']);
  }
  if (count === 0) return null;
  return edit.step(`Join ${count} small copies: each call takes longer than its bytes.`).change;
}

const isSmall = (operation: Operation | undefined): boolean =>
  operation?.op === 'copy' && (operation.bytes ?? Number.POSITIVE_INFINITY) <= smallBytes;

/** Returns the copy that replaces a loop of one small copy; null if the buffers have no room for all rounds. */
function joinedLoop({ buffers }: Experiment, { count, operations }: OperationOf<'repeat'>): Operation | null {
  const [copy] = operations;
  if (copy?.op !== 'copy' || copy.bytes === undefined || !isSmall(copy) || copy.mode === 'blocking-memcpy') return null;
  const bytes = count * copy.bytes;
  const room = (id: string): number => {
    const buffer = buffers.find((one) => one.id === id);
    return buffer === undefined ? 0 : bufferBytes(buffer);
  };
  const fits = copy.srcOffset + bytes <= room(copy.src) && copy.dstOffset + bytes <= room(copy.dst);
  return fits && count > 1 ? { ...copy, bytes } : null;
}

function continues(one: Operation | undefined, next: Operation | undefined): boolean {
  if (one?.op !== 'copy' || next?.op !== 'copy' || one.bytes === undefined || next.bytes === undefined) return false;
  const isAlike = one.src === next.src && one.dst === next.dst && one.stream === next.stream && one.mode === next.mode;
  return isAlike && next.srcOffset === one.srcOffset + one.bytes && next.dstOffset === one.dstOffset + one.bytes;
}

/** Makes block copies that issue a copy for each block use the fastest strategy. */
export function fasterBlocks(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  let blocks = 0;
  for (const [thread, { operations }] of experiment.threads.entries()) {
    walkOperations(
      operations,
      (operation, path) => {
        if (operation.op !== 'blockCopy' || operation.strategy !== 'loop') return;
        edit.replace([...path, 'strategy'], 'auto');
        blocks += operation.blocks;
      },
      ['threads', thread, 'operations'],
    );
  }
  if (blocks === 0) return null;
  return edit.step(`Copy ${blocks} blocks with the strategy "auto" instead of a call for each.`).change;
}

/** Makes a multi-tensor copy use the strategy that packs small tensors and overlaps packing with the link. */
export function pipelined(situation: Situation): Change | null {
  const copy = find(situation, situation.verdict.op, 'multiCopy');
  if (copy === null || copy.operation.strategy === 'pipelined') return null;
  return new ChangeBuilder(situation.experiment)
    .step(`Copy the tensors of "${copy.info.label}" with the strategy "pipelined".`)
    .replace([...copy.info.path, 'strategy'], 'pipelined').change;
}
