/** Where two moments of a list differ. */
export interface ChangedPart {
  /** Both lists are the same before this position. */
  readonly start: number;
  /** Behind the last position that differs, in the list before and in the one after. */
  readonly endBefore: number;
  readonly endAfter: number;
}

/** Edits share what they leave as it is, so that items are the same where they are the very same objects. */
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
