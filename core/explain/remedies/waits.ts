/** Changes to what the host waits for, and to what it issues before it is held. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Operation, OperationOf } from '../../experiment/operations.ts';
import { groupBy } from '../../groupBy.ts';
import { valueAtPath } from '../../shape/path.ts';
import { defaultQueueDepth } from '../figures/queue.ts';
import { type Effort, withoutNewHazards } from '../hazards/repair.ts';
import { shareData, touchedBuffers } from '../verdicts/facts.ts';
import { isPlace, listOf, type Place, places } from './situation.ts';

/**
 * Removes waits that directly follow a copy, unless the data needs them or nothing comes after. Other waits become waits
 * for a copy before them, through its stream or an event, if the data needs no more. A wait for a download with host work
 * behind it becomes such a wait too if it can, since a document doesn't say what host work reads.
 */
export function withoutWaits(experiment: Experiment, effort: Effort): Change | null {
  const all = places(experiment);
  const isSafe = ({ change }: ChangeBuilder): boolean =>
    withoutNewHazards(experiment, change, effort)?.patches.length === change.patches.length;
  const removing = (some: readonly Place[]): ChangeBuilder =>
    some.reduce((edit, { path }) => edit.remove(path), new ChangeBuilder(experiment));
  // The thread's last operation ends the measurement.
  const isLast = (place: Place): boolean =>
    place.path.length <= 4 && !all.some((other) => listOf(other) === listOf(place) && isLater(other, place));
  const waits = all.filter((place) => place.operation.op.startsWith('synchronize') && !isLast(place));
  const safeNarrower = (place: Place): Narrower | undefined =>
    narrower(all, place).find(({ apply }) => isSafe(apply(new ChangeBuilder(experiment))));
  const direct = waits.filter((place) => followsCopy(all, place) && !bringsToWork(experiment, all, place));
  // One check for all is much less work.
  const removed = isSafe(removing(direct)) ? direct : direct.filter((place) => isSafe(removing([place])));
  const edit = removing(removed);
  if (removed.length > 0)
    edit.step(`Remove ${removed.length === 1 ? 'the wait' : `${removed.length} waits`} after copies.`);
  const words = new Set<string>();
  for (const place of waits) {
    if (removed.includes(place)) continue;
    const narrow = safeNarrower(place);
    if (narrow === undefined) continue;
    narrow.apply(edit);
    words.add(narrow.words);
  }
  for (const sentence of words) edit.step(sentence);
  return edit.change.patches.length === 0 ? null : edit.change;
}

const isLater = (other: Place, place: Place): boolean => Number(other.path.at(-1)) > Number(place.path.at(-1));

/** Returns whether the wait comes directly after a copy of what it waits for, or after an event record behind it. */
function followsCopy(all: readonly Place[], place: Place): boolean {
  const { operation } = place;
  let at = all.indexOf(place) - 1;
  const record = all[at]?.operation;
  const isEvent = operation.op === 'synchronizeEvent';
  if (isEvent && (record?.op !== 'recordEvent' || record.event !== operation.event)) return false;
  if (record?.op === 'recordEvent') at -= 1;
  const before = all[at];
  if (before === undefined || listOf(before) !== listOf(place) || before.operation.op !== 'copy') return false;
  const stream = isEvent ? record : operation;
  return stream?.op === 'synchronizeDevice' || (stream as { stream?: string }).stream === before.operation.stream;
}

/**
 * Returns whether a download comes before the wait, and behind it host work, or a signal to another thread, before the
 * next wait. In a loop the next round's begin is behind it too.
 */
function bringsToWork(experiment: Experiment, all: readonly Place[], place: Place): boolean {
  const list = all.filter((one) => listOf(one) === listOf(place));
  const index = list.indexOf(place);
  const isWait = ({ operation }: Place): boolean => operation.op.startsWith('synchronize');
  const isDownload = (one: Place): boolean => {
    const target = isPlace('copy')(one) ? one.operation.dst : null;
    return experiment.buffers.some(({ id, memory }) => id === target && memory !== 'device');
  };
  const around = valueAtPath(experiment, place.path.slice(0, -2)) as { readonly op?: string };
  const [earlier, later] = [list.slice(0, index), list.slice(index + 1)];
  const following = around.op === 'repeat' ? [...later, ...earlier] : later;
  const preceding = around.op === 'repeat' ? following : earlier;
  const next = following.findIndex(isWait);
  const behind = next < 0 ? following : following.slice(0, next);
  const before = preceding.slice(preceding.findLastIndex(isWait) + 1);
  return before.some(isDownload) && behind.some(({ operation: { op } }) => op === 'work' || op === 'signal');
}

interface Narrower {
  readonly words: string;
  readonly apply: (edit: ChangeBuilder) => ChangeBuilder;
}

