/** Changes that move data or work to the device: keep-on-device, move-to-device, send-smaller. */
import { withoutAddresses } from '../../explain/figures/kernelName.ts';
import { type Assumptions, tellingBytes } from '../assumptions.ts';
import { isPinning } from '../classes.ts';
import { leastOwnNs } from '../hostActivity.ts';
import {
  type CopyItem,
  copiesOf,
  type Item,
  type LaunchItem,
  mapItems,
  nothingRecorded,
  type Ran,
  type Script,
  type WorkItem,
} from '../script.ts';
import { isScalar } from './memory.ts';

/** Operators that read rows of a larger tensor: on the device, only the indices have to be copied. */
const gathering = /^aten::(index|index_select|gather|take|take_along_dim|masked_select|embedding|_?embedding_bag)$/;
/** Operators that create data, such as masks. */
const creating =
  /^aten::(rand|randn|randint|randperm|normal|uniform|bernoulli|exponential|zeros|ones|full|arange|fill|tri[ul]|eye|linspace)/;
/** Arithmetic and conversions of each element, such as normalising an image. */
const converting =
  /^aten::(copy_|to|_to_copy|float|half|bfloat16|div|true_divide|mul|sub|rsub|add|clamp|clip|neg|pow|sqrt|contiguous|clone|permute)_?$/;
/** Operators that join samples, which the host has to do in any case. */
const joining = /^aten::(stack|cat|concat|concatenate|_cat)$/;

/**
 * Returns copies that bring data to the device that was there before: weights that a layer fetches at every forward, or
 * activations that go to the host and come back. A trace doesn't contain the data, so this follows from their use:
 * every step has the same copies, between kernels and not only before them, and the host has no time to write the data.
 * If there are none, returns all copies to the device that are alike in every step: only a person knows whether their
 * data changes. Recorded addresses exclude copies that read another place in each step.
 */
export function keptCopies(script: Script): ReadonlySet<CopyItem> {
  const kept = toldCopies(script);
  if (kept.size > 0) return kept;
  const moving = movingCopies(script);
  return alikeInSteps(script, (items) => broughtOf(items).filter((copy) => !moving.has(copy)), 1);
}

/** Returns whether the trace itself shows copies of data that was on the device before. */
export const tellsKept = (script: Script): boolean => toldCopies(script).size > 0;

function toldCopies(script: Script): ReadonlySet<CopyItem> {
  const moving = movingCopies(script);
  return alikeInSteps(script, (items) => keptOf(items, moving), 2);
}

/** Returns whether the trace shows host operators that convert the copied data. */
export const tellsSmaller = ({ steps }: Script): boolean =>
  steps.some(({ items }) => hasMovable(items, 'send-smaller'));

/** Returns the copies that `choose` picks in each step, if all steps have the same ones and at least `fewest`. */
function alikeInSteps(
  { steps }: Script,
  choose: (items: readonly Item[]) => readonly CopyItem[],
  fewest: number,
): ReadonlySet<CopyItem> {
  const chosen = steps.map(({ items }) => choose(items));
  const keys = chosen.map((copies) => copies.map(keyOf).join());
  if ((chosen[0]?.length ?? 0) < fewest || keys.some((key) => key !== keys[0])) return new Set();
  return new Set(chosen.flat());
}

const broughtOf = (items: readonly Item[]): CopyItem[] =>
  copiesOf(items).filter(({ direction, bytes }) => direction === 'h2d' && bytes >= leastKeptBytes);

const keyOf = ({ line, bytes, host, direction }: CopyItem): string => `${line} ${bytes} ${host} ${direction}`;

const placeOf = (copy: CopyItem, address = copy.hostAddress): string => `${keyOf(copy)} ${address}`;

/**
 * Returns copies that read another place than in other steps, and not a place that the same step copied to: they bring
 * other data. Excludes copies with unknown addresses.
 */
function movingCopies({ steps }: Script): ReadonlySet<CopyItem> {
  const all = steps.map(({ items }) => copiesOf(items));
  if (!all.some((copies) => copies.some(({ hostAddress }) => hostAddress > 0))) return new Set();
  const counts = new Map<string, number>();
  const countOf = (place: string): number => counts.get(place) ?? 0;
  for (const copies of all) {
    for (const place of new Set(copies.map((copy) => placeOf(copy)))) counts.set(place, countOf(place) + 1);
  }
  const isCommon = (copy: CopyItem): boolean => countOf(placeOf(copy)) + countOf(placeOf(copy, 0)) >= steps.length;
  return new Set(
    all.flatMap((copies) => {
      const written = new Set(copies.flatMap((copy) => (copy.direction === 'd2h' ? [copy.hostAddress] : [])));
      return copies.filter((copy) => copy.hostAddress > 0 && !written.has(copy.hostAddress) && !isCommon(copy));
    }),
  );
}

