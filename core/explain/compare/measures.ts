/**
 * Measures a run for a comparison, per iteration: its duration, each lane's activity, and each operation's time. Tables
 * are laid out as column[entry * iterations + iteration].
 */

import { rowDirection } from '../../trace/iteration.ts';
import { iterationRows, iterationsOf, makespanNs, type RowRange } from '../../trace/rows.ts';
import type { Run } from '../../trace/run.ts';
import {
  type CopyDirection,
  type MemoryKind,
  memoryKinds,
  type RowIndex,
  type RowKind,
  rowKinds,
  type Trace,
} from '../../trace/trace.ts';
import { withoutAddresses } from '../figures/kernelName.ts';
import { rankOf } from './anchor.ts';
import { type LaneTimes, laneTimes } from './laneTimes.ts';
import { spentNs } from './spent.ts';

/** Steps by which a run is compared. */
export interface RunSteps {
  readonly count: number;
  /** Begin and duration of each step. */
  readonly startNs: readonly number[];
  readonly durationNs: readonly number[];
  /** Step of each row; -1 if the row is in no step. */
  readonly stepOf: Int32Array;
}

/** An operation of the program. In a trace without one, everything of one kind and name. */
export interface OperationEntry {
  /** Operation number; -1 if the trace doesn't come from an experiment. */
  readonly op: number;
  readonly kind: RowKind;
  /** Name of the row, such as a kernel's or 'cudaStreamSynchronize'. */
  readonly name: string;
  /** Properties by which copies are grouped; null for other entries or if copies aren't grouped. */
  readonly copy: CopySort | null;
}

/** Properties of copies that do the same, whatever the driver calls them. */
export interface CopySort {
  readonly direction: CopyDirection;
  readonly bytes: number;
  /** Memory on the host's side, or the source's memory if neither side is host memory. */
  readonly memory: MemoryKind;
}

/** Sums over the rows of one rank (see rankOf), for each entry and iteration. */
export interface Tally {
  readonly count: Uint32Array;
  readonly durationNs: Float64Array;
  /** First start, from the iteration's start. */
  readonly startNs: Float64Array;
}

export interface OperationTable {
  readonly entries: readonly OperationEntry[];
  /** Highest rank of each entry: 2 for device work, 1 for host work, 0 for calls. */
  readonly ranks: readonly number[];
  readonly iterations: number;
  /** By rank. */
  readonly tallies: readonly [calls: Tally, host: Tally, device: Tally];
  /** Time of the makespan spent on each entry: see spent.ts. */
  readonly spentNs: Float64Array;
}

export interface RunMeasures {
  /** Whether the run is simulated. Its iterations are all alike, so its values have no spread. */
  readonly exact: boolean;
  readonly iterations: number;
  readonly makespanNs: Float64Array;
  /** Duration of each step; null if the run is compared by iterations. */
  readonly stepNs: readonly number[] | null;
  readonly lanes: readonly LaneTimes[];
  readonly operations: OperationTable;
}

/**
 * Measures a run. `byName` groups operations by name, and copies by direction and size, for a comparison with a run
 * without an experiment. With `steps`, operations are measured per step instead of per iteration.
 */
export function measureRun({ info, trace }: Run, byName: boolean, steps: RunSteps | null = null): RunMeasures {
  const ranges = iterationsOf(trace).map((number) => iterationRows(trace, number));
  return {
    exact: info.engine === 'sim',
    iterations: ranges.length,
    makespanNs: Float64Array.from(ranges, (range) => makespanNs(trace, range)),
    stepNs: steps?.durationNs ?? null,
    lanes: laneTimes(trace, ranges),
    operations: new OperationTally(trace, ranges, steps, byName).fill(),
  };
}

class OperationTally {
  readonly #trace: Trace;
  readonly #ranges: readonly RowRange[];
  readonly #steps: RunSteps | null;
  /** Number of iterations, or of steps. */
  readonly #iterations: number;
  readonly #byName: boolean;
  /** For each name, the first name that differs only by addresses. */
  readonly #nameOf: readonly number[];
  readonly #entries: OperationEntry[] = [];
  readonly #ranks: number[] = [];
  /** Entry of each key. */
  readonly #numbers = new Map<string | number, number>();

