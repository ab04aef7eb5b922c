/** Changes to the memory of copies and to their waits: pin, pin-each-step, non-blocking, batch. */
import { median } from '../../statistics.ts';
import { type Assumptions, tellingBytes } from '../assumptions.ts';
import { isPinning } from '../classes.ts';
import { deviceOf } from '../devices.ts';
import {
  type CopyItem,
  copiesOf,
  type Item,
  isPageable,
  mapItems,
  nothingRecorded,
  type Ran,
  type Script,
  type SyncItem,
  type WorkItem,
} from '../script.ts';

/** Returns whether a copy is so small that it brings a number to the host, like item(). */
export const isScalar = ({ direction, bytes }: CopyItem): boolean => direction === 'd2h' && bytes <= 64;

export const pinned = (copy: CopyItem, { pinnedNs, pinnedCallNs }: Assumptions): CopyItem => {
  const ns = pinnedNs(copy.direction, copy.bytes);
  return {
    ...copy,
    host: 'pinned',
    callNs: pinnedCallNs,
    heldNs: pinnedCallNs,
    // A staged copy uses the same link, at most at the same rate.
    deviceNs: isPageable(copy) && copy.bytes >= tellingBytes ? Math.min(ns, copy.deviceNs) : ns,
  };
};

const mayPin = (item: Item): item is CopyItem => item.kind === 'copy' && isPageable(item) && !isScalar(item);

/** Page-locks once, before the steps: then no step pins. */
export const pin = (script: Script, assumed: Assumptions): Script =>
  mapItems(script, (items) => {
    const lastWait = items.findLastIndex(({ kind }) => kind === 'sync');
    return items.flatMap((item, place) => {
      if (item.kind === 'work') return [withoutPinning(item, assumed)];
      return mayPin(item) ? pinnedWithWait(item, place < lastWait, assumed) : [item];
    });
  });

/** Leaves the part that copies into a page-locked buffer if the data can't be made there. */
function withoutPinning(item: WorkItem, { refilledPart }: Assumptions): WorkItem {
  const ns = (1 - refilledPart) * pinningNs(item);
  return ns > 0 ? { ...item, ns: item.ns - ns, ran: item.ran.filter((one) => !isPinned(one)) } : item;
}

const isPinned = ({ name, part }: Ran): boolean => part === 'host-operators' && isPinning(name);

/** Returns the time that pinning takes in it. */
export const pinningNs = ({ ran, ns }: WorkItem): number =>
  Math.min(
    ns,
    ran.reduce((sum, one) => sum + (isPinned(one) ? one.ns : 0), 0),
  );

/** Calls Tensor.pin_memory() before each copy: the host copies each byte once more. */
export const pinEachStep = (script: Script, assumed: Assumptions): Script =>
  mapItems(script, (items) => {
    const lastWait = items.findLastIndex(({ kind }) => kind === 'sync');
    return items.flatMap((item, place) =>
      mayPin(item)
        ? [hostCopy(item, assumed.hostCopyNs(item.bytes)), ...pinnedWithWait(item, place < lastWait, assumed)]
        : [item],
    );
  });

/**
 * Pins a copy whose call returned when the data was there. With page-locked memory it returns at once, so the host
 * waits for the result afterwards, unless the rest of the step has a wait.
 */
function pinnedWithWait(copy: CopyItem, isAwaited: boolean, assumed: Assumptions): Item[] {
  const moved = pinned(copy, assumed);
  if (copy.direction === 'h2d') return [moved];
  const { id, stream, line, lateNs = 0 } = copy;
  const late = lateNs > 0 ? [{ ...hostCopyOf(id, lateNs), part: 'own-host-work' as const }] : [];
  if (isAwaited) return [...late, moved];
  return [...late, moved, { kind: 'sync', stream, callNs: assumed.pinnedCallNs, copy: id, line }];
}

const hostCopy = ({ id }: CopyItem, ns: number): Item => hostCopyOf(id, ns);

const hostCopyOf = (copy: number, ns: number): WorkItem => ({
  kind: 'work',
  ns,
  copy,
  recorded: nothingRecorded,
  isOwn: false,
  part: 'host-operators',
  ran: [],
});

/** Removes waits for copies to the device; moves waits for copies from it to the end of their step. */
export const nonBlocking = (script: Script): Script =>
  mapItems(script, (items) => {
    const copies = new Map(copiesOf(items).map((copy) => [copy.id, copy]));
    const later: SyncItem[] = [];
    const kept = items.filter((item) => {
      const copy = item.kind === 'sync' ? copies.get(item.copy) : undefined;
      if (copy === undefined || isScalar(copy)) return true;
      if (copy.direction === 'd2h' && item.kind === 'sync') later[0] = item;
      return false;
    });
    return later.length === 0 ? kept : [...kept, ...later];
  });