/** Returns ways to wait for less: for a stream instead of the device, or for a copy with other work of its stream behind it. */
function narrower(all: readonly Place[], place: Place): Narrower[] {
  const { operation, path } = place;
  if (operation.op !== 'synchronizeDevice' && operation.op !== 'synchronizeStream') return [];
  const list = all.slice(0, all.indexOf(place)).filter((one) => listOf(one) === listOf(place));
  const since = list.slice(list.findLastIndex((one) => one.operation.op === 'synchronizeDevice') + 1);
  const streams = new Set(since.flatMap((one) => (isPlace('copy')(one) ? [one.operation.stream] : [])));
  return [...streams].reverse().flatMap((stream): Narrower[] => {
    if (operation.op === 'synchronizeStream' && operation.stream !== stream) return [];
    const isOwn = (one: Operation): boolean => 'stream' in one && one.stream === stream;
    const work = since.filter((one) => isOwn(one.operation) && !/Event$/.test(one.operation.op));
    const last = work.findLast(isPlace('copy'));
    if (last !== undefined && last !== work.at(-1)) {
      return [
        {
          words: `Wait for the last copy of stream "${stream}" alone, through an event.`,
          apply: (edit) => {
            const event = edit.declare('events', 'arrived', { timing: false });
            return edit
              .after(last.path, { op: 'recordEvent', event, stream })
              .replace(path, { op: 'synchronizeEvent', event });
          },
        },
      ];
    }
    const isAlone = all.every((one) => !('stream' in one.operation) || isOwn(one.operation));
    if (operation.op === 'synchronizeStream' || isAlone) return [];
    return [
      {
        words: `Wait for stream "${stream}" alone instead of the device.`,
        apply: (edit) => edit.replace(path, { op: 'synchronizeStream', stream }),
      },
    ];
  });
}

/**
 * Lets streams wait for less: a wait for an event behind work that shares no data with what waits becomes one for the
 * event behind work of that stream that does, or is removed if there is none.
 */
export function narrowerEvents(experiment: Experiment): Change | null {
  const all = places(experiment);
  const lists = groupBy(all, listOf);
  const records = all.filter(isPlace('recordEvent')).map(({ operation, path }) => {
    const list = lists.get(path.slice(0, -1).join('.')) ?? [];
    const behind = list
      .slice(
        0,
        list.findIndex((one) => one.path === path),
      )
      .findLast(isWorkOf(operation.stream));
    return { ...operation, behind: behind?.operation };
  });
  const ofEvent = groupBy(records, ({ event }) => event);
  const using = new Map<string, string>();
  for (const { event, stream, behind } of records) {
    for (const id of namedBy(behind)) using.set(`${stream} ${id}`, using.get(`${stream} ${id}`) ?? event);
  }
  const edit = new ChangeBuilder(experiment);
  const words = new Set<string>();
  for (const list of lists.values()) {
    for (const [at, place] of list.entries()) {
      if (!isPlace('waitEvent')(place)) continue;
      const { event, stream } = place.operation;
      const own = ofEvent.get(event) ?? [];
      const next = list.slice(at + 1).find(isWorkOf(stream))?.operation;
      if (own.length === 0 || own.some(({ behind }) => shareData(behind, next) !== false)) continue;
      const other = namedBy(next).flatMap((id) => using.get(`${own[0]?.stream} ${id}`) ?? []);
      const before = next === undefined ? '' : ` before "${next.label ?? next.id}"`;
      const last = own.flatMap(({ behind }) => (behind === undefined ? [] : [`"${behind.label ?? behind.id}"`]));
      const notNeeded = last[0] === undefined ? '' : `, which does not need the data of ${last[0]}`;
      const [instead] = other;
      if (instead === undefined) edit.remove(place.path);
      else edit.replace([...place.path, 'event'], instead);
      words.add(
        instead === undefined
          ? `Remove the wait for event "${event}"${before}${notNeeded}.`
          : `Wait for event "${instead}" instead of "${event}"${before}.`,
      );
    }
  }
  for (const sentence of words) edit.step(sentence);
  return edit.change.patches.length === 0 ? null : edit.change;
}

/** Returns the buffers that an operation touches. */
function namedBy(operation: Operation | undefined): string[] {
  const touched = touchedBuffers(operation);
  return touched === null ? [] : [...touched.writes, ...touched.reads];
}

const isWorkOf =
  (stream: string) =>
  ({ operation }: Place): boolean =>
    'stream' in operation && operation.stream === stream && !/Event$|Stream$/.test(operation.op);

/** Returns whether the call returns only when work of the device is over. */
const holds = (operation: Operation): boolean =>
  operation.op === 'item' ||
  operation.op === 'synchronizeStream' ||
  (operation.op === 'copy' && operation.mode !== 'async');

