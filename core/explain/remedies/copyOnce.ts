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
  const edit = new ChangeBuilder(experiment);
  const [hoisted, kept] = [new Set<string>(), new Set<string>()];
  for (const equal of repeatedUploads(experiment)) {
    const [first, ...later] = equal;
    if (only !== null && !equal.some(({ op }) => op === only)) continue;
    const loop = outermostLoop(experiment, first.path);
    if (loop !== null) edit.before(loop, first.operation).remove(first.path);
    for (const { path } of later) edit.remove(path);
    (loop === null ? kept : hoisted).add(first.operation.src);
  }
  if (hoisted.size > 0) edit.step(`Copy ${namesOf([...hoisted])} once, before the loop: nothing changes the data.`);
  if (kept.size > 0) edit.step(`Copy ${namesOf([...kept])} once, and not again: nothing changes the data.`);
  return edit.change.patches.length === 0 ? null : edit.change;
}

/** Returns uploads that bring the same unchanged data again: all of each in order, or the one of a loop. */
export function repeatedUploads(experiment: Experiment): (readonly [Upload, ...Upload[]])[] {
  const program = lowerUnverified(experiment);
  if (program.operations.some(({ kind }) => kind === 'graphCapture' || kind === 'multiCopy')) return [];
  const data = new DataFlow(program);
  const memories = new Map(experiment.buffers.map(({ id, memory }) => [id, memory]));
  const uploads = program.operations.flatMap(({ op, path }): Upload[] => {
    const operation = at(experiment, path) as Upload['operation'];
    const isUpload =
      operation.op === 'copy' &&
      !('srcStepBytes' in operation || 'dstStepBytes' in operation) &&
      isHostMemory(memories.get(operation.src) ?? 'device') &&
      memories.get(operation.dst) === 'device';
    return isUpload ? [{ op, path, operation }] : [];
  });
  return [...groupBy(uploads, dataOf).values()].flatMap((equal) => {
    const [first, ...later] = equal;
    const isRepeated = first !== undefined && (later.length > 0 || outermostLoop(experiment, first.path) !== null);
    return isRepeated && data.isUnchanged(equal) ? [[first, ...later] as const] : [];
  });
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

interface Use extends Pick<Touch, 'buffer' | 'from' | 'to' | 'writes'> {
  readonly op: number;
  readonly thread: number;
  /** Place among the instructions of its thread. */
  readonly place: number;
}

/** Most that host memory takes: 12 channels of DDR5, 500 GB/s. */
const mostBytesPerNs = 500;

class DataFlow {
  readonly #program: Program;
  /** In order of their places, thread by thread. */
  readonly #uses: ReadonlyMap<number, readonly Use[]>;
  /** Number of calls of each thread before each place that let the host fill a source again. */
  readonly #waits: readonly Int32Array[];
  /** Whether the document says what the host writes. */
  readonly #tellsWrites: boolean;

  constructor(program: Program) {
    this.#program = program;
    const uses: Use[] = [];
    let tellsWrites = false;
    this.#waits = program.threads.map(({ instructions }, thread) => {
      const counts = new Int32Array(instructions.length + 1);
      for (const [place, one] of instructions.entries()) {
        counts[place + 1] = (counts[place] ?? 0) + (letsHostFill(one, program) ? 1 : 0);
        const at = { op: one.op, thread, place };
        for (const touch of touches(one, program)) {
          tellsWrites ||= touch.writes && touch.where === 'host';
          uses.push({ ...touch, ...at });
        }
        // The content is undefined after these.
        if (one.code !== 'allocate' && one.code !== 'free') continue;
        uses.push({ ...at, buffer: one.buffer, from: 0, to: Number.POSITIVE_INFINITY, writes: true });
      }
      return counts;
    });
    this.#uses = groupBy(uses, ({ buffer }) => buffer);
    this.#tellsWrites = tellsWrites;
  }

  /**
   * Returns whether only these copies write their target, nothing reads it before them, and nothing writes the source.
   * The host can't have filled the source again if it never waits in between, or if the document says what it writes.
   */
  isUnchanged(equal: readonly Upload[]): boolean {
    const own = new Set(equal.map(({ op }) => op));
    const thread = this.#program.operations[equal[0]?.op ?? 0]?.thread ?? 0;
    const instructions = this.#program.threads[thread]?.instructions ?? [];
    const copy = instructions.find(({ op }) => own.has(op));
    if (copy?.code !== 'copy') return false;
    const regions = touches(copy, this.#program);
    const others = regions.flatMap(({ buffer, from, to }) =>
      (this.#uses.get(buffer) ?? []).filter((one) => one.from < to && from < one.to),
    );
    const places = others.flatMap(({ op, place }) => (own.has(op) ? [place] : []));
    const [first, last] = [Math.min(...places), Math.max(...places)];
    const spoils = ({ op, buffer, writes, thread: other, place }: Use): boolean =>
      !own.has(op) && (writes || (buffer === copy.dst && other === thread && place < first));
    if (others.some(spoils)) return false;
    return this.#tellsWrites || !this.#isFilledBetween(thread, [first, last], copy.bytes);
  }

  /** Looks at what may run between these places: also all of the loops around them. */
  #isFilledBetween(thread: number, [first, last]: readonly [number, number], bytes: number): boolean {
    let [from, to] = [first, last];
    for (const [place, one] of (this.#program.threads[thread]?.instructions ?? []).entries()) {
      if (place > last) break;
      const isAround = one.code === 'repeat' && [first, last].some((inside) => place < inside && inside < one.end);
      if (isAround) [from, to] = [Math.min(from, place), Math.max(to, one.end)];
    }
    const counts = this.#waits[thread];
    if ((counts?.[to + 1] ?? 0) === (counts?.[from] ?? 0)) return false;
    // If the document says what work the host does in between, that must be long enough to fill the memory.
    const { threads } = this.#program;
    const own = threads.flatMap(({ instructions }, at) =>
      at === thread ? instructions.slice(from, to + 1) : instructions,
    );
    const work = own.filter(({ code }) => code === 'work' || code === 'pin');
    const isShort = own.every(({ code }, at) => code !== 'repeat' || at === 0);
    const ns = work.reduce((sum, one) => sum + (one.code === 'work' ? one.durationNs : Number.POSITIVE_INFINITY), 0);
    return work.length === 0 || !isShort || ns * mostBytesPerNs >= bytes;
  }
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
