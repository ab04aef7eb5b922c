/** The items of each key, keys and items in the order in which they come. Map.groupBy, which Node has from 21 on. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) append(groups, keyOf(item), item);
  return groups;
}

/** Puts an item behind those of its key. */
export function append<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}
