/** Changes to host work: remove-wait, delay-wait, other-thread, graph. */
import { rememberedBy } from '../../rememberedBy.ts';
import type { Assumptions } from '../assumptions.ts';
import {
  copiesOf,
  type HostPart,
  type Item,
  type LaunchItem,
  mapItems,
  type Script,
  type ScriptStep,
  type SyncItem,
  type WorkItem,
} from '../script.ts';
import { isScalar } from './memory.ts';
import { UnreadResults } from './unreadResults.ts';

const scalarIds = (items: readonly Item[]): ReadonlySet<number> =>
  new Set(
    copiesOf(items)
      .filter(isScalar)
      .map(({ id }) => id),
  );

const isMadeByProgram = ({ copy, isInside, frees }: SyncItem, scalars: ReadonlySet<number>): boolean =>
  copy < 0 ? isInside !== true && frees !== true : scalars.has(copy);

/**
 * Removes waits for values that the program no longer reads, and what only finds them. Waits for results that the host
 * reads stay.
 */
export const removeWait = (script: Script): Script => {
  const results = new UnreadResults();
  return mapItems(script, (items) => {
    const scalars = scalarIds(items);
    return items.filter((item) => {
      const bringsResult = results.bringsResult(item);
      if (item.kind === 'sync') return bringsResult || !isMadeByProgram(item, scalars);
      if (item.kind === 'copy') return !scalars.has(item.id);
      return (item.kind !== 'work' && item.kind !== 'launch') || !scalars.has(item.copy ?? -1);
    });
  });
};

/** Reads a value one step later, when the device has finished it. */
export const delayWait = (script: Script): Script =>
  mapItems(script, (items, step) => {
    const scalars = scalarIds(items);
    let number = 0;
    let last = 'stream:0';
    return items.flatMap((item): Item[] => {
      if (item.kind === 'launch' || item.kind === 'copy') last = item.stream;
      if (item.kind === 'copy' && scalars.has(item.id))
        return [{ ...item, host: 'pinned', callNs: Math.min(item.callNs, 5000) }];
      if (item.kind !== 'sync' || !isMadeByProgram(item, scalars)) return [item];
      const stream = item.stream ?? last;
      const record: Item = { kind: 'record', event: `late-${step}-${number}`, stream, callNs: 1000 };
      const earlier: Item[] = step === 0 ? [] : [{ ...item, stream, event: `late-${step - 1}-${number}` }];
      number += 1;
      return [record, ...earlier];
    });
  });

/** Smallest share of a step's host time that is worth moving. */
const leastPart = 0.02;

/** Returns whether it is the program's own work outside of operators, such as Python's, which holds the interpreter's lock. */
export const holdsLock = (item: Item): item is WorkItem =>
  item.kind === 'work' && item.isOwn && item.part === 'own-host-work' && item.copy < 0;

/** Moves the program's own work between calls, such as loading, to a thread that is a few steps ahead. */
export function otherThread(script: Script, { lockedPart }: Assumptions): Script {
  // With a single step there is no earlier one.
  if (script.helper !== null || script.steps.length < 2) return script;
  const helper: ScriptStep[] = [];
  const steps = script.steps.map((step) => {
    const total = step.items.reduce((sum, item) => sum + (item.kind === 'work' ? item.ns : 0), 0);
    const own = step.items.filter(
      (item) =>
        item.kind === 'work' &&
        item.isOwn &&
        item.part !== 'loading-data' &&
        item.copy < 0 &&
        item.ns >= leastPart * total,
    );
    helper.push({ name: step.name, items: [...own, { kind: 'signal', signal: 'ready' }] });
    const place = step.items.findIndex((item) => own.includes(item));
    const items = step.items.flatMap((item, index): Item[] => {
      const isMoved = own.includes(item);
      const left = isMoved && lockedPart > 0 && holdsLock(item) ? [{ ...item, ns: lockedPart * item.ns }] : [];
      if (index === place) return [{ kind: 'await', signal: 'ready' }, ...left];
      return isMoved ? left : [item];
    });
    return { ...step, items };
  });
  return helper.every(({ items }) => items.length > 1) ? { ...script, steps, helper } : script;
}

/** Shorter loading stays in the step. */
const leastLoadingNs = 100_000;

const isLoading = (item: Item): item is WorkItem =>
  item.kind === 'work' && item.part === 'loading-data' && item.copy < 0;

/** Returns work for loader processes: loading, or else the program's own work before the step's first copy. */
function loadingOf(items: readonly Item[]): readonly WorkItem[] {
  const loading = items.filter(isLoading);
  if (loading.length > 0) return loading.filter(({ isOwn }) => isOwn);
  const first = items.findIndex((item) => item.kind === 'copy' && item.direction === 'h2d');
  const own = items.slice(0, Math.max(0, first)).filter((item) => item.kind === 'work');
  return own.filter(({ isOwn, part, copy }) => isOwn && part === 'own-host-work' && copy < 0);
}

/** Returns the host time in loading of the step with the most, in nanoseconds. */
export const loadingNs = ({ steps }: Script): number =>
  Math.max(0, ...steps.map(({ items }) => sumOfWork(loadingOf(items))));

