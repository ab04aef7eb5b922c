/**
 * Sends an open document to a worker: first whole as text, which takes a third of the time of a structured copy, then
 * only the changes by id. The worker's document shares unchanged parts with its predecessor, like the window's.
 */
import { changedPart } from '../../core/experiment/edit/changedPart.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';

interface Item {
  readonly id: string;
  readonly operations?: readonly Item[];
}

/** An unchanged item is its id. An item with operations carries those that changed. */
type SentItem = string | (Omit<Item, 'operations'> & { readonly operations?: readonly Item[] | SentList });

/** `items` replaces `start` to `end` of the previous list. The rest stays. */
interface SentList {
  readonly start: number;
  readonly end: number;
  readonly items: readonly SentItem[];
}

export type SentDocument =
  | { readonly text: string }
  /** Changes since the document sent before: whole fields, and lists. */
  | { readonly fields: object; readonly lists: Readonly<Partial<Record<ListName, SentList>>> };

const listNames = ['devices', 'buffers', 'streams', 'events', 'signals', 'threads'] as const;
type ListName = (typeof listNames)[number];
const noLists = Object.fromEntries(listNames.map((name) => [name, undefined]));

/** `before` is the worker's document; null if it has none. */
export function sentDocument(before: Experiment | null, document: Experiment): SentDocument {
  if (before === null || !isNext(before, document)) return { text: JSON.stringify(document) };
  const changed = listNames.filter((name) => before[name] !== document[name]);
  const lists = Object.fromEntries(changed.map((name) => [name, sentList(before[name], document[name])]));
  return { fields: { ...document, ...noLists }, lists };
}

/** Returns true if `document` surely is an edit of `before`: they share operations. */
function isNext(before: Experiment, document: Experiment): boolean {
  const isShared = (at: 0 | -1): boolean =>
    document.threads.some(({ operations }, thread) => {
      const operation = operations.at(at);
      return operation !== undefined && operation === before.threads[thread]?.operations.at(at);
    });
  return isShared(0) || isShared(-1);
}

function sentList(before: readonly Item[], after: readonly Item[]): SentList {
  const { start, endBefore, endAfter } = changedPart(before, after);
  const known = byId(before.slice(start, endBefore));
  const items = after.slice(start, endAfter).map((item): SentItem => {
    const old = known.get(item.id);
    if (old === item) return item.id;
    const isGroup = old?.operations !== undefined && item.operations !== undefined;
    return isGroup ? { ...item, operations: sentList(old.operations, item.operations) } : item;
  });
  return { start, end: endBefore, items };
}

const byId = (items: readonly Item[]): ReadonlyMap<string, Item> => new Map(items.map((item) => [item.id, item]));

/** Returns the worker's new document. */
export function receivedDocument(before: Experiment | null, sent: SentDocument): Experiment {
  if ('text' in sent) return JSON.parse(sent.text) as Experiment;
  if (before === null) throw new RangeError('a change came before the document');
  const lists = Object.entries(sent.lists).map(([name, list]) => [name, received(before[name as ListName], list)]);
  const kept = Object.fromEntries(listNames.map((name) => [name, before[name]]));
  return { ...sent.fields, ...kept, ...Object.fromEntries(lists) } as Experiment;
}

function received(before: readonly Item[], { start, end, items }: SentList): Item[] {
  const known = byId(before.slice(start, end));
  const made = items.map((item) => {
    if (typeof item === 'string') return known.get(item) as Item;
    const { operations } = item;
    if (operations === undefined || !('items' in operations)) return item as Item;
    return { ...item, operations: received(known.get(item.id)?.operations ?? [], operations) };
  });
  return [...before.slice(0, start), ...made, ...before.slice(end)];
}
