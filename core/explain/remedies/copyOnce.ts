/** Removes copies of data that is there already, because nothing changed it since it was copied. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { OperationOf } from '../../experiment/operations.ts';
import { groupBy } from '../../groupBy.ts';
import { lowerUnverified } from '../../program/lower.ts';
import type { Program } from '../../program/program.ts';
import { valueAtPath } from '../../shape/path.ts';
import { isHostMemory } from '../../trace/trace.ts';
import { type Touch, touches } from '../hazards/touches.ts';
import { letsHostFill } from '../order/refills.ts';
import { namesOf, outermostLoop } from './situation.ts';

interface Repeated {
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
  for (const equal of repeatedCopies(experiment)) {
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

/** Returns copies that bring the same unchanged data again: all of each in order, or the one of a loop. */
export function repeatedCopies(experiment: Experiment): (readonly [Repeated, ...Repeated[]])[] {
  const program = lowerUnverified(experiment);
  if (program.operations.some(({ kind }) => kind === 'graphCapture' || kind === 'multiCopy')) return [];
  const data = new DataFlow(program);
  const hosts = new Set(experiment.buffers.flatMap(({ id, memory }) => (isHostMemory(memory) ? [id] : [])));
  const copies = program.operations.flatMap(({ op, path }): Repeated[] => {
    const operation = valueAtPath(experiment, path) as Repeated['operation'];
    const isMoved = 'srcStepBytes' in operation || 'dstStepBytes' in operation;
    const crosses = operation.op === 'copy' && hosts.has(operation.src) !== hosts.has(operation.dst);
    return crosses && !isMoved ? [{ op, path, operation }] : [];
  });
  return [...groupBy(copies, dataOf).values()].flatMap((equal) => {
    const [first, ...later] = equal;
    const isRepeated = first !== undefined && (later.length > 0 || outermostLoop(experiment, first.path) !== null);
    return isRepeated && data.isUnchanged(equal, hosts.has(first.operation.src)) ? [[first, ...later] as const] : [];
  });
}

/** Threads run at once, so equal copies of two threads are no repetition. */
const dataOf = ({ path, operation: { src, srcOffset, dst, dstOffset, bytes } }: Repeated): string =>
  JSON.stringify([path[1], src, srcOffset, dst, dstOffset, bytes]);

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
   * Returns whether nothing else writes source or target from the first of these copies to the last, with the loops around
   * them, and nothing reads the target before the first one there. The host can't have filled a source in its memory again
   * if it never waits in between, or if the document says what it writes.
   */
  isUnchanged(equal: readonly Repeated[], isFromHost: boolean): boolean {
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
    const first = Math.min(...places);
    const [from, to] = this.#withLoops(thread, first, Math.max(...places));
    const spoils = ({ op, buffer, writes, thread: other, place }: Use): boolean =>
      !own.has(op) &&
      (other !== thread || (place >= from && place <= to)) &&
      (writes || (buffer === copy.dst && other === thread && place < first));
    if (others.some(spoils)) return false;
    return !isFromHost || this.#tellsWrites || !this.#isFilledBetween(thread, from, to, copy.bytes);
  }

  /** Returns the places with all of the loops around them. */
  #withLoops(thread: number, first: number, last: number): readonly [number, number] {
    let [from, to] = [first, last];
    for (const [place, one] of (this.#program.threads[thread]?.instructions ?? []).entries()) {
      if (place > last) break;
      const isAround = one.code === 'repeat' && [first, last].some((inside) => place < inside && inside < one.end);
      if (isAround) [from, to] = [Math.min(from, place), Math.max(to, one.end)];
    }
    return [from, to];
  }

  #isFilledBetween(thread: number, from: number, to: number, bytes: number): boolean {
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
