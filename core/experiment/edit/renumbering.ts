/**
 * Where each operation went in an edit, by its number. Edits share what they leave as it is: all but the operations from
 * the first to the last change are the very same objects in a row. Lowering, the score, keys and marks go by this.
 */
import { type Experiment, eachOperation } from '../experiment.ts';
import type { Operation } from '../operations.ts';
import { type ChangedPart, changedPart } from './changedPart.ts';

type Places = ReadonlyMap<Operation | undefined, number>;

export class Renumbering {
  readonly #before: readonly Operation[];
  readonly #after: readonly Operation[];
  readonly #changed: ChangedPart;
  readonly #places: Places;
  readonly #placesBefore: Places;
  readonly #shift: number;

  constructor(before: readonly Operation[], after: readonly Operation[]) {
    [this.#before, this.#after] = [before, after];
    this.#changed = changedPart(before, after);
    const { start, endBefore, endAfter } = this.#changed;
    this.#places = placesOf(after, start, endAfter);
    this.#placesBefore = placesOf(before, start, endBefore);
    this.#shift = after.length - before.length;
  }

  /** Whether every operation has the number that it had. */
  get isNone(): boolean {
    const { start, endBefore } = this.#changed;
    for (let op = start; op < endBefore; op += 1) if (this.numberAfter(op) !== op) return false;
    return this.#shift === 0;
  }

  /**
   * The number that an operation has after the edit; null where it is gone. Where as many are left, one that is nowhere
   * any more is the one in its place, changed.
   */
  numberAfter(op: number): number | null {
    if (op < this.#changed.start) return op;
    if (op >= this.#changed.endBefore) return op + this.#shift;
    const place = this.#places.get(this.#before[op]);
    if (place !== undefined) return place;
    return this.#shift === 0 && !this.#placesBefore.has(this.#after[op]) ? op : null;
  }

  /** The number that it had before; null where it is new. */
  numberBefore(op: number): number | null {
    const kept = this.keptFrom(op);
    if (kept !== null) return kept;
    return this.#shift === 0 && !this.#places.has(this.#before[op]) ? op : null;
  }

  /** The number that the very same operation had before; null where it is new or was changed. */
  keptFrom(op: number): number | null {
    if (op < this.#changed.start) return op;
    if (op >= this.#changed.endAfter) return op - this.#shift;
    return this.#placesBefore.get(this.#after[op]) ?? null;
  }
}

const placesOf = (list: readonly Operation[], start: number, end: number): Places =>
  new Map(list.slice(start, end).map((one, at) => [one, start + at]));

const lists = new WeakMap<Experiment, readonly Operation[]>();

/** All operations, by number. */
export function operationsOf(experiment: Experiment): readonly Operation[] {
  const known = lists.get(experiment);
  if (known !== undefined) return known;
  const list: Operation[] = [];
  for (const { operations } of experiment.threads) eachOperation(operations, (operation) => list.push(operation));
  lists.set(experiment, list);
  return list;
}

let last: { readonly before: Experiment; readonly after: Experiment; readonly made: Renumbering } | null = null;

/** From one moment of a document to another. Made once for those that ask about the same edit. */
export function renumbering(before: Experiment, after: Experiment): Renumbering {
  if (last?.before === before && last.after === after) return last.made;
  const made = new Renumbering(operationsOf(before), operationsOf(after));
  last = { before, after, made };
  return made;
}
