/** The user's arrangement of lanes: their order, and which are pinned, hidden or thin. Pure functions of ids. */
import { z } from 'zod';

const idsSchema = z.array(z.string().max(400)).max(10_000);

export const arrangementSchema = z.object({
  /** Lanes that were moved, and those they were moved among. Others follow their natural neighbour. */
  order: idsSchema,
  /** Lanes at the top, which don't scroll. */
  pinned: idsSchema,
  hidden: idsSchema,
  /** Lanes drawn as a strip. */
  thin: idsSchema,
  /** Groups whose lanes are strips in one row. */
  folded: idsSchema,
  /** Only lanes with this text are shown; empty for all. Arrangements of earlier versions have none. */
  filter: z.string().max(200).default(''),
});

export type Arrangement = z.infer<typeof arrangementSchema>;
export type ArrangedAs = Exclude<keyof Arrangement, 'order' | 'filter'>;

export const naturalArrangement: Arrangement = {
  order: [],
  pinned: [],
  hidden: [],
  thin: [],
  folded: [],
  filter: '',
};

export const isNatural = (arrangement: Arrangement): boolean =>
  Object.values(arrangement).every((one) => one.length === 0);

/** Returns the arrangement with `ids` pinned, hidden, thin or folded, or no longer so. */
export function withIds(arrangement: Arrangement, as: ArrangedAs, ids: readonly string[], on: boolean): Arrangement {
  const rest = arrangement[as].filter((id) => !ids.includes(id));
  return { ...arrangement, [as]: on ? [...rest, ...ids] : rest };
}

/** Returns the `natural` ids in the arrangement's order. */
export function inOrder(natural: readonly string[], { order }: Arrangement): string[] {
  const known = new Set(natural);
  const arranged = order.filter((id) => known.has(id));
  const moved = new Set(arranged);
  natural.forEach((id, index) => {
    if (moved.has(id)) return;
    // Placed after its natural neighbour.
    const before = natural.slice(0, index).reverse();
    const at = before.map((one) => arranged.indexOf(one)).find((place) => place >= 0) ?? -1;
    arranged.splice(at + 1, 0, id);
    moved.add(id);
  });
  return arranged;
}

/** Returns the arrangement with `ids` moved before a lane, or to the end for null. `all` is in present order. */
export function moveIds(
  arrangement: Arrangement,
  all: readonly string[],
  ids: readonly string[],
  before: string | null,
): Arrangement {
  if (before !== null && ids.includes(before)) return arrangement;
  const order = all.filter((id) => !ids.includes(id));
  const at = before === null ? order.length : order.indexOf(before);
  order.splice(at < 0 ? order.length : at, 0, ...ids);
  return { ...arrangement, order };
}
