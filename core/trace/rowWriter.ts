/**
 * Appends rows of coded values, for whoever makes millions of them. Most are like one before in all but their times and
 * the call that issued them: what they have in common is written down once, as a model, and each row names its model.
 * Nothing is checked here: build() holds all of it to the rules and brings the rows into order.
 */
import { LaneChains } from './laneChains.ts';
import { columnNames, gather } from './order.ts';
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
/** About 30 bytes a row are set aside at once at most for this many; more grow as they come. */
const mostCapacity = 4_000_000;

/** What each row has of its own. */
const ownNames = ['startNs', 'durationNs', 'correlation'] as const;
type OwnColumns = Pick<TraceColumns, (typeof ownNames)[number]> & { readonly model: Int32Array };

export class RowWriter {
  /** The models; they have no columns of what each row has of its own. */
  models: TraceColumns;
  #modelCount = 0;
  #own: OwnColumns;
  #count = 0;
  readonly #chains: LaneChains;
  readonly #lanes: readonly Lane[];
  readonly #names: string[] = [];
  readonly #nameIndices = new Map<string, number>();

  /** About how many rows are to come, and how many models. */
  constructor(lanes: readonly Lane[], expectedRows = 0, expectedModels = 0) {
    this.#lanes = lanes;
    this.#own = ownColumns(capacity(expectedRows));
    this.#chains = new LaneChains(lanes.length, this.#own.model.length);
    this.models = emptyColumns(capacity(expectedModels), 0);
  }

  /** Index of a new model, in which every column is 0. Its lane has to be there before its first row. */
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
    this.#chains.add(row, this.models.lane[model] as number, own);
    this.#count = row + 1;
  }

  /** Index of a name, declaring it where it is new. */
  name(text: string): number {
    const existing = this.#nameIndices.get(text);
    if (existing !== undefined) return existing;
    const index = this.#names.push(text) - 1;
    this.#nameIndices.set(text, index);
    return index;
  }

  /** The trace of one iteration. Throws a CopyscopeError `trace.invalid` that names the first value that breaks a rule. */
  build(): Trace {
    const [own, models, count] = [this.#own, this.models, this.#count];
    const trace = { count, columns: emptyColumns(count), lanes: this.#lanes, names: [...this.#names] };
    validateShared({ ...trace, count: this.#modelCount, columns: models });
    validateOwn(own, count);
    const { columns } = trace;
    const modelOf = new Int32Array(count);
    let next = 0;
    this.#chains.visit(own, (row) => {
      columns.startNs[next] = own.startNs[row] as number;
      columns.durationNs[next] = own.durationNs[row] as number;
      columns.correlation[next] = own.correlation[row] as number;
      modelOf[next] = own.model[row] as number;
      next += 1;
    });
    for (const name of modelNames(models)) gather(models[name], columns[name], modelOf);
    return trace;
  }

  #grow(): void {
    const larger = ownColumns(this.#count * 2);
    for (const name of [...ownNames, 'model'] as const) larger[name].set(this.#own[name]);
    this.#own = larger;
    this.#chains.grow(larger.model.length);
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

/** All are of one iteration, 0. */
const modelNames = (columns: TraceColumns): CommonColumn[] =>
  columnNames(columns).filter((name) => name !== 'iteration' && !ownNames.some((own) => own === name));

/** Numbers of kinds in their columns. */
export const kindCodes = Object.fromEntries(rowKinds.map((kind, code) => [kind, code])) as Readonly<
  Record<(typeof rowKinds)[number], number>
>;
export const memoryCodes = Object.fromEntries(memoryKinds.map((kind, code) => [kind, code])) as Readonly<
  Record<(typeof memoryKinds)[number], number>
>;