const sumOfWork = (items: readonly Item[]): number =>
  items.reduce((sum, item) => sum + (item.kind === 'work' ? item.ns : 0), 0);

/** Loads ahead in other processes: a step waits only if they are slower in total, and takes finished batches. */
export function loadInWorkers(script: Script, { workers, handoverNs }: Assumptions): Script {
  if (script.helper !== null || loadingNs(script) < leastLoadingNs) return script;
  const helper: ScriptStep[] = [];
  const steps = script.steps.map((step) => {
    const loading = new Set<Item>(loadingOf(step.items));
    const first = step.items.find((item): item is WorkItem => loading.has(item));
    if (first === undefined) {
      helper.push({ name: step.name, items: [] });
      return step;
    }
    const made = { ...first, ns: sumOfWork([...loading]) / workers };
    helper.push({ name: step.name, items: [made, { kind: 'signal', signal: 'ready' }] });
    const items = step.items.flatMap((item): Item[] => {
      if (!loading.has(item)) return [item];
      return item === first
        ? [
            { kind: 'await', signal: 'ready' },
            { ...item, ns: Math.min(handoverNs, item.ns) },
          ]
        : [];
    });
    return { ...step, items };
  });
  return { ...script, steps, helper };
}

/** Allocates memory once and reuses it: no step allocates, frees or page-locks. */
export const keepMemory = (script: Script, { warmPart }: Assumptions): Script =>
  mapItems(script, (items) => {
    const rest = items.filter((item) => !isOfMemory(item));
    if (warmPart === 1 || rest.length === items.length) return rest;
    return rest.map((item) => {
      if (item.kind === 'launch') return { ...item, callNs: item.callNs * warmPart };
      return item.kind === 'work' && item.part === 'issuing' ? { ...item, ns: item.ns * warmPart } : item;
    });
  });

const isOfMemory = (item: Item): boolean =>
  item.kind === 'work' ? item.part === 'allocation' : item.kind === 'sync' && item.frees === true;

/** Smallest number of launches in a row for a graph. */
const fewestLaunches = 8;

/** Consecutive launches without anything in between that a graph can't contain. */
interface Run {
  readonly items: readonly Item[];
  readonly launches: readonly LaunchItem[];
}

/**
 * Replaces consecutive launches by one launch of a graph; existing graphs stay. A graph is captured once, so it can
 * only contain launches that all steps share, which a single step doesn't show.
 */
export function graph(script: Script): Script {
  const steps = script.steps.map(({ items }) => runsOf(items));
  const signatures = steps.map(
    (pieces) => new Set(pieces.flatMap((piece) => ('items' in piece ? [signature(piece.launches)] : []))),
  );
  if (signatures.length < 2) return script;
  // The first of several steps may contain work that others do ahead of time.
  const compared = signatures.length === 2 ? signatures : signatures.slice(1);
  const isStable = (run: Run): boolean => compared.every((known) => known.has(signature(run.launches)));
  return mapItems(script, (_, step) => {
    let number = 0;
    return (steps[step] ?? []).flatMap((piece): readonly Item[] => {
      if (!('items' in piece)) return [piece];
      const { items, launches } = piece;
      const [first] = launches;
      if (first === undefined || !isStable(piece)) return items;
      return [{ kind: 'graph', graph: `g${number++}x${launches.length}`, stream: first.stream, launches }];
    });
  });
}

/** Host work that a graph doesn't make unnecessary. */
const isOutside: ReadonlySet<HostPart> = new Set(['allocation', 'own-host-work']);

/**
 * Returns into how many parts a step's launches fall at most: waits, copies, new memory and the host's own work between
 * them can't be in a graph.
 */
export const launchParts = ({ steps }: Script): number =>
  Math.max(0, ...steps.map(({ items }) => runsOf(items, 1).filter((piece) => 'items' in piece).length));

/** Returns the runs that are long enough, and the items between them. */
function runsOf(items: readonly Item[], fewest = fewestLaunches): (Item | Run)[] {
  const result: (Item | Run)[] = [];
  let run: Item[] = [];
  let stream: string | null = null;
  const close = (): void => {
    const launches = run.filter((item): item is LaunchItem => item.kind === 'launch');
    if (launches.length >= fewest) result.push({ items: run, launches });
    else result.push(...run);
    run = [];
    stream = null;
  };
  for (const item of items) {
    const isLaunch = item.kind === 'launch' && item.nodes === 1;
    const isBetween =
      item.kind === 'work' && stream !== null && item.copy < 0 && !item.isOwn && !isOutside.has(item.part);
    if (!isBetween && !(isLaunch && (stream === null || stream === item.stream))) close();
    if (isLaunch) stream = item.stream;
    if (isLaunch || isBetween) run.push(item);
    else result.push(item);
  }
  close();
  return result;
}

/** Returns a hash of a run's launches, since a step has thousands. */
const signature = rememberedBy((launches: readonly LaunchItem[]): string => {
  let [sum, count] = [0, 0];
  for (const { name, stream, isMoved } of launches) {
    if (isMoved === true) continue;
    count += 1;
    for (const text of [name, stream]) {
      for (let at = 0; at < text.length; at += 1) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
    }
  }
  return `${count} ${sum}`;
});
