/**
 * What is compared of a run, for each of its iterations: how long it took, what each lane did, and what each operation
 * took. Tables: column[entry * iterations + iteration].
 */
import { iterationRows, iterationsOf, makespanNs, type RowRange } from '../trace/rows.ts';
import type { Run } from '../trace/run.ts';
import { type RowIndex, type RowKind, rowKinds, type Trace } from '../trace/trace.ts';
import { rankOf } from './anchor.ts';
import { type LaneTimes, laneTimes } from './laneTimes.ts';

/** An operation of the program; of a trace without one, everything of one kind and name. */
export interface OperationEntry {
  /** Operation number; -1 where the trace doesn't come from an experiment. */
  readonly op: number;
  readonly kind: RowKind;
  /** The row's name, as a kernel's or 'cudaStreamSynchronize'. */
  readonly name: string;
}

/** Sums over the rows of one rank (see rankOf), for each entry and iteration. */
export interface Tally {
  readonly count: Uint32Array;
  readonly durationNs: Float64Array;
  /** Of the first, from the iteration's start. */
  readonly startNs: Float64Array;
}

export interface OperationTable {
  readonly entries: readonly OperationEntry[];
  /** What tells most of each entry: 2 what it did on a device, 1 on the host, 0 calls. */
  readonly ranks: readonly number[];
  readonly iterations: number;
  /** By rank. */
  readonly tallies: readonly [calls: Tally, host: Tally, device: Tally];
}

export interface RunMeasures {
  /** Simulated: an iteration is like any other, so its values have no spread. */
  readonly exact: boolean;
  readonly iterations: number;
  readonly makespanNs: Float64Array;
  readonly lanes: readonly LaneTimes[];
  readonly operations: OperationTable;
}

/** `byName` takes together what has one name, for a run that is compared with one of no experiment. */
export function measureRun({ info, trace }: Run, byName: boolean): RunMeasures {
  const ranges = iterationsOf(trace).map((number) => iterationRows(trace, number));
  return {
    exact: info.engine === 'sim',
    iterations: ranges.length,
    makespanNs: Float64Array.from(ranges, (range) => makespanNs(trace, range)),
    lanes: laneTimes(trace, ranges),
    operations: new OperationTally(trace, ranges.length, byName).fill(ranges),
  };
}

class OperationTally {
  readonly #trace: Trace;
  readonly #iterations: number;
  readonly #byName: boolean;
  readonly #entries: OperationEntry[] = [];
  readonly #ranks: number[] = [];
  /** Entry of each key. */
  readonly #numbers = new Map<number, number>();

  constructor(trace: Trace, iterations: number, byName: boolean) {
    this.#trace = trace;
    this.#iterations = iterations;
    this.#byName = byName;
  }

  fill(ranges: readonly RowRange[]): OperationTable {
    const { count: rows, columns } = this.#trace;
    const entryOf = new Int32Array(rows);
    for (let row = 0; row < rows; row += 1) entryOf[row] = this.#entry(row);
    const cells = this.#entries.length * this.#iterations;
    const tallies = [newTally(cells), newTally(cells), newTally(cells)] as const;
    for (const [iteration, { from, to }] of ranges.entries()) {
      for (let row = from; row < to; row += 1) {
        const entry = entryOf[row] as number;
        if (entry < 0) continue;
        const tally = tallies[rankOf(columns.kind[row] as number)] as Tally;
        const cell = entry * this.#iterations + iteration;
        // Rows come in order of start.
        if (tally.count[cell] === 0) tally.startNs[cell] = columns.startNs[row] as number;
        tally.count[cell] = (tally.count[cell] as number) + 1;
        tally.durationNs[cell] = (tally.durationNs[cell] as number) + (columns.durationNs[row] as number);
      }
    }
    return { entries: this.#entries, ranks: this.#ranks, iterations: this.#iterations, tallies };
  }

  /** -1 for a row that belongs to no operation. */
  #entry(row: RowIndex): number {
    const { columns, names } = this.#trace;
    const [op, kind, name] = [columns.op[row] as number, columns.kind[row] as number, columns.name[row] as number];
    if (!this.#byName && op < 0) return -1;
    const key = this.#byName ? name * rowKinds.length + kind : op;
    const known = this.#numbers.get(key);
    const rank = rankOf(kind);
    if (known !== undefined && (this.#ranks[known] as number) >= rank) return known;
    const index = known ?? this.#entries.length;
    this.#numbers.set(key, index);
    this.#ranks[index] = rank;
    this.#entries[index] = { op: this.#byName ? -1 : op, kind: rowKinds[kind] ?? 'host-call', name: names[name] ?? '' };
    return index;
  }
}

const newTally = (cells: number): Tally => ({
  count: new Uint32Array(cells),
  durationNs: new Float64Array(cells),
  startNs: new Float64Array(cells),
});
