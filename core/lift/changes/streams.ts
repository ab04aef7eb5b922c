/** Changes to where and when copies run: other-stream, both-directions, prefetch, double-buffer. */
import {
  type CopyItem,
  copiesOf,
  type Item,
  mapItems,
  type RecordItem,
  type Script,
  type WaitItem,
} from '../script.ts';
import { isScalar } from './memory.ts';

export const copyIn = 'stream:copy-in';
export const copyOut = 'stream:copy-out';
/** An event call, where the trace has none to tell. */
const eventCallNs = 1000;

const record = (event: string, stream: string): RecordItem => ({ kind: 'record', event, stream, callNs: eventCallNs });
const wait = (event: string, stream: string): WaitItem => ({ kind: 'wait', event, stream, callNs: eventCallNs });

/** Streams that launch kernels: a copy elsewhere is in a stream of its own already. */
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
 * Copies wait until the step before is done, as programs write it: stream.wait_stream(current). To copy ahead of the step
 * is the change prefetch.
 */
function inTurn(items: readonly Item[], step: number, streams: ReadonlySet<string>): readonly Item[] {
  const last = items.findLast((item) => item.kind === 'launch' && streams.has(item.stream));
  const first = items.findIndex((item) => item.kind === 'copy' && item.stream === copyIn);
  if (last?.kind !== 'launch' || first < 0) return items;
  const waits = step === 0 ? [] : [wait(`done-${step - 1}`, copyIn)];
  return [...items.slice(0, first), ...waits, ...items.slice(first), record(`done-${step}`, last.stream)];
}

/** Copies from the device get a stream of their own, so that they run beside those to it. */
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

/** Copies to the device in a stream of their own; what next needs them in their former stream waits for them. */
function inwards(items: readonly Item[], step: number, streams: ReadonlySet<string>): readonly Item[] {
  const result: Item[] = [];
  const pending = new Map<string, string>();
  let number = 0;
  for (const item of items) {
    if (item.kind === 'copy' && item.direction === 'h2d' && streams.has(item.stream) && item.stream !== copyIn) {
      const event = pending.get(item.stream) ?? `in-${step}-${number++}`;
      pending.set(item.stream, event);
      result.push({ ...item, stream: copyIn });
      continue;
    }
    const due = needsCopies(item) ? pending.get(item.stream) : undefined;
    if (due !== undefined && needsCopies(item)) {
      result.push(record(due, copyIn), wait(due, item.stream));
      pending.delete(item.stream);
    }
    result.push(
      item.kind === 'sync' && item.copy >= 0 && item.stream !== null && pending.has(item.stream)
        ? { ...item, stream: copyIn }
        : item,
    );
  }
  for (const [stream, event] of pending) result.push(record(event, copyIn), wait(event, stream));
  return number === 0 ? items : result;
}

/** A kernel reads them, an event tells that they are done, and so does a wait of the program; a copy's own call waits for it alone. */
const needsCopies = (item: Item): item is Item & { readonly stream: string } =>
  item.kind === 'launch' ||
  item.kind === 'graph' ||
  item.kind === 'record' ||
  (item.kind === 'sync' && item.copy < 0 && item.stream !== null);

/** Copies from the device wait for what was launched before them, and nothing waits for them but the host. */
function outwards(items: readonly Item[], step: number, streams: ReadonlySet<string>): readonly Item[] {
  const moved = new Set<number>();
  return items.flatMap((item, index): Item[] => {
    if (item.kind === 'copy' && item.direction === 'd2h' && !isScalar(item) && streams.has(item.stream)) {
      moved.add(item.id);
      const event = `out-${step}-${index}`;
      return [record(event, item.stream), wait(event, copyOut), { ...item, stream: copyOut }];
    }
    const before = items[index - 1];
    // An event right behind such a copy tells that it is done.
    if (item.kind === 'record' && before?.kind === 'copy' && moved.has(before.id))
      return [{ ...item, stream: copyOut }];
    if (item.kind !== 'sync' || moved.size === 0) return [item];
    if (moved.has(item.copy)) return [{ ...item, stream: copyOut }];
    // Who waits for the stream that brought a result waits for the result.
    const bringsResults = item.copy < 0 && item.stream !== null && streams.has(item.stream);
    return bringsResults ? [item, { ...item, stream: copyOut }] : [item];
  });
}

/** Copies to the device are issued a step before they are needed, in a stream of their own. */
export function prefetch(script: Script): Script {
  const streams = kernelStreams(script);
  const loads = script.steps.map(({ items }) => load(items));
  if (loads.every(({ length }) => length === 0)) return script;
  return mapItems(script, (items, step) => {
    const own = new Set<Item>(loads[step] ?? []);
    const place = items.findIndex((item) => own.has(item));
    if (place < 0) return items;
    const copies = copiesOf(loads[step] ?? []);
    const waiting = [...new Set(copies.map(({ stream }) => stream))].filter((stream) => streams.has(stream));
    const rest = items.filter((item) => !own.has(item));
    const before = items.slice(0, place).filter((item) => !own.has(item)).length;
    const users = waiting.length > 0 ? waiting : [...streams].slice(0, 1);
    const last = items.findLast((item) => item.kind === 'launch');
    return [
      ...rest.slice(0, before),
      ...(step === 0 ? [...inCopyStream(loads[0] ?? []), record('load-0', copyIn)] : []),
      ...users.map((stream) => wait(`load-${step}`, stream)),
      ...(step === 0 ? [] : [wait(`done-${step - 1}`, copyIn)]),
      ...inCopyStream(loads[step + 1] ?? following(loads[step] ?? [])),
      record(`load-${step + 1}`, copyIn),
      ...rest.slice(before),
      ...(last?.kind === 'launch' ? [record(`done-${step}`, last.stream)] : []),
    ];
  });
}

/** The copies to the device of one step, with what their calls do on the host. */
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

/** The last step copies for one more, which is like it. */
const following = (items: readonly Item[]): Item[] =>
  items.map((item) => (item.kind === 'copy' ? { ...item, step: item.step + 1 } : item));

const inCopyStream = (items: readonly Item[]): Item[] =>
  items.map((item) =>
    item.kind === 'copy' ? { ...item, stream: copyIn } : item.kind === 'sync' ? { ...item, stream: copyIn } : item,
  );

/** With a second buffer, copies to the device no longer wait until kernels are through with the first. */
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
