/** Returns the first index in [from, to) at which `isBelow` is false. `isBelow` must not become true again after it. */
export function lowerBound(from: number, to: number, isBelow: (index: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the number of values of a sorted list that lie in [from, to). */
export const countWithin = (sorted: ArrayLike<number>, from: number, to: number): number =>
  lowerBound(0, sorted.length, (i) => (sorted[i] ?? 0) < to) -
  lowerBound(0, sorted.length, (i) => (sorted[i] ?? 0) < from);
