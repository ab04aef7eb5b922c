/** Changes that join many small copies. */
import type { Change } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Operation, OperationOf } from '../../experiment/operations.ts';
import { bufferBytes } from '../../experiment/resources.ts';
import { groupBy } from '../../groupBy.ts';
import { find, type Situation } from './situation.ts';

type Copy = OperationOf<'copy'> & { readonly bytes: number };

/** Copies of at most this size are joined: larger ones take longer than the calls that issue them. */
const smallBytes = 64 * 1024;

/** Fewer parts than this aren't worth a copy of blocks. */
const fewestBlocks = 8;

/**
 * Joins small copies all over the document: those that follow one another in one stream, as one copy if they are adjacent
 * in memory, or else as a copy of blocks; loops of copies, each round of which moves, or stands for, the next part of both buffers;
 * and copies of blocks that issue a call for each. Returns null if this doesn't join the copy with the id `only`.
 */
export function joinedCopies(experiment: Experiment, only: string | null = null): Change | null {
  const edit = new ChangeBuilder(experiment);
  const ids = new Set<string>();
  const add = (list: readonly Operation[]): number => {
    for (const { id } of list) ids.add(id);
    return list.length;
  };
  let [copies, blocks] = [0, 0];
  const joinedRun = (run: readonly Copy[]): Operation[] => {
    const ends = [...groupBy(run, ({ src, dst }) => `${src} ${dst}`).values()] as [Copy, ...Copy[]][];
    const isApart = ends.every(([one]) => ends.every(([other]) => one === other || one.dst !== other.dst));
    return (isApart ? ends : run.map((one): [Copy] => [one])).flatMap((own) => {
      const parts = partsOf(own);
      const whole = parts.length < fewestBlocks ? null : blockCopyOf(own);
      if (whole !== null) blocks += add(own);
      else if (parts.length < own.length) copies += add(own);
      return whole === null ? parts : [whole];
    });
  };
  const joined = (list: readonly Operation[]): Operation[] => {
    const made: Operation[] = [];
    for (let at = 0; at < list.length; ) {
      const one = list[at] as Operation;
      let end = at + 1;
      while (isSmall(one) && isAlike(one, list[end])) end += 1;
      if (isSmall(one)) made.push(...joinedRun(list.slice(at, end) as Copy[]));
      else if (one.op === 'blockCopy' && one.strategy === 'loop') {
        blocks += one.blocks * add([one]);
        made.push({ ...one, strategy: 'auto' });
      } else if (one.op === 'repeat' && isJoinable(experiment, one)) {
        copies += one.count * add(one.operations);
        made.push(
          ...(one.operations as Copy[]).map(({ srcStepBytes: _, dstStepBytes: __, ...copy }) => ({
            ...copy,
            bytes: one.count * copy.bytes,
          })),
        );
      } else if ('operations' in one && one.op !== 'graphCapture') {
        made.push({ ...one, operations: joined(one.operations) } as Operation);
      } else made.push(one);
      at = end;
    }
    return made;
  };
  for (const [thread, { operations }] of experiment.threads.entries()) {
    const before = copies + blocks;
    const list = joined(operations);
    if (copies + blocks > before) edit.replace(['threads', thread, 'operations'], list);
  }
  if (copies > 0) edit.step(`Join ${copies} small copies: each call takes longer than its bytes.`);
  if (blocks > 0)
    edit.step(`Copy ${blocks} blocks with the strategy "auto" of a block copy instead of a call for each.`);
  return copies + blocks === 0 || (only !== null && !ids.has(only)) ? null : edit.change;
}

const isSmall = (one: Operation | undefined): one is Copy =>
  isSmallPart(one) && !('srcStepBytes' in one || 'dstStepBytes' in one);

const isSmallPart = (one: Operation | undefined): one is Copy =>
  one?.op === 'copy' && (one.bytes ?? Number.POSITIVE_INFINITY) <= smallBytes && one.mode !== 'blocking-memcpy';

const isAlike = (one: Copy, other: Operation | undefined): boolean =>
  isSmall(other) && one.stream === other.stream && one.mode === other.mode;

