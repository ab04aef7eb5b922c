/**
 * Appends rows of coded values straight into columns, for whoever makes millions of them. Nothing is checked here:
 * traceFromColumns() (builder.ts) holds the whole columns to the rules and brings them into order.
 */
import { traceFromColumns } from './builder.ts';
import { columnNames } from './order.ts';
import { emptyColumns, type Lane, memoryKinds, rowKinds, type Trace, type TraceColumns } from './trace.ts';

const leastCapacity = 256;
/** About 60 bytes a row are set aside at once at most for this many; more grow as they come. */
const mostCapacity = 4_000_000;

export class RowWriter {
  columns: TraceColumns;
  count = 0;
  readonly #lanes: readonly Lane[];
  readonly #names: string[] = [];
  readonly #nameIndices = new Map<string, number>();

  /** `expected` is about the number of rows to come. */
  constructor(lanes: readonly Lane[], expected = 0) {
    this.#lanes = lanes;
    this.columns = emptyColumns(Math.min(Math.max(expected, leastCapacity), mostCapacity));
  }

  /** Index of a new row, in which every column is 0. */
  add(): number {
    if (this.count === this.columns.startNs.length) this.#grow();
    this.count += 1;
    return this.count - 1;
  }

  /** Index of a name, declaring it where it is new. */
  name(text: string): number {
    const existing = this.#nameIndices.get(text);
    if (existing !== undefined) return existing;
    const index = this.#names.push(text) - 1;
    this.#nameIndices.set(text, index);
    return index;
  }

  /** Throws a CopyscopeError `trace.invalid` that names the first value that breaks a rule. */
  build(): Trace {
    return traceFromColumns({ count: this.count, columns: this.columns, lanes: this.#lanes, names: [...this.#names] });
  }

  #grow(): void {
    const larger = emptyColumns(this.count * 2);
    for (const name of columnNames(larger)) larger[name].set(this.columns[name]);
    this.columns = larger;
  }
}

/** Numbers of kinds in their columns. */
export const kindCodes = Object.fromEntries(rowKinds.map((kind, code) => [kind, code])) as Readonly<
  Record<(typeof rowKinds)[number], number>
>;
export const memoryCodes = Object.fromEntries(memoryKinds.map((kind, code) => [kind, code])) as Readonly<
  Record<(typeof memoryKinds)[number], number>
>;
