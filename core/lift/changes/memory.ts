/** Changes to the memory that copies use, and to how they wait: pin, pin-each-step, non-blocking, batch. */
import { median } from '../../statistics.ts';
import { type Assumptions, tellingBytes } from '../assumptions.ts';
import { deviceOf } from '../devices.ts';
import {
  type CopyItem,
  copiesOf,
  type Item,
  isPageable,
  mapItems,
  nothingRecorded,
  type Script,
  type SyncItem,
  type WorkItem,
} from '../script.ts';

/** A copy of so few bytes brings a number to the host: item() and the like. */
export const isScalar = ({ direction, bytes }: CopyItem): boolean => direction === 'd2h' && bytes <= 64;

export const pinned = (copy: CopyItem, { pinnedNs, pinnedCallNs }: Assumptions): CopyItem => {
  const ns = pinnedNs(copy.direction, copy.bytes);
  return {
    ...copy,
    host: 'pinned',
    callNs: pinnedCallNs,
    heldNs: pinnedCallNs,
    // What is staged in pieces takes the same link, and no less of it.
    deviceNs: isPageable(copy) && copy.bytes >= tellingBytes ? Math.min(ns, copy.deviceNs) : ns,
  };
};

const mayPin = (item: Item): item is CopyItem => item.kind === 'copy' && isPageable(item) && !isScalar(item);

/** Page-locked once, before the steps. */
export const pin = (script: Script, assumed: Assumptions): Script =>
  mapItems(script, (items) => {
    const lastWait = items.findLastIndex(({ kind }) => kind === 'sync');
    return items.flatMap((item, place) => (mayPin(item) ? pinnedWithWait(item, place < lastWait, assumed) : [item]));
  });

/** Tensor.pin_memory() before each copy: the host copies each byte once more. */
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
 * The call of a copy to pageable memory returns when the data is there. Page-locked it returns at once: the host waits for
 * its result behind it, unless the rest of the step has a wait.
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

/** Copies to the device no longer wait; those from it do at the end of their step, before the host reads. */
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

/** Fewer than so many copies are not worth joining. */
const fewest = 3;

/** Copies of one direction and device with no work between them become one; out of page-locked memory without a wait. */
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

/** All runs in one pass: a step may have thousands of them. */
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
    // The loop over the tensors goes with their copies, and so does what puts them together afterwards.
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

/** A copy whose call takes so many times what others of its run take did something else too, as allocate: that stays. */
const mostTimes = 4;

/** Of each such copy what it spends beyond the others' usual time. */
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

/** Staged at the rate of the largest of them: what each waits for by itself falls away. */
function pageableWhole(run: readonly CopyItem[], last: CopyItem, bytes: number): CopyItem {
  const heldNs = Math.max(
    ...run.map((copy) => copy.heldNs),
    ...run.map((copy) => (copy.deviceNs * bytes) / copy.bytes),
  );
  return { ...last, bytes, heldNs, callNs: heldNs, deviceNs: heldNs };
}