  constructor(trace: Trace, ranges: readonly RowRange[], steps: RunSteps | null, byName: boolean) {
    this.#trace = trace;
    this.#ranges = ranges;
    this.#steps = steps;
    this.#iterations = steps?.count ?? ranges.length;
    this.#byName = byName;
    const firstOf = new Map<string, number>();
    this.#nameOf = trace.names.map((text, index) => {
      const plain = withoutAddresses(text);
      const first = firstOf.get(plain) ?? index;
      firstOf.set(plain, first);
      return first;
    });
  }

  fill(): OperationTable {
    const { count: rows, columns } = this.#trace;
    const entryOf = new Int32Array(rows);
    for (let row = 0; row < rows; row += 1) entryOf[row] = this.#entry(row);
    const cells = this.#entries.length * this.#iterations;
    const tallies = [newTally(cells), newTally(cells), newTally(cells)] as const;
    const spent = new Float64Array(cells);
    for (const [number, { from, to }] of this.#ranges.entries()) {
      const own = spentNs(this.#trace, { from, to });
      for (let row = from; row < to; row += 1) {
        const entry = entryOf[row] as number;
        const iteration = this.#steps === null ? number : (this.#steps.stepOf[row] as number);
        if (entry < 0 || iteration < 0) continue;
        const tally = tallies[rankOf(columns.kind[row] as number)] as Tally;
        const cell = entry * this.#iterations + iteration;
        spent[cell] = (spent[cell] as number) + (own[row - from] as number);
        const begin = this.#steps?.startNs[iteration] ?? 0;
        // Rows come in order of start.
        if (tally.count[cell] === 0) tally.startNs[cell] = (columns.startNs[row] as number) - begin;
        tally.count[cell] = (tally.count[cell] as number) + 1;
        tally.durationNs[cell] = (tally.durationNs[cell] as number) + (columns.durationNs[row] as number);
      }
    }
    return { entries: this.#entries, ranks: this.#ranks, iterations: this.#iterations, tallies, spentNs: spent };
  }

  /** Returns -1 if a row belongs to no operation. */
  #entry(row: RowIndex): number {
    const { columns, names } = this.#trace;
    const [op, kind, name] = [columns.op[row] as number, columns.kind[row] as number, columns.name[row] as number];
    if (!this.#byName && op < 0) return -1;
    const copy = this.#byName ? copySort(this.#trace, row) : null;
    const key = copy !== null ? copyKey(copy) : this.#byName ? (this.#nameOf[name] ?? 0) * rowKinds.length + kind : op;
    const known = this.#numbers.get(key);
    const rank = rankOf(kind);
    if (known !== undefined && (this.#ranks[known] as number) >= rank) return known;
    const index = known ?? this.#entries.length;
    this.#numbers.set(key, index);
    this.#ranks[index] = rank;
    this.#entries[index] = {
      op: this.#byName ? -1 : op,
      kind: rowKinds[kind] ?? 'host-call',
      name: withoutAddresses(names[name] ?? ''),
      copy,
    };
    return index;
  }
}

const copyCode = rowKinds.indexOf('copy');

/** Returns null if the row isn't a copy, or its direction wasn't recorded. */
function copySort(trace: Trace, row: RowIndex): CopySort | null {
  const { kind, bytes, srcMemory, dstMemory } = trace.columns;
  if (kind[row] !== copyCode) return null;
  const direction = rowDirection(trace, row);
  const memory = memoryKinds[(direction === 'd2h' ? dstMemory : srcMemory)[row] as number];
  return direction === null || memory === undefined ? null : { direction, bytes: bytes[row] as number, memory };
}

export const copyKey = ({ direction, bytes }: CopySort): string => `${direction} ${bytes}`;

const newTally = (cells: number): Tally => ({
  count: new Uint32Array(cells),
  durationNs: new Float64Array(cells),
  startNs: new Float64Array(cells),
});
