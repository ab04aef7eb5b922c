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
  /** How many signs stand in a bar, by where its visible part begins. */
  readonly #inside = new Map<string, number>();
  /** Where signs stand in a line, by the bar's upper edge and how many stand above. */
  readonly #taken = new Map<string, number[]>();

  constructor(hazards: readonly Box[], missed: readonly Box[]) {
    const rest = [...this.#putInside('hazard', hazards), ...this.#putInside('missed', missed)];
    for (const [says, box] of rest) this.#putOver(says, box);
  }

  /** How far a bar's words stand from its left edge. */
  indent(x: number, y: number): number {
    const count = this.#inside.get(keyOf(x, y)) ?? 0;
    return count === 0 ? 5 : count * (signSize + gap) + 4;
  }

  /** Gives those without room. */
  #putInside(says: Sign['says'], boxes: readonly Box[]): Said[] {
    return boxes.flatMap((box): Said[] => {
      if (box.height < signSize) return [];
      const left = Math.max(box.x, 0);
      const before = this.#inside.get(keyOf(left, box.y)) ?? 0;
      const x = left + gap + before * (signSize + gap);
      if (x + signSize + gap >= box.x + box.width) return [[says, box]];
      this.#inside.set(keyOf(left, box.y), before + 1);
      this.#line(box, 0).push(x);
      this.all.push({ says, x, y: box.y + Math.floor((box.height - signSize) / 2) });
      return [];
    });
  }

  /** One below the other where a bar has both. */
  #putOver(says: Sign['says'], box: Box): void {
    const x = box.x + box.width / 2 - signSize / 2;
    for (const above of [0, 1]) {
      const [y, line] = [above * (signSize + 1), this.#line(box, above)];
      if (y + signSize > box.height || line.some((other) => Math.abs(other - x) < signSize + gap)) continue;
      line.push(x);
      this.all.push({ says, x, y: box.y + y });
      return;
    }
  }

  #line({ y }: Box, above: number): number[] {
    const known = this.#taken.get(keyOf(above, y)) ?? [];
    this.#taken.set(keyOf(above, y), known);
    return known;
  }
}

const keyOf = (x: number, y: number): string => `${x} ${y}`;