/** Smaller copies are arguments of a step, not its weights. */
const leastKeptBytes = 4096;

/** No host thread writes more bytes per second. */
const writtenPerSecond = 25e9;

/** Returns a step's copies to the device, between kernels, of old data, and the copies that took it to the host. */
function keptOf(items: readonly Item[], moving: ReadonlySet<CopyItem>): CopyItem[] {
  const all = copiesOf(items);
  const taken = new Set(all.flatMap(({ direction, bytes }) => (direction === 'd2h' ? [bytes] : [])));
  const stepNs = items.reduce((sum, item) => sum + makingNs(item), 0);
  const kept = new Set<CopyItem>();
  let [launches, launchesAtLast, groups, madeNs] = [0, -1, 0, 0];
  for (const item of items) {
    if (isLaunch(item)) launches += 1;
    madeNs += makingNs(item);
    if (item.kind !== 'copy' || item.direction !== 'h2d') continue;
    // Data that came to the host in the same step may have been changed there since.
    const ownNs = taken.has(item.bytes) ? stepNs : madeNs;
    madeNs = 0;
    const writingNs = Math.max(leastOwnNs, (item.bytes / writtenPerSecond) * 1e9);
    if (item.bytes < leastKeptBytes || ownNs >= writingNs || moving.has(item)) continue;
    if (launches > launchesAtLast) groups += 1;
    launchesAtLast = launches;
    kept.add(item);
  }
  if (groups < 2) return [];
  const brought = new Set([...kept].map(({ bytes }) => bytes));
  return all.filter((copy) => kept.has(copy) || (copy.direction === 'd2h' && brought.has(copy.bytes)));
}

/** Returns the host time of an item in which data may have been written. */
function makingNs(item: Item): number {
  if (item.kind !== 'work' || item.copy >= 0) return 0;
  const { part, isOwn, ns } = item;
  return isOwn || part === 'loading-data' || part === 'host-operators' || part === 'own-host-work' ? ns : 0;
}

const isLaunch = (item: Item): item is LaunchItem => item.kind === 'launch';

/** Copies once, before the steps, and removes calls and waits of these copies. */
export function keepOnDevice(script: Script): Script {
  const kept = keptCopies(script);
  if (kept.size === 0) return script;
  return mapItems(script, (items) => {
    const ids = new Set(copiesOf(items).flatMap((copy) => (kept.has(copy) ? [copy.id] : [])));
    return items.filter((item) => !(item.kind === 'copy' ? kept.has(item) : ids.has(ownerOf(item))));
  });
}

/** Returns the copy that an item belongs to; -1 if there is none. */
const ownerOf = (item: Item): number => (item.kind === 'work' || item.kind === 'sync' ? item.copy : -1);

/** Host work between launches that can move to the device, and copies that become unnecessary or smaller. */
export interface Movable {
  readonly work: readonly WorkItem[];
  /** Whether all of the work moves, instead of its operators. */
  readonly isAll: boolean;
  /** Removed copies: their data stays on the device. */
  readonly gone: readonly CopyItem[];
  /** Copy that moves less. */
  readonly smaller: CopyItem | null;
  readonly kind: 'move-to-device' | 'send-smaller';
}

/** Finds, between launches, host operators that work on data of copies. */
export function movablesOf(items: readonly Item[]): Movable[] {
  const stretches = stretchesOf(items);
  const found = stretches.flatMap((stretch) => movableOf(stretch) ?? []);
  const trips = stretches.flatMap(roundTrips);
  // A single one may be a result, and the next step's input.
  return trips.length < 2
    ? found
    : [...found.filter(({ gone }) => !trips.some((trip) => trip.gone[0] === gone[0])), ...trips];
}

/** Returns each download with an upload of no more bytes soon after it: the host computes the one from the other. */
function roundTrips(items: readonly Item[]): Movable[] {
  const first = items.findIndex((item) => item.kind === 'copy' && item.direction === 'd2h' && !isScalar(item));
  const down = items[first];
  const up = items.findIndex((item, at) => at > first && isUpload(item));
  const back = items[up];
  if (down?.kind !== 'copy' || back?.kind !== 'copy') return [];
  const others = roundTrips(items.slice(up + 1));
  const work = items.slice(first, up).filter((item): item is WorkItem => item.kind === 'work' && item.copy < 0);
  const isShort = work.length > 0 && work.reduce((sum, { ns }) => sum + ns, 0) < leastOwnNs;
  if (!isShort || back.bytes > down.bytes) return others;
  return [{ work, isAll: true, gone: [down, back], smaller: null, kind: 'move-to-device' }, ...others];
}

function stretchesOf(items: readonly Item[]): Item[][] {
  const stretches: Item[][] = [[]];
  for (const item of items) {
    if (item.kind === 'launch' || item.kind === 'graph') stretches.push([]);
    else stretches.at(-1)?.push(item);
  }
  return stretches;
}

