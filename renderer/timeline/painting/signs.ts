/**
 * Places signs of hazards and missed overlaps: before the text in bars with room, else over the bar if no other sign is
 * near.
 */
import type { Box } from './boxes.ts';

export const signSize = 12;
const gap = 2;

export interface Sign {
  readonly says: 'hazard' | 'missed';
  readonly x: number;
  readonly y: number;
}

interface Place {
  readonly x: number;
  /** Distance from the upper edge of the bar. */
  readonly down: number;
}

type Said = readonly [says: Sign['says'], box: Box];

const barOf = ({ x, y }: Box): string => `${x} ${y}`;

/** Returns the bars that have both signs. */
function withBoth(hazards: readonly Box[], missed: readonly Box[]): ReadonlySet<string> {
  if (hazards.length === 0 || missed.length === 0) return new Set();
  const bars = new Set(hazards.map(barOf));
  return new Set(missed.map(barOf).filter((bar) => bars.has(bar)));
}

export class Signs {
  readonly all: Sign[] = [];
  /** Number of signs in a bar, by its upper edge and the left edge of its visible part. */
  readonly #inside = new Map<number, Map<number, number>>();
  /** Places of signs, by the upper edge of their bars. */
  readonly #taken = new Map<number, Place[]>();

  constructor(hazards: readonly Box[], missed: readonly Box[]) {
    const both = withBoth(hazards, missed);
    const narrow: Said[] = [];
    for (const box of hazards) if (!this.#putInside('hazard', box, both)) narrow.push(['hazard', box]);
    for (const box of missed) if (!this.#putInside('missed', box, both)) narrow.push(['missed', box]);
    for (const [says, box] of narrow) this.#putOver(says, box);
  }

  /** Returns the distance of a bar's text from its left edge. */
  indent(x: number, y: number): number {
    const count = this.#inside.get(y)?.get(x) ?? 0;
    return count === 0 ? 5 : count * (signSize + gap) + 4;
  }

  /** Returns false if there is no room, and true if none is needed. */
  #putInside(says: Sign['says'], box: Box, both: ReadonlySet<string>): boolean {
    if (box.height < signSize) return true;
    const left = Math.max(box.x, 0);
    const before = this.#inside.get(box.y)?.get(left) ?? 0;
    const x = left + gap + before * (signSize + gap);
    // Two signs without room side by side are stacked if they fit, since one in the middle would hide the other.
    const isFirstOfTwo = both.size > 0 && before === 0 && box.height >= 2 * signSize + 1 && both.has(barOf(box));
    const end = x + (isFirstOfTwo ? 2 : 1) * (signSize + gap);
    if (end >= box.x + box.width) return false;
    const own = this.#inside.get(box.y) ?? new Map<number, number>();
    this.#inside.set(box.y, own.set(left, before + 1));
    const down = Math.floor((box.height - signSize) / 2);
    this.#takenIn(box).push({ x, down });
    this.all.push({ says, x, y: box.y + down });
    return true;
  }

  /** Stacks the signs if a bar has both. */
  #putOver(says: Sign['says'], box: Box): void {
    const x = box.x + box.width / 2 - signSize / 2;
    const taken = this.#takenIn(box);
    const isNear = (down: number, other: Place): boolean =>
      Math.abs(other.x - x) < signSize + gap && Math.abs(other.down - down) < signSize;
    for (const down of [0, signSize + 1]) {
      if (down + signSize > box.height || taken.some((other) => isNear(down, other))) continue;
      taken.push({ x, down });
      this.all.push({ says, x, y: box.y + down });
      return;
    }
  }

  #takenIn({ y }: Box): Place[] {
    const known = this.#taken.get(y);
    if (known !== undefined) return known;
    const made: Place[] = [];
    this.#taken.set(y, made);
    return made;
  }
}
