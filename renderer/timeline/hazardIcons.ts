/** Where the warning signs of hazards stand: in bars with room for one, else over the bar where no other is near. */
import type { Box } from './boxes.ts';

export const iconSize = 12;

export interface HazardIcon {
  readonly x: number;
  readonly y: number;
  readonly inside: boolean;
}

export function iconsOf(boxes: readonly Box[]): HazardIcon[] {
  const high = boxes.filter(({ height }) => height >= iconSize);
  const hasRoom = ({ width, x }: Box): boolean => x + width - Math.max(x, 0) > iconSize + 4;
  const icons: HazardIcon[] = high.filter(hasRoom).map(({ x, y }) => ({ x: Math.max(x, 0) + 2, y, inside: true }));
  const taken = new Map<number, number[]>();
  for (const { x, y } of icons) placesAt(taken, y).push(x);
  for (const box of high) {
    if (hasRoom(box)) continue;
    const [x, others] = [box.x + box.width / 2 - iconSize / 2, placesAt(taken, box.y)];
    if (others.some((other) => Math.abs(other - x) < iconSize + 2)) continue;
    icons.push({ x, y: box.y, inside: false });
    others.push(x);
  }
  return icons;
}

function placesAt(taken: Map<number, number[]>, y: number): number[] {
  const known = taken.get(y) ?? [];
  taken.set(y, known);
  return known;
}