/** Smallest number of copies worth joining. */
const fewest = 3;

/** Joins copies in one direction on one device with no work in between, into page-locked memory without a wait. */
export const batch = (script: Script, assumed: Assumptions): Script =>
  mapItems(script, (items) => {
    const runs = runsOfCopies(items).filter(({ length }) => length >= fewest);
    return runs.length === 0 ? items : joined(items, runs, assumed);
  });

function runsOfCopies(items: readonly Item[]): CopyItem[][] {
  const runs: CopyItem[][] = [];
  let open: CopyItem[] = [];
  for (const item of items) {
    if (item.kind === 'launch' || item.kind === 'graph') open = [];
    if (item.kind !== 'copy' || isScalar(item)) continue;
    const [first] = open;
    if (first !== undefined && areAlike(first, item)) open.push(item);
    else {
      open = [item];
      runs.push(open);
    }
  }
  return runs;
}

const areAlike = (a: CopyItem, b: CopyItem): boolean =>
  a.direction === b.direction && a.host === b.host && deviceOf(a.stream) === deviceOf(b.stream);

/** Copies that become one, in the place of the last of them. */
interface Joined {
  readonly last: CopyItem;
  readonly replacement: readonly Item[];
  isPast: boolean;
}

function joinedRun(run: readonly CopyItem[], last: CopyItem, assumed: Assumptions): Joined {
  const bytes = run.reduce((sum, copy) => sum + copy.bytes, 0);
  const whole = isPageable(last) ? pageableWhole(run, last, bytes) : pinned({ ...last, bytes }, assumed);
  const gatherNs = last.direction === 'h2d' ? assumed.gatherPart * assumed.hostCopyNs(bytes) : 0;
  return { last, replacement: gatherNs > 0 ? [hostCopy(last, gatherNs), whole] : [whole], isPast: false };
}

/** Joins all runs in one pass, because a step may have thousands. */
function joined(items: readonly Item[], runs: readonly CopyItem[][], assumed: Assumptions): Item[] {
  const joins = new Map<number, Joined>();
  const extras = extrasOf(items, runs);
  for (const run of runs) {
    const last = run.at(-1);
    if (last === undefined) continue;
    const join = joinedRun(run, last, assumed);
    for (const { id } of run) joins.set(id, join);
  }
  let isBetween = false;
  return items.flatMap((item): readonly Item[] => {
    const copy = item.kind === 'copy' ? item.id : item.kind === 'work' || item.kind === 'sync' ? item.copy : -1;
    const join = joins.get(copy);
    // Removes the loop over the tensors with their copies, and the work that joins them afterwards.
    if (join === undefined) return isBetween && item.kind === 'work' && copy < 0 && !item.isOwn ? [] : [item];
    const { last } = join;
    if (item.kind === 'copy') {
      isBetween = item !== last;
      join.isPast = !isBetween;
      const extra = extras.get(copy);
      const kept = extra === undefined ? [] : [extra];
      return isBetween ? kept : [...kept, ...join.replacement];
    }
    const isJoin = item.kind === 'work' && join.isPast;
    const isWait = item.kind === 'sync' && last.direction === 'h2d' && !isPageable(last);
    return copy !== last.id || isJoin || isWait ? [] : [item];
  });
}

/** A call that takes this many times as long as others did something else too, such as allocating. That stays. */
const mostTimes = 4;

/** Returns, for each such copy, the time beyond the others' usual time. */
function extrasOf(items: readonly Item[], runs: readonly CopyItem[][]): ReadonlyMap<number, WorkItem> {
  const spent = new Map<number, number>();
  for (const item of items) {
    if (item.kind === 'work' && item.copy >= 0) spent.set(item.copy, (spent.get(item.copy) ?? 0) + item.ns);
  }
  const extras = new Map<number, WorkItem>();
  for (const run of runs) {
    const usual = median(run.map(({ id }) => spent.get(id) ?? 0));
    for (const { id } of run) {
      const ns = (spent.get(id) ?? 0) - usual;
      if (ns > (mostTimes - 1) * usual && ns > 0) extras.set(id, { ...hostCopyOf(-1, ns), part: 'issuing' });
    }
  }
  return extras;
}

/** Uses the staging rate of the largest copy, because single copies' own waits disappear. */
function pageableWhole(run: readonly CopyItem[], last: CopyItem, bytes: number): CopyItem {
  const heldNs = Math.max(
    ...run.map((copy) => copy.heldNs),
    ...run.map((copy) => (copy.deviceNs * bytes) / copy.bytes),
  );
  return { ...last, bytes, heldNs, callNs: heldNs, deviceNs: heldNs };
}