/**
 * Issues kernels of other streams before the host waits for a value: within one list, a kernel passes what is between
 * if that is in other streams and shares no data with it. It goes before the earliest wait that it can pass.
 */
export function launchFirst(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  let count = 0;
  for (const list of groupBy(places(experiment), listOf).values()) {
    if (!list.some(({ operation }) => holds(operation))) continue;
    const order = [...list];
    for (const [from, place] of list.entries()) {
      if (!isPlace('kernel')(place)) continue;
      let target = from;
      for (let at = from - 1; at >= 0; at -= 1) {
        const passed = (order[at] as Place).operation;
        if (!mayPass(place.operation, passed)) break;
        if (holds(passed)) target = at;
      }
      if (target === from) continue;
      edit.before((order[target] as Place).path, place.operation).remove(place.path);
      order.splice(from, 1);
      order.splice(target, 0, place);
      count += 1;
    }
  }
  if (count === 0) return null;
  const what = count === 1 ? 'the kernel' : `${count} kernels`;
  return edit.step(`Launch ${what} of other streams before the host waits for a value.`).change;
}

function mayPass(kernel: OperationOf<'kernel'>, one: Operation): boolean {
  if (one.op === 'work' || one.op === 'read') return true;
  return passable.has(one.op) && 'stream' in one && one.stream !== kernel.stream && shareData(one, kernel) !== true;
}

/** Operations of other streams that a kernel may pass. */
const passable: ReadonlySet<Operation['op']> = new Set(['item', 'kernel', 'memset', 'copy', 'synchronizeStream']);

/**
 * Lets a host thread of its own launch what fills a stream's queue, so that the calling thread goes on: up to the first
 * operation behind it that needs the launches.
 */
export function launchElsewhere(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  for (const [thread, { operations, device }] of experiment.threads.entries()) {
    const path = (at: number): DocumentPath => ['threads', thread, 'operations', at];
    const run = fullRun(operations);
    if (run === null) continue;
    const launches = operations.slice(run.begin, run.end);
    const events = new Set(launches.flatMap((one) => ('event' in one ? [one.event] : [])));
    const isNeeding = (one: Operation): boolean => {
      if ('operations' in one) return one.operations.some(isNeeding);
      if ('event' in one && events.has(one.event)) return true;
      if (one.op === 'synchronizeDevice' || one.op === 'allocate' || one.op === 'free') return true;
      return 'stream' in one && [run.stream, 'default'].includes(one.stream);
    };
    const next = operations.slice(run.end).findIndex(isNeeding);
    if (next === 0 || run.end === operations.length || run.stream === 'default') continue;
    const [go, done] = [edit.declare('signals', 'launch'), edit.declare('signals', 'launched')];
    edit.before(path(run.begin), { op: 'signal', signal: go });
    const wait = { op: 'waitSignal', signal: done };
    if (next < 0) edit.after(path(operations.length - 1), wait);
    else edit.before(path(run.end + next), wait);
    for (let at = run.end - 1; at >= run.begin; at -= 1) edit.remove(path(at));
    const own = [{ op: 'waitSignal', signal: go }, ...launches, { op: 'signal', signal: done }];
    const launcher = edit.declare('threads', 'launcher', {
      operations: own,
      ...(device === undefined ? {} : { device }),
    });
    edit.step(`Let a host thread of its own, "${launcher}", launch what fills the queue of stream "${run.stream}".`);
  }
  return edit.change.patches.length === 0 ? null : edit.change;
}

/** Returns successive launches that fill the queue of their stream; null if there are none. */
function fullRun(list: readonly Operation[]): { readonly begin: number; readonly end: number; stream: string } | null {
  let begin = 0;
  let [stream, pending]: [string | null, number] = [null, 0];
  for (const [at, operation] of [...list, null].entries()) {
    const launches = operation === null ? null : launchesIn(operation);
    if (launches !== null && launches.stream === stream) pending += launches.count;
    else {
      if (stream !== null && pending >= defaultQueueDepth) return { begin, end: at, stream };
      [begin, stream, pending] = [at, launches?.stream ?? null, launches?.count ?? 0];
    }
  }
  return null;
}

/** Returns the only stream that an operation, or a loop, launches into without a wait, and how often; null if it does more. */
function launchesIn(operation: Operation): { readonly stream: string; readonly count: number } | null {
  if (operation.op === 'repeat') {
    const inner = operation.operations.map(launchesIn);
    const stream = inner[0]?.stream;
    if (stream === undefined || inner.some((one) => one?.stream !== stream)) return null;
    return { stream, count: operation.count * inner.reduce((sum, one) => sum + (one?.count ?? 0), 0) };
  }
  return launched.has(operation.op) && 'stream' in operation ? { stream: operation.stream, count: 1 } : null;
}

const launched: ReadonlySet<Operation['op']> = new Set(['kernel', 'memset', 'recordEvent', 'graphLaunch']);
