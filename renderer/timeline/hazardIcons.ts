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
  for (const box of high) {
    const x = box.x + box.width / 2 - iconSize / 2;
    const isNear = icons.some((icon) => icon.y === box.y && Math.abs(icon.x - x) < iconSize + 2);
    if (!hasRoom(box) && !isNear) icons.push({ x, y: box.y, inside: false });
  }
  return icons;
}
