/**
 * Where signs stand, of hazards and of missed overlaps: before the words of bars with room for them, else over the bar
 * where no other is near.
 */
import type { Box } from './boxes.ts';

export const signSize = 12;
const gap = 2;

export interface Sign {
  readonly says: 'hazard' | 'missed';
  readonly x: number;
  readonly y: number;
}

type Said = readonly [says: Sign['says'], box: Box];

export class Signs {
  readonly all: Sign[] = [];
  /** How many signs stand in a bar, by its upper edge and where its visible part begins. */
  readonly #inside = new Map<number, Map<number, number>>();
  /** Where signs stand in a line, by how many stand above and the bar's upper edge. */
  readonly #taken = [new Map<number, number[]>(), new Map<number, number[]>()] as const;

  constructor(hazards: readonly Box[], missed: readonly Box[]) {
    const narrow: Said[] = [];
    for (const box of hazards) if (!this.#putInside('hazard', box)) narrow.push(['hazard', box]);
    for (const box of missed) if (!this.#putInside('missed', box)) narrow.push(['missed', box]);
    for (const [says, box] of narrow) this.#putOver(says, box);
  }

  /** How far a bar's words stand from its left edge. */
  indent(x: number, y: number): number {
    const count = this.#inside.get(y)?.get(x) ?? 0;
    return count === 0 ? 5 : count * (signSize + gap) + 4;
  }

  /** False where there is no room, and true where none is needed. */
  #putInside(says: Sign['says'], box: Box): boolean {
    if (box.height < signSize) return true;
    const left = Math.max(box.x, 0);
    const before = this.#inside.get(box.y)?.get(left) ?? 0;
    const x = left + gap + before * (signSize + gap);
    if (x + signSize + gap >= box.x + box.width) return false;
    const own = this.#inside.get(box.y) ?? new Map<number, number>();
    this.#inside.set(box.y, own.set(left, before + 1));
    this.#line(box, 0).push(x);
    this.all.push({ says, x, y: box.y + Math.floor((box.height - signSize) / 2) });
    return true;
  }

  /** One below the other where a bar has both. */
  #putOver(says: Sign['says'], box: Box): void {
    const x = box.x + box.width / 2 - signSize / 2;
    for (const above of [0, 1] as const) {
      const [y, line] = [above * (signSize + 1), this.#line(box, above)];
      if (y + signSize > box.height || line.some((other) => Math.abs(other - x) < signSize + gap)) continue;
      line.push(x);
      this.all.push({ says, x, y: box.y + y });
      return;
    }
  }

  #line({ y }: Box, above: 0 | 1): number[] {
    const lines = this.#taken[above];
    const known = lines.get(y);
    if (known !== undefined) return known;
    const made: number[] = [];
    lines.set(y, made);
    return made;
  }
}