/**
 * Returns the program's own work between launches that comes after a download and before an upload, in its step or at
 * the begin of the next. It may compute the one from the other, and a trace doesn't tell: then no other thread can do it
 * ahead, but the device may.
 */
export function workOnResults(items: readonly Item[]): readonly WorkItem[] {
  const [last = [], ...others] = stretchesOf(items).reverse();
  return [
    ...others.flatMap((stretch) => onResults(stretch)),
    ...onResults(last, items.some(isUpload) ? last.length : 0),
  ];
}

/** Returns whether the program's own work follows a download, with no launch between. */
export const readsResults = (items: readonly Item[]): boolean =>
  stretchesOf(items).some((stretch) => onResults(stretch, stretch.length).length > 0);

function onResults(items: readonly Item[], until = items.findLastIndex(isUpload)): WorkItem[] {
  const first = items.findIndex((item) => item.kind === 'copy' && item.direction === 'd2h' && !isScalar(item));
  return first < 0 ? [] : items.slice(first, Math.max(first, until)).filter(isOwnWork);
}

const isUpload = (item: Item): boolean => item.kind === 'copy' && item.direction === 'h2d';

const isOwnWork = (item: Item): item is WorkItem =>
  item.kind === 'work' && item.isOwn && item.part === 'own-host-work' && item.copy < 0;

function movableOf(items: readonly Item[]): Movable | null {
  const operators = items.filter((item): item is WorkItem => item.kind === 'work' && operatorsNs(item) > 0);
  const isAll = operators.reduce((sum, item) => sum + operatorsNs(item), 0) < leastOwnNs;
  const work = isAll ? onResults(items) : operators;
  if (isAll && spentNs(work) < leastOwnNs) return reductionOf(items);
  const [first, last] = [items.indexOf(work[0] as Item), items.indexOf(work.at(-1) as Item)];
  const before = copiesOf(items.slice(0, first)).filter((copy) => copy.direction === 'd2h' && !isScalar(copy));
  const between = copiesOf(items.slice(first, last)).filter((copy) => copy.direction === 'd2h' && !isScalar(copy));
  const after = copiesOf(items.slice(first)).filter(({ direction }) => direction === 'h2d');
  const brought = [...before, ...between];
  const movable = { work, isAll, gone: [], smaller: null };
  if (brought.length > 0) {
    // Copies back the operators' result, unless it is larger than their inputs.
    const given = brought.reduce((sum, { bytes }) => sum + bytes, 0);
    const back = after.filter(({ bytes }) => bytes <= given);
    return { ...movable, gone: [...brought, ...back], kind: 'move-to-device' };
  }
  const target = after.reduce<CopyItem | null>((best, copy) => (copy.bytes > (best?.bytes ?? 0) ? copy : best), null);
  if (target === null) return null;
  const [main] = operatorsOf([movable]);
  if (main === undefined) return null;
  if (gathering.test(main.name)) return { ...movable, smaller: target, kind: 'move-to-device' };
  if (creating.test(main.name)) return { ...movable, gone: [target], kind: 'move-to-device' };
  if (work.some(({ ran }) => ran.some(({ name }) => isPinning(name))) || joining.test(main.name)) return null;
  if (converting.test(main.name)) return { ...movable, smaller: target, kind: 'send-smaller' };
  // Copies the inputs instead of the outputs, assuming equal size.
  return { ...movable, kind: 'move-to-device' };
}

const spentNs = (work: readonly { readonly ns: number }[]): number => work.reduce((sum, { ns }) => sum + ns, 0);

/** A thread of an H200's host added up 8 bytes a nanosecond. Work that takes less than a third of that has not read the data. */
const mostReadPerNs = 24;

/**
 * Returns the host's work on much data that came back, such as numpy's. The device can do it before, and the copy brings
 * the result alone. Even if the program's own work can't leave the thread, arithmetic on so much data can.
 */
function reductionOf(items: readonly Item[]): Movable | null {
  const brought = copiesOf(items).filter((copy) => copy.direction === 'd2h' && !isScalar(copy));
  const [first, last] = [brought[0], brought.at(-1)];
  const bytes = brought.reduce((sum, one) => sum + one.bytes, 0);
  if (first === undefined || last === undefined || bytes < tellingBytes) return null;
  const work = items
    .slice(items.indexOf(first))
    .filter((item): item is WorkItem => item.kind === 'work' && item.part === 'own-host-work' && item.copy < 0);
  return spentNs(work) < Math.max(leastOwnNs, bytes / mostReadPerNs)
    ? null
    : { work, isAll: true, gone: brought.slice(0, -1), smaller: last, kind: 'move-to-device' };
}

const hasMovable = (items: readonly Item[], kind: Movable['kind']): boolean =>
  movablesOf(items).some((one) => one.kind === kind);