/** Joins copies of two buffers that continue one another. */
function partsOf(copies: readonly Copy[]): Copy[] {
  const parts: Copy[] = [];
  for (const copy of copies) {
    const last = parts.at(-1);
    const continues =
      last !== undefined &&
      copy.srcOffset === last.srcOffset + last.bytes &&
      copy.dstOffset === last.dstOffset + last.bytes;
    if (continues) parts.splice(-1, 1, { ...last, bytes: last.bytes + copy.bytes });
    else parts.push(copy);
  }
  return parts;
}

/** Returns the copy of blocks that replaces copies of two buffers; null if the host waits for each, or no slots fit them. */
function blockCopyOf(copies: readonly [Copy, ...Copy[]]): Operation | null {
  const [{ id, src, dst, stream, mode }] = copies;
  const slotBytes = Math.max(...copies.map(({ bytes }) => bytes));
  const slotsOf = (end: 'srcOffset' | 'dstOffset'): readonly [number, number[]] => {
    const begin = Math.min(...copies.map((copy) => copy[end]));
    return [begin, copies.map((copy) => (copy[end] - begin) / slotBytes)];
  };
  const [[srcOffset, srcLayout], [dstOffset, dstLayout]] = [slotsOf('srcOffset'), slotsOf('dstOffset')];
  const fits = [...srcLayout, ...dstLayout].every(Number.isInteger) && new Set(dstLayout).size === copies.length;
  if (!fits || mode !== 'async') return null;
  const shape = { srcOffset, srcLayout, dstOffset, dstLayout, blocks: copies.length };
  const blockBytes = copies.every(({ bytes }) => bytes === slotBytes) ? slotBytes : copies.map(({ bytes }) => bytes);
  return { op: 'blockCopy', id, src, dst, stream, ...shape, blockBytes, strategy: 'auto', smShare: 0.25 };
}

/** Returns whether a loop holds nothing but small copies, and the buffers have room for all rounds. */
function isJoinable({ buffers }: Experiment, { count, operations }: OperationOf<'repeat'>): boolean {
  const room = (id: string): number => {
    const buffer = buffers.find((one) => one.id === id);
    return buffer === undefined ? 0 : bufferBytes(buffer);
  };
  const fits = (copy: Copy): boolean =>
    copy.srcOffset + count * copy.bytes <= room(copy.src) && copy.dstOffset + count * copy.bytes <= room(copy.dst);
  const isOnly = new Set(operations.map((one) => ('dst' in one ? one.dst : one))).size === operations.length;
  const isNext = (copy: Copy, step: number | undefined): boolean => (step ?? copy.bytes) === copy.bytes;
  const isPart = (one: Operation): boolean =>
    isSmallPart(one) && fits(one) && isNext(one, one.srcStepBytes) && isNext(one, one.dstStepBytes);
  return count > 1 && isOnly && operations.every(isPart);
}

/** Copies rows without the pageable memory through which PyTorch stages them, and still waits for them. */
export function unstagedRows(situation: Situation): Change | null {
  const copy = find(situation, situation.verdict.op, 'blockCopy');
  if (copy === null || copy.operation.strategy !== 'tensor') return null;
  const { info, operation } = copy;
  return new ChangeBuilder(situation.experiment)
    .step(`Copy the rows of "${info.label}" with the strategy "auto", without pageable memory in between.`)
    .replace([...info.path, 'strategy'], 'auto')
    .after(info.path, { op: 'synchronizeStream', stream: operation.stream }).change;
}

/** Makes a multi-tensor copy use the strategy that packs small tensors and overlaps packing with the link. */
export function pipelined(situation: Situation): Change | null {
  const copy = find(situation, situation.verdict.op, 'multiCopy');
  if (copy === null || copy.operation.strategy === 'pipelined') return null;
  return new ChangeBuilder(situation.experiment)
    .step(`Copy the tensors of "${copy.info.label}" with the strategy "pipelined".`)
    .replace([...copy.info.path, 'strategy'], 'pipelined').change;
}
