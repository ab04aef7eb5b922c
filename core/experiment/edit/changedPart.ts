/** The part of a list that an edit changed. */
export interface ChangedPart {
  /** Both lists are equal before this position. */
  readonly start: number;
  /** Position after the last difference, in the old list and in the new one. */
  readonly endBefore: number;
  readonly endAfter: number;
}

/** Finds the changed part. Edits keep unchanged items, so by default equal items are the same object. */
export function changedPart<Item>(
  before: readonly Item[],
  after: readonly Item[],
  isSame: (a: Item, b: Item) => boolean = Object.is,
): ChangedPart {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSame(before[start] as Item, after[start] as Item)) start += 1;
  let [endBefore, endAfter] = [before.length, after.length];
  while (Math.min(endBefore, endAfter) > start && isSame(before[endBefore - 1] as Item, after[endAfter - 1] as Item)) {
    endBefore -= 1;
    endAfter -= 1;
  }
  return { start, endBefore, endAfter };
}
