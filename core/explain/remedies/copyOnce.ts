/** Removes copies of data that is there already, because nothing changed it since it was copied. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { OperationOf } from '../../experiment/operations.ts';
import { groupBy } from '../../groupBy.ts';
import { lowerBound } from '../../lowerBound.ts';
import { lowerUnverified } from '../../program/lower.ts';
import type { Instruction, Program } from '../../program/program.ts';
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
  /** First instruction of each operation. */
  readonly #instructions = new Map<number, Instruction>();
  /** Uses of each buffer by the begin of their regions. */
  readonly #uses: ReadonlyMap<number, readonly Use[]>;
  readonly #longest: number;
  /** First and last place of each loop, thread by thread. */
  readonly #loops: readonly (readonly (readonly [number, number])[])[];
  /** Number of calls of each thread before each place that let the host fill a source again. */
  readonly #waits: readonly Int32Array[];
  /** Time of the host's work between two places of a thread. */
  readonly #workNs = new Map<string, number>();
  /** Whether the document says what the host writes. */
  readonly #tellsWrites: boolean;

  constructor(program: Program) {
    this.#program = program;
    this.#loops = program.threads.map(({ instructions }) =>
      instructions.flatMap((one, place) => (one.code === 'repeat' ? [[place, one.end] as const] : [])),
    );
    const uses: Use[] = [];
    let tellsWrites = false;
    this.#waits = program.threads.map(({ instructions }, thread) => {
      const counts = new Int32Array(instructions.length + 1);
      for (const [place, one] of instructions.entries()) {
        counts[place + 1] = (counts[place] ?? 0) + (letsHostFill(one, program) ? 1 : 0);
        const at = { op: one.op, thread, place };
        if (!this.#instructions.has(one.op)) this.#instructions.set(one.op, one);
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
    uses.sort((a, b) => a.from - b.from);
    this.#uses = groupBy(uses, ({ buffer }) => buffer);
    this.#longest = uses.reduce((most, { from, to }) => Math.max(most, to - from), 0);
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
    const copy = this.#instructions.get(equal[0]?.op ?? 0);
    if (copy?.code !== 'copy') return false;
    const others = touches(copy, this.#program).flatMap((region) => this.#usesIn(region));
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

  #usesIn({ buffer, from, to }: Pick<Use, 'buffer' | 'from' | 'to'>): readonly Use[] {
    const all = this.#uses.get(buffer) ?? [];
    const begin = lowerBound(0, all.length, (at) => (all[at] as Use).from <= from - this.#longest);
    const end = lowerBound(begin, all.length, (at) => (all[at] as Use).from < to);
    return all.slice(begin, end).filter((one) => from < one.to);
  }

  /** Returns the places with all of the loops around them. */
  #withLoops(thread: number, first: number, last: number): readonly [number, number] {
    let [from, to] = [first, last];
    for (const [place, end] of this.#loops[thread] ?? []) {
      const isAround = [first, last].some((inside) => place < inside && inside < end);
      if (isAround) [from, to] = [Math.min(from, place), Math.max(to, end)];
    }
    return [from, to];
  }

  #isFilledBetween(thread: number, from: number, to: number, bytes: number): boolean {
    const counts = this.#waits[thread];
    if ((counts?.[to + 1] ?? 0) === (counts?.[from] ?? 0)) return false;
    const key = `${thread} ${from} ${to}`;
    const workNs = this.#workNs.get(key) ?? this.#workBetween(thread, from, to);
    this.#workNs.set(key, workNs);
    // If the document says what work the host does in between, that must be long enough to fill the memory.
    return workNs * mostBytesPerNs >= bytes;
  }

  /** Returns the time of the host's work; infinite if the document doesn't say all of it. */
  #workBetween(thread: number, from: number, to: number): number {
    const own = this.#program.threads.flatMap(({ instructions }, at) =>
      at === thread ? instructions.slice(from, to + 1) : instructions,
    );
    const work = own.filter(({ code }) => code === 'work' || code === 'pin');
    if (work.length === 0 || own.some(({ code }, at) => code === 'repeat' && at > 0)) return Number.POSITIVE_INFINITY;
    return work.reduce((sum, one) => sum + (one.code === 'work' ? one.durationNs : Number.POSITIVE_INFINITY), 0);
  }
}
