/** Changes to where and when copies run: other-stream, both-directions, prefetch, double-buffer. */
import { deviceOf } from '../devices.ts';
import {
  type CopyItem,
  copiesOf,
  type Item,
  type LaunchItem,
  mapItems,
  type RecordItem,
  type Script,
  type WaitItem,
} from '../script.ts';
import { isScalar } from './memory.ts';

/** Returns the stream that a change adds for copies of a stream. Each device has its own. */
export const copyIn = (stream: string): string => ofDevice(stream, 'copy-in');
export const copyOut = (stream: string): string => ofDevice(stream, 'copy-out');

function ofDevice(stream: string, name: string): string {
  const device = deviceOf(stream);
  return device === '' ? `stream:${name}` : `stream:${device}:${name}`;
}

/** Cost of an event call, if the trace has none. */
const eventCallNs = 1000;

const record = (event: string, stream: string): RecordItem => ({ kind: 'record', event, stream, callNs: eventCallNs });
const wait = (event: string, stream: string): WaitItem => ({ kind: 'wait', event, stream, callNs: eventCallNs });

/** Returns streams that launch kernels. Copies in other streams already have their own. */
const kernelStreams = (script: Script): ReadonlySet<string> =>
  new Set(script.steps.flatMap(({ items }) => items.flatMap((item) => (item.kind === 'launch' ? [item.stream] : []))));

export function otherStream(script: Script): Script {
  const streams = kernelStreams(script);
  return mapItems(script, (items, step) => {
    const moved = inwards(items, step, streams);
    return outwards(moved === items ? items : inTurn(moved, step, streams), step, streams);
  });
}

/**
 * Makes copies wait until the step before is done, as programs do: stream.wait_stream(current). The change prefetch
 * copies ahead of the step.
 */
function inTurn(items: readonly Item[], step: number, streams: ReadonlySet<string>): readonly Item[] {
  const added = new Set(copiesOf(items).flatMap(({ stream }) => (stream === copyIn(stream) ? [stream] : [])));
  return [...added].reduce((done, stream) => oneInTurn(done, step, streams, stream), items);
}

function oneInTurn(items: readonly Item[], step: number, streams: ReadonlySet<string>, added: string): readonly Item[] {
  const last = lastLaunch(items, added, streams);
  const first = items.findIndex((item) => item.kind === 'copy' && item.stream === added);
  if (last === undefined || first < 0) return items;
  const waits = step === 0 ? [] : [wait(`done-${step - 1}-${added}`, added)];
  return [...items.slice(0, first), ...waits, ...items.slice(first), record(`done-${step}-${added}`, last.stream)];
}

/** Returns the last launch on the device of an added copy stream. */
const lastLaunch = (items: readonly Item[], added: string, streams: ReadonlySet<string>): LaunchItem | undefined =>
  items.findLast(
    (item): item is LaunchItem => item.kind === 'launch' && streams.has(item.stream) && copyIn(item.stream) === added,
  );

/** Gives copies from the device their own stream, so that they can overlap copies to it. */
export function bothDirections(script: Script): Script {
  const to = new Set(
    script.steps.flatMap(({ items }) =>
      copiesOf(items)
        .filter(({ direction }) => direction === 'h2d')
        .map(({ stream }) => stream),
    ),
  );
  return mapItems(script, (items, step) => outwards(items, step, to));
}

/** Gives copies to the device their own stream; the next work in their former stream that needs them waits. */
function inwards(items: readonly Item[], step: number, streams: ReadonlySet<string>): readonly Item[] {
  const result: Item[] = [];
  const pending = new Map<string, string>();
  let number = 0;
  for (const item of items) {
    if (
      item.kind === 'copy' &&
      item.direction === 'h2d' &&
      streams.has(item.stream) &&
      item.stream !== copyIn(item.stream)
    ) {
      const event = pending.get(item.stream) ?? `in-${step}-${number++}`;
      pending.set(item.stream, event);
      result.push({ ...item, stream: copyIn(item.stream) });
      continue;
    }
    const due = needsCopies(item) ? pending.get(item.stream) : undefined;
    if (due !== undefined && needsCopies(item)) {
      result.push(record(due, copyIn(item.stream)), wait(due, item.stream));
      pending.delete(item.stream);
    }
    result.push(
      item.kind === 'sync' && item.copy >= 0 && item.stream !== null && pending.has(item.stream)
        ? { ...item, stream: copyIn(item.stream) }
        : item,
    );
  }
  for (const [stream, event] of pending) result.push(record(event, copyIn(stream)), wait(event, stream));
  return number === 0 ? items : result;
}

/** Kernels, recorded events and waits of the program need them. A copy's own call waits for it alone. */
const needsCopies = (item: Item): item is Item & { readonly stream: string } =>
  item.kind === 'launch' ||
  item.kind === 'graph' ||
  item.kind === 'record' ||
  (item.kind === 'sync' && item.copy < 0 && item.stream !== null);

