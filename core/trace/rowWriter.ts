/**
 * Appends millions of rows. Most rows repeat an earlier one except for times and issuing call, so the common values are
 * stored once, as a model, and each row refers to its model. build() validates and sorts everything.
 */
import { columnNames, gather, visitInOrder } from './order.ts';
import { validateOwn, validateShared } from './rules.ts';
import {
  type CommonColumn,
  emptyColumns,
  type Lane,
  memoryKinds,
  rowKinds,
  type Trace,
  type TraceColumns,
} from './trace.ts';

const leastCapacity = 256;
/** Limit of rows for which memory is reserved at once, about 30 bytes each. More memory is added when needed. */
const mostCapacity = 4_000_000;

/** Columns whose values differ in each row. */
const ownNames = ['startNs', 'durationNs', 'correlation'] as const;
type OwnColumns = Pick<TraceColumns, (typeof ownNames)[number]> & { readonly model: Int32Array };

export class RowWriter {
  /** Columns of the models, without those in `ownNames`. */
  models: TraceColumns;
  #modelCount = 0;
  #own: OwnColumns;
  #count = 0;
  readonly #lanes: readonly Lane[];
  readonly #names: string[] = [];
  readonly #nameIndices = new Map<string, number>();

  /** `expectedRows` and `expectedModels` are approximate. */
  constructor(lanes: readonly Lane[], expectedRows = 0, expectedModels = 0) {
    this.#lanes = lanes;
    this.#own = ownColumns(capacity(expectedRows));
    this.models = emptyColumns(capacity(expectedModels), 0);
  }

  /** Returns the index of a new model with 0 in every column. Set its lane before its first row. */
  model(): number {
    if (this.#modelCount === this.models.lane.length) {
      const larger = emptyColumns(this.#modelCount * 2, 0);
      for (const name of columnNames(larger)) larger[name].set(this.models[name]);
      this.models = larger;
    }
    this.#modelCount += 1;
    return this.#modelCount - 1;
  }

  add(model: number, startNs: number, durationNs: number, correlation: number): void {
    if (this.#count === this.#own.model.length) this.#grow();
    const row = this.#count;
    const own = this.#own;
    own.model[row] = model;
    own.startNs[row] = startNs;
    own.durationNs[row] = durationNs;
    own.correlation[row] = correlation;
    this.#count = row + 1;
  }

  /** Returns the index of a name, and declares it if it is new. */
  name(text: string): number {
    const existing = this.#nameIndices.get(text);
    if (existing !== undefined) return existing;
    const index = this.#names.push(text) - 1;
    this.#nameIndices.set(text, index);
    return index;
  }

  /** Returns the trace of one iteration. Throws a CopyscopeError `trace.invalid` that names the first invalid value. */
  build(): Trace {
    const [own, models, count] = [this.#own, this.models, this.#count];
    const trace = { count, columns: emptyColumns(count), lanes: this.#lanes, names: [...this.#names] };
    validateShared({ ...trace, count: this.#modelCount, columns: models });
    validateOwn(own, count);
    const { columns } = trace;
    const modelOf = new Int32Array(count);
    let place = 0;
    const laneOf = (row: number): number => models.lane[own.model[row] as number] as number;
    visitInOrder(own, count, laneOf, (row) => {
      columns.startNs[place] = own.startNs[row] as number;
      columns.durationNs[place] = own.durationNs[row] as number;
      columns.correlation[place] = own.correlation[row] as number;
      modelOf[place] = own.model[row] as number;
      place += 1;
    });
    for (const name of modelNames(models)) gather(models[name], columns[name], modelOf);
    return trace;
  }

  #grow(): void {
    const larger = ownColumns(this.#count * 2);
    for (const name of [...ownNames, 'model'] as const) larger[name].set(this.#own[name]);
    this.#own = larger;
  }
}

const capacity = (expected: number): number => Math.min(Math.max(expected, leastCapacity), mostCapacity);

function ownColumns(capacity: number): OwnColumns {
  return {
    startNs: new Float64Array(capacity),
    durationNs: new Float64Array(capacity),
    correlation: new Int32Array(capacity),
    model: new Int32Array(capacity),
  };
}

/** Leaves out `iteration`, which is always 0. */
const modelNames = (columns: TraceColumns): CommonColumn[] =>
  columnNames(columns).filter((name) => name !== 'iteration' && !ownNames.some((own) => own === name));

/** Codes of row kinds in the `kind` column. */
export const kindCodes = Object.fromEntries(rowKinds.map((kind, code) => [kind, code])) as Readonly<
  Record<(typeof rowKinds)[number], number>
>;
export const memoryCodes = Object.fromEntries(memoryKinds.map((kind, code) => [kind, code])) as Readonly<
  Record<(typeof memoryKinds)[number], number>
>;