const isOperator = ({ part }: Ran): boolean => part === 'host-operators';

/** Returns an item's time in host operators; all of its time if they are most of it. */
function operatorsNs({ ran, ns, part }: WorkItem): number {
  const own = ran.reduce((sum, one) => sum + (isOperator(one) ? one.ns : 0), 0);
  return part === 'host-operators' && own >= ns / 3 ? ns : Math.min(ns, own);
}

/** Returns what moves by total time, longest first; nothing for long work whose operators are the smaller part. */
export function operatorsOf(movables: readonly Pick<Movable, 'work' | 'isAll'>[]): readonly Pick<Ran, 'name' | 'ns'>[] {
  const times = new Map<string, number>();
  for (const { work, isAll } of movables) {
    const ran = work.flatMap((item) => (isAll ? item.ran : item.ran.filter(isOperator)));
    const ownNs = isAll ? spentNs(work) : 0;
    if (ownNs >= leastOwnNs && spentNs(ran) < ownNs / 2) continue;
    for (const { name, ns } of ran) times.set(withoutAddresses(name), (times.get(withoutAddresses(name)) ?? 0) + ns);
  }
  return [...times].map(([name, ns]) => ({ name, ns })).sort((a, b) => b.ns - a.ns);
}

export const moveToDevice = (script: Script, assumed: Assumptions): Script => moved(script, assumed, 'move-to-device');

/** Makes copies smaller. If no host operator shows which ones, a person decides, and all to the device count. */
export function sendSmaller(script: Script, assumed: Assumptions): Script {
  if (tellsSmaller(script)) return moved(script, assumed, 'send-smaller');
  return mapItems(script, (items) => {
    const brought = new Set<Item>(broughtOf(items));
    return items.map((item) => (brought.has(item) ? shrunk(item as CopyItem, 'send-smaller', assumed) : item));
  });
}

function moved(script: Script, assumed: Assumptions, kind: Movable['kind']): Script {
  return mapItems(script, (items) => {
    const movables = movablesOf(items).filter((one) => one.kind === kind);
    if (movables.length === 0) return items;
    const stream = items.find(isLaunch)?.stream ?? copiesOf(items)[0]?.stream ?? 'stream:0';
    const gone = new Set(movables.flatMap((one) => one.gone.map(({ id }) => id)));
    const smaller = new Set(movables.map((one) => one.smaller).filter((copy) => copy !== null));
    const launches = new Map(movables.map((one) => [one.work.at(-1) as Item, launchesOf(one, stream, assumed)]));
    const work = new Set<Item>(movables.flatMap((one) => one.work));
    const whole = new Set<Item>(movables.flatMap((one) => (one.isAll ? one.work : [])));
    return items.flatMap((item): readonly Item[] => {
      if (item.kind === 'copy' && gone.has(item.id)) return [];
      if (item.kind === 'copy' && smaller.has(item)) return [shrunk(item, kind, assumed)];
      if (gone.has(ownerOf(item)) && !work.has(item)) return [];
      if (item.kind !== 'work' || !work.has(item)) return [item];
      const rest = whole.has(item) ? 0 : item.ns - operatorsNs(item);
      return [
        ...(rest > 0 ? [{ ...item, ns: rest, copy: gone.has(item.copy) ? -1 : item.copy, ran: [] }] : []),
        ...(launches.get(item) ?? []),
      ];
    });
  });
}

/** Makes kernels from operators: each takes a launch and, on the device, a share of its host time. */
function launchesOf(movable: Movable, stream: string, { movedPart, operatorNs }: Assumptions): Item[] {
  const operators = operatorsOf([movable]);
  const launched = operators.length > 0 ? operators : [{ name: 'operator', ns: spentNs(movable.work) }];
  return launched.flatMap(({ name, ns }): Item[] => [
    { kind: 'work', ns: operatorNs, copy: -1, recorded: nothingRecorded, isOwn: false, part: 'issuing', ran: [] },
    {
      kind: 'launch',
      name,
      stream,
      callNs: operatorNs / 2,
      deviceNs: Math.max(leastKernelNs, movedPart * ns),
      shares: false,
      nodes: 1,
      isMoved: true,
    },
  ]);
}

/** Time of a kernel with hardly any work. */
const leastKernelNs = 2000;

/** Scales a copy's time beyond that of an empty copy with its bytes. */
function shrunk(copy: CopyItem, kind: Movable['kind'], assumed: Assumptions): CopyItem {
  const part = kind === 'send-smaller' ? assumed.smallerPart : assumed.indexPart;
  return {
    ...copy,
    bytes: Math.max(1, Math.round(copy.bytes * part)),
    callNs: copy.callNs * part,
    heldNs: copy.heldNs * part,
    deviceNs: copy.deviceNs * part,
  };
}