/** Makes copies from the device wait for earlier launches. Only the host waits for these copies. */
function outwards(items: readonly Item[], step: number, streams: ReadonlySet<string>): readonly Item[] {
  /** New stream of each copy. */
  const moved = new Map<number, string>();
  const added = new Set<string>();
  return items.flatMap((item, index): Item[] => {
    if (item.kind === 'copy' && item.direction === 'd2h' && !isScalar(item) && streams.has(item.stream)) {
      const own = copyOut(item.stream);
      moved.set(item.id, own);
      added.add(own);
      const event = `out-${step}-${index}`;
      return [record(event, item.stream), wait(event, own), { ...item, stream: own }];
    }
    const before = items[index - 1];
    // An event right after such a copy marks it as done.
    const behind = item.kind === 'record' && before?.kind === 'copy' ? moved.get(before.id) : undefined;
    if (item.kind === 'record' && behind !== undefined) return [{ ...item, stream: behind }];
    if (item.kind !== 'sync' || moved.size === 0) return [item];
    const own = moved.get(item.copy);
    if (own !== undefined) return [{ ...item, stream: own }];
    // A wait for the stream that brought a result becomes a wait for the result.
    if (item.copy >= 0 || item.stream === null || !streams.has(item.stream)) return [item];
    const results = copyOut(item.stream);
    return added.has(results) ? [item, { ...item, stream: results }] : [item];
  });
}

/** Issues copies to the device one step early, in a stream of their own. */
export function prefetch(script: Script): Script {
  const streams = kernelStreams(script);
  const loads = script.steps.map(({ items }) => load(items));
  if (loads.every(({ length }) => length === 0)) return script;
  return mapItems(script, (items, step) => {
    const own = new Set<Item>(loads[step] ?? []);
    const place = items.findIndex((item) => own.has(item));
    if (place < 0) return items;
    const from = [...new Set(copiesOf(loads[step] ?? []).map(({ stream }) => stream))];
    const added = [...new Set(from.map(copyIn))];
    const rest = items.filter((item) => !own.has(item));
    const before = items.slice(0, place).filter((item) => !own.has(item)).length;
    const isFirst = step === 0;
    return [
      ...rest.slice(0, before),
      ...(isFirst ? [...inCopyStream(loads[0] ?? []), ...added.map((to) => record(`load-0-${to}`, to))] : []),
      ...added.flatMap((to) => usersOf(to, from, streams).map((stream) => wait(`load-${step}-${to}`, stream))),
      ...(isFirst ? [] : added.map((to) => wait(`done-${step - 1}-${to}`, to))),
      ...inCopyStream(loads[step + 1] ?? following(loads[step] ?? [])),
      ...added.map((to) => record(`load-${step + 1}-${to}`, to)),
      ...rest.slice(before),
      ...added.flatMap((to) => {
        const last = lastLaunch(items, to, streams);
        return last === undefined ? [] : [record(`done-${step}-${to}`, last.stream)];
      }),
    ];
  });
}

/** Returns streams that wait for an added stream's copies: those that copied, or else the first that launches. */
function usersOf(added: string, from: readonly string[], kernels: ReadonlySet<string>): readonly string[] {
  const copied = from.filter((stream) => kernels.has(stream) && copyIn(stream) === added);
  return copied.length > 0 ? copied : [...kernels].filter((stream) => copyIn(stream) === added).slice(0, 1);
}

/** Returns the copies of one step to the device, with the host work of their calls. */
function load(items: readonly Item[]): Item[] {
  const ids = new Set(
    copiesOf(items)
      .filter(({ direction }) => direction === 'h2d')
      .map(({ id }) => id),
  );
  return items.filter((item) =>
    item.kind === 'copy' ? ids.has(item.id) : (item.kind === 'work' || item.kind === 'sync') && ids.has(item.copy),
  );
}

/** The last step copies for another step, which is alike. */
const following = (items: readonly Item[]): Item[] =>
  items.map((item) => (item.kind === 'copy' ? { ...item, step: item.step + 1 } : item));

function inCopyStream(items: readonly Item[]): Item[] {
  const added = new Map(copiesOf(items).map(({ id, stream }) => [id, copyIn(stream)]));
  return items.map((item) => {
    if (item.kind === 'copy') return { ...item, stream: copyIn(item.stream) };
    return item.kind === 'sync' ? { ...item, stream: added.get(item.copy) ?? item.stream } : item;
  });
}

/** Adds a second buffer, so that copies to the device no longer wait for kernels that use the first. */
export function doubleBuffer(script: Script): Script {
  const kernels = kernelStreams(script);
  const copying = new Set(
    script.steps
      .flatMap(({ items }) => copiesOf(items))
      .filter(({ direction, stream }: CopyItem) => direction === 'h2d' && !kernels.has(stream))
      .map(({ stream }) => stream),
  );
  return mapItems(script, (items) => items.filter((item) => item.kind !== 'wait' || !copying.has(item.stream)));
}
