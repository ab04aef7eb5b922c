/** Takes from a script what happened to the host now and then, and is no part of the program. */
import { groupBy } from '../groupBy.ts';
import { lowerMedian } from '../statistics.ts';
import { type Item, mapItems, type Script, type WorkItem } from './script.ts';

/**
 * The script without interruptions: stretches that count as the program's own in fewer than half of the steps, of steps that
 * are alike, take what they take in the others.
 */
export function uninterrupted(script: Script): Script {
  const alike = groupBy(script.steps, ({ items }) => items.map(({ kind }) => kind).join());
  const usual = new Map<Item, Item>();
  for (const group of alike.values()) {
    for (const place of (group[0]?.items ?? []).keys()) noteUsual(usual, group, place);
  }
  return usual.size === 0 ? script : mapItems(script, (items) => items.map((item) => usual.get(item) ?? item));
}

function noteUsual(usual: Map<Item, Item>, group: Script['steps'], place: number): void {
  if (group[0]?.items[place]?.kind !== 'work') return;
  const work = group.map(({ items }) => items[place]).filter((item): item is WorkItem => item?.kind === 'work');
  const own = work.filter(({ isOwn }) => isOwn);
  if (own.length === 0 || 2 * own.length >= work.length) return;
  const others = work.filter(({ isOwn }) => !isOwn);
  const ns = lowerMedian(others.map((item) => item.ns));
  for (const item of own) usual.set(item, { ...item, ns: Math.min(item.ns, ns), isOwn: false, part: 'issuing' });
}
