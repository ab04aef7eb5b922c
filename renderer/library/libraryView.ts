/** The state of the library panel: search, filter and selection. */
import { create } from 'zustand';
import type { LibraryItems } from '../../core/service/service.ts';
import type { ItemKind, LibraryItem } from '../store/libraryActions.ts';
import { type LibraryFilter, noFilter } from './filter.ts';

interface LibraryView {
  readonly filter: LibraryFilter;
  /** True if a click selects instead of opening. */
  readonly selecting: boolean;
  readonly selected: ReadonlySet<string>;
  /** Start of a range that Shift+click selects. */
  readonly anchor: string | null;
  readonly renaming: LibraryItem | null;
}

export const useLibrary = create<LibraryView>()(() => ({
  filter: noFilter,
  selecting: false,
  selected: new Set<string>(),
  anchor: null,
  renaming: null,
}));

export const setFilter = (fields: Partial<LibraryFilter>): void =>
  useLibrary.setState(({ filter }) => ({ filter: { ...filter, ...fields } }));

export const itemKey = ({ kind, id }: LibraryItem): string => `${kind}:${id}`;

export const startSelecting = (): void => useLibrary.setState({ selecting: true });
export const stopSelecting = (): void => useLibrary.setState({ selecting: false, selected: new Set(), anchor: null });

export function toggleSelected(item: LibraryItem): void {
  const key = itemKey(item);
  useLibrary.setState(({ selected }) => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    return { selecting: true, selected: next, anchor: key };
  });
}

/** Selects from the last clicked item to this one; `order` is the listed order. */
export function selectTo(item: LibraryItem, order: readonly string[]): void {
  const key = itemKey(item);
  useLibrary.setState(({ selected, anchor }) => {
    const [from, to] = [order.indexOf(anchor ?? key), order.indexOf(key)];
    const range = from < 0 ? [key] : order.slice(Math.min(from, to), Math.max(from, to) + 1);
    return { selecting: true, selected: new Set([...selected, ...range]), anchor: anchor ?? key };
  });
}

export const selectAll = (order: readonly string[]): void => useLibrary.setState({ selected: new Set(order) });

/** Returns the selected items that are listed; items hidden by a filter are left out. */
export function selectedItems(selected: ReadonlySet<string>, order: readonly string[]): LibraryItems {
  const ids = (kind: ItemKind): string[] =>
    order.flatMap((key) => (selected.has(key) && key.startsWith(`${kind}:`) ? key.slice(kind.length + 1) : []));
  return { experiments: ids('experiment'), runs: ids('run'), sweeps: ids('sweep') };
}
