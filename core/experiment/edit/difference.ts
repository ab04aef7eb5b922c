/** What makes the next moment of a document of the one before. It is plain JSON itself, and as short as the edit was small. */
import { changedPart } from './changedPart.ts';

export type Difference =
  /** Another value stands in its place. */
  | { readonly value: unknown }
  /** An object: fields that differ, and those that are gone. */
  | { readonly fields: Readonly<Record<string, Difference>>; readonly gone: readonly string[] }
  /** A list, in the order that it has now. */
  | { readonly parts: readonly Part[] };

type Part =
  /** So many of the list before, from a position on. */
  | { readonly from: number; readonly count: number }
  /** What stood at a position, with a difference. */
  | { readonly from: number; readonly with: Difference }
  | { readonly items: unknown[] };

type Fields = Readonly<Record<string, unknown>>;

/**
 * Null where both say the same. Edits share what they leave as it is, and what is shared is not looked into; of an edit
 * that shares nothing every value is compared. A field that is undefined is none.
 */
export function difference(before: unknown, after: unknown): Difference | null {
  if (Object.is(before, after)) return null;
  if (Array.isArray(before) && Array.isArray(after)) return ofLists(before, after);
  return isFields(before) && isFields(after) ? ofFields(before, after) : { value: after };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const fieldOf = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined);

function ofFields(before: Fields, after: Fields): Difference | null {
  const fields: Record<string, Difference> = {};
  for (const [name, value] of Object.entries(after)) {
    const own = difference(fieldOf(before, name), value);
    if (own !== null && value !== undefined) fields[name] = own;
  }
  const gone = Object.keys(before).filter((name) => before[name] !== undefined && fieldOf(after, name) === undefined);
  return Object.keys(fields).length + gone.length === 0 ? null : { fields, gone };
}

function ofLists(before: readonly unknown[], after: readonly unknown[]): Difference | null {
  const { start, endBefore, endAfter } = changedPart(before, after);
  const parts = new Parts();
  parts.keep(0, start);
  const places = new Map(before.slice(start, endBefore).map((item, at) => [item, start + at]));
  /** What is nowhere in the list before is told by how it differs from the item behind the last one that was found. */
  let beside = start;
  for (const item of after.slice(start, endAfter)) {
    const place = beside < endBefore && before[beside] === item ? beside : places.get(item);
    if (place !== undefined) parts.keep(place, 1);
    else if (beside < endBefore) parts.change(beside, difference(before[beside], item));
    else parts.put(item);
    beside = (place ?? beside) + 1;
  }
  parts.keep(endBefore, before.length - endBefore);
  return parts.areAll(before.length) ? null : { parts: parts.list };
}

class Parts {
  readonly list: Part[] = [];

  keep(from: number, count: number): void {
    const last = this.list.at(-1);
    if (count === 0) return;
    if (last !== undefined && 'count' in last && last.from + last.count === from) {
      this.list[this.list.length - 1] = { from: last.from, count: last.count + count };
    } else this.list.push({ from, count });
  }

  change(from: number, own: Difference | null): void {
    if (own === null) this.keep(from, 1);
    else if ('value' in own) this.put(own.value);
    else this.list.push({ from, with: own });
  }

  put(item: unknown): void {
    const last = this.list.at(-1);
    if (last !== undefined && 'items' in last) last.items.push(item);
    else this.list.push({ items: [item] });
  }

  /** Whether they are a list of so many items as it was. */
  areAll(length: number): boolean {
    const [first, ...more] = this.list;
    if (first === undefined) return length === 0;
    return more.length === 0 && 'count' in first && first.from === 0 && first.count === length;
  }
}

/** The next moment, which shares what is not different with the one before. `made` is of that very moment. */
export function withDifference(before: unknown, made: Difference): unknown {
  if ('value' in made) return made.value;
  if ('parts' in made) return made.parts.flatMap((part) => itemsOf(before as readonly unknown[], part));
  const copy: Record<string, unknown> = { ...(before as Fields) };
  for (const name of made.gone) delete copy[name];
  for (const [name, own] of Object.entries(made.fields)) copy[name] = withDifference(copy[name], own);
  return copy;
}

function itemsOf(before: readonly unknown[], part: Part): readonly unknown[] {
  if ('items' in part) return part.items;
  if ('with' in part) return [withDifference(before[part.from], part.with)];
  return before.slice(part.from, part.from + part.count);
}
