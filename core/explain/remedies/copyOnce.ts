/** Removes uploads of data that is on the device already, because nothing changed it since it was copied there. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { OperationOf } from '../../experiment/operations.ts';
import { groupBy } from '../../groupBy.ts';
import type { Instruction } from '../../program/instructions.ts';
import { lowerUnverified } from '../../program/lower.ts';
import type { Program } from '../../program/program.ts';
import { isHostMemory } from '../../trace/trace.ts';
import { type Touch, touches } from '../hazards/touches.ts';
import { isPageable } from '../order/calls.ts';
import { at, namesOf } from './situation.ts';

interface Upload {
  readonly op: number;
  readonly path: DocumentPath;
  readonly operation: OperationOf<'copy'>;
}

/**
 * Copies unchanged data once: before the loop around the copy, and without later copies of the same bytes. `only` limits
 * this to the data of one operation.
 */
export function copyOnce(experiment: Experiment, only: number | null = null): Change | null {
  const program = lowerUnverified(experiment);
  if (program.operations.some(({ kind }) => kind === 'graphCapture')) return null;
  const memories = new Map(experiment.buffers.map(({ id, memory }) => [id, memory]));
  const uploads = program.operations.flatMap(({ op, path }): Upload[] => {
    const operation = at(experiment, path) as Upload['operation'];
    const isUpload =
      operation.op === 'copy' &&
      isHostMemory(memories.get(operation.src) ?? 'device') &&
      memories.get(operation.dst) === 'device';
    return isUpload ? [{ op, path, operation }] : [];
  });
  const edit = new ChangeBuilder(experiment);
  const [hoisted, kept] = [new Set<string>(), new Set<string>()];
  for (const equal of groupBy(uploads, dataOf).values()) {
    const [first, ...later] = equal as [Upload, ...Upload[]];
    const loop = outermostLoop(experiment, first.path);
    const isMeant = only === null || equal.some(({ op }) => op === only);
    if (!isMeant || (loop === null && later.length === 0) || !isUnchanged(program, equal)) continue;
    if (loop !== null) edit.before(loop, first.operation).remove(first.path);
    for (const { path } of later) edit.remove(path);
    (loop === null ? kept : hoisted).add(first.operation.src);
  }
  if (hoisted.size > 0) edit.step(`Copy ${namesOf([...hoisted])} once, before the loop: nothing changes the data.`);
  if (kept.size > 0) edit.step(`Copy ${namesOf([...kept])} once, and not again: nothing changes the data.`);
  return edit.change.patches.length === 0 ? null : edit.change;
}

/** Threads run at once, so equal copies of two threads are no repetition. */
const dataOf = ({ path, operation: { src, srcOffset, dst, dstOffset, bytes } }: Upload): string =>
  JSON.stringify([path[1], src, srcOffset, dst, dstOffset, bytes]);

/** Returns the path of the outermost repeat around an operation, or null if it is in none. */
function outermostLoop(experiment: Experiment, path: DocumentPath): DocumentPath | null {
  for (let depth = 4; depth < path.length; depth += 2) {
    const around = path.slice(0, depth);
    if ((at(experiment, around) as { readonly op: string }).op === 'repeat') return around;
  }
  return null;
}

/**
 * Returns whether only these copies write their target, nothing reads it before them, and nothing writes the source. The
 * host can't have filled the source again if it never waits in between, or if the document says what the host writes.
 */
function isUnchanged(program: Program, equal: readonly Upload[]): boolean {
  const own = new Set(equal.map(({ op }) => op));
  const all = program.threads.flatMap(({ instructions }) => instructions);
  const { instructions } = program.threads[program.operations[equal[0]?.op ?? 0]?.thread ?? 0] ?? { instructions: [] };
  const first = instructions.findIndex(({ op }) => own.has(op));
  const copy = instructions[first];
  if (copy?.code !== 'copy') return false;
  const regions = touches(copy, program);
  const meets = (one: Touch): boolean =>
    regions.some((other) => one.buffer === other.buffer && one.from < other.to && other.from < one.to);
  const touched = (one: Instruction): Touch[] => touches(one, program);
  const changes = (one: Instruction): boolean => {
    if (own.has(one.op)) return false;
    if (one.code === 'allocate' || one.code === 'free') return one.buffer === copy.src || one.buffer === copy.dst;
    return one.code === 'multiCopy' || touched(one).some((touch) => touch.writes && meets(touch));
  };
  const isRead = (one: Instruction): boolean => touched(one).some((touch) => touch.buffer === copy.dst && meets(touch));
  if (all.some(changes) || instructions.slice(0, first).some(isRead)) return false;
  const tellsWrites = all.some((one) => touched(one).some(({ writes, where }) => writes && where === 'host'));
  return tellsWrites || !repeated(instructions, own).some((one) => letsHostFill(one, program));
}

/** Returns what may run between two of these copies: from the first to the last, and all of the loops around them. */
function repeated(instructions: readonly Instruction[], own: ReadonlySet<number>): readonly Instruction[] {
  const places = instructions.flatMap(({ op }, place) => (own.has(op) ? [place] : []));
  let [from, to] = [Math.min(...places), Math.max(...places)];
  for (const [place, one] of instructions.entries()) {
    if (one.code !== 'repeat' || !places.some((own) => place < own && own < one.end)) continue;
    [from, to] = [Math.min(from, place), Math.max(to, one.end)];
  }
  return instructions.slice(from, to + 1);
}

const waits: ReadonlySet<Instruction['code']> = new Set([
  'synchronizeStream',
  'synchronizeEvent',
  'synchronizeDevice',
  'queryStream',
  'queryEvent',
  'elapsedTime',
  'item',
  'waitSignal',
  'allocate',
  'free',
]);

/** Returns whether the host may know after this call that copies have read their source. */
function letsHostFill(one: Instruction, { buffers }: Program): boolean {
  if (one.code !== 'copy') return waits.has(one.code);
  return one.blocking || [one.src, one.dst].some((buffer) => isPageable(buffers[buffer]));
}
