/**
 * An open document on its way to a worker: whole at first, as text, which takes the window a third of the time that a copy
 * takes; then what an edit changed, by ids. The worker's document shares what edits leave as it is, like the window's.
 */
import { changedPart } from '../../core/experiment/edit/changedPart.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';

interface Item {
  readonly id: string;
  readonly operations?: readonly Item[];
}

/** An item that stays as it was is its id; one that holds operations comes with those that changed. */
type SentItem = string | (Omit<Item, 'operations'> & { readonly operations?: readonly Item[] | SentList });

/** What stands now from `start` to `end` of the list before; the rest of it stays. */
interface SentList {
  readonly start: number;
  readonly end: number;
  readonly items: readonly SentItem[];
}

export type SentDocument =
  | { readonly text: string }
  /** From the document that was sent before: whole fields, and lists. */
  | { readonly fields: object; readonly lists: Readonly<Partial<Record<ListName, SentList>>> };

const listNames = ['devices', 'buffers', 'streams', 'events', 'signals', 'threads'] as const;
type ListName = (typeof listNames)[number];
const noLists = Object.fromEntries(listNames.map((name) => [name, undefined]));

/** `before` is what the worker has; null where it has nothing. */
export function sentDocument(before: Experiment | null, document: Experiment): SentDocument {
  if (before === null || !isNext(before, document)) return { text: JSON.stringify(document) };
  const changed = listNames.filter((name) => before[name] !== document[name]);
  const lists = Object.fromEntries(changed.map((name) => [name, sentList(before[name], document[name])]));
  return { fields: { ...document, ...noLists }, lists };
}

/** Whether a document surely is another moment of the one before, and not another one: they share operations. */
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

/** The worker's side. */
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
