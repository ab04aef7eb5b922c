/** Changes to streams: which stream work goes to, and what waits. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import { bufferFinder, describeOperation } from '../../experiment/describe.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { copyBytes } from '../../experiment/operations/copy.ts';
import type { Operation, OperationName, OperationOf } from '../../experiment/operations.ts';
import { streamTitle } from '../../experiment/resources.ts';
import { groupBy } from '../../groupBy.ts';
import { valueAtPath } from '../../shape/path.ts';
import { touchedBuffers } from '../verdicts/facts.ts';
import {
  type Found,
  find,
  isPlace,
  listOf,
  namesOf,
  type Place,
  places,
  type Situation,
  usersById,
} from './situation.ts';

/** Moves the copy, and the events recorded right after it, to a new non-blocking stream. Null if it has one already. */
export function ownStream(situation: Situation): Change | null {
  const { experiment, verdict } = situation;
  const copy = find(situation, verdict.op, 'copy');
  if (copy === null || copy.operation.mode === 'blocking-memcpy' || isAlone(situation, copy)) return null;
  if (stayingCopies(experiment).has(copy.operation.id)) return null;
  const edit = new ChangeBuilder(experiment);
  const stream = edit.declare('streams', 'copies', { flags: 'non-blocking', ...deviceOf(situation, copy) });
  edit.step(`Move "${copy.info.label}" to a non-blocking stream of its own, "${stream}".`);
  return move(edit, experiment, copy, stream);
}

/**
 * Returns the ids of copies that stay in their stream, although no data shows why: a host function works on what they
 * bring, or they empty device memory for the work up to the copy that brings the same data back.
 */
export function stayingCopies(experiment: Experiment): ReadonlySet<string> {
  const device = new Set(experiment.buffers.flatMap(({ id, memory }) => (memory === 'device' ? [id] : [])));
  const staying = new Set<string>();
  const bufferOf = bufferFinder(experiment);
  for (const list of groupBy(places(experiment), listOf).values()) {
    for (const [at, place] of list.entries()) {
      if (!isPlace('copy')(place)) continue;
      const { id, src, dst } = place.operation;
      const isBehind = (is: (one: Operation) => boolean) => list.find((one, index) => index > at && is(one.operation));
      if (isBehind(({ op }) => !op.endsWith('Event'))?.operation.op === 'hostFunction') staying.add(id);
      const user = device.has(src) ? isBehind((one) => uses(one, src) || uses(one, dst)) : undefined;
      if (user === undefined || !isPlace('copy')(user)) continue;
      const isWithin = (one: OperationOf<'copy'>, from: OperationOf<'copy'>) =>
        one.srcOffset < from.dstOffset + copyBytes(from, bufferOf) &&
        from.dstOffset < one.srcOffset + copyBytes(one, bufferOf);
      const isBack = user.operation.src === dst && user.operation.dst === src;
      if (isBack && isWithin(user.operation, place.operation)) staying.add(id).add(user.operation.id);
    }
  }
  return staying;
}

function uses(one: Operation, buffer: string): boolean {
  const touched = touchedBuffers(one);
  return touched !== null && (touched.reads.includes(buffer) || touched.writes.includes(buffer));
}

/** Returns whether the stream is non-blocking and nothing else runs or waits in it. */
function isAlone({ experiment, program }: Situation, { info, operation: { stream } }: Found<'copy'>): boolean {
  const tells = new Set<OperationName>(['recordEvent', 'synchronizeStream', 'queryStream']);
  return (
    experiment.streams.some(({ id, flags }) => id === stream && flags === 'non-blocking') &&
    program.operations.every(({ op, path }) => {
      const other = valueAtPath(experiment, path) as Operation;
      return op === info.op || tells.has(other.op) || !('stream' in other) || other.stream !== stream;
    })
  );
}

/** Limit of streams that are tried. */
const mostStreams = 3;

/**
 * Moves the copy to a stream that already copies in the same direction, and so has a queue of that engine. Prefers the
 * one that copied last before it. Rule (core/rules): copy-queues.
 */
export function intoOthersStream(situation: Situation): Change[] {
  const { experiment, program, verdict } = situation;
  const copy = find(situation, verdict.op, 'copy');
  if (copy === null || copy.operation.mode === 'blocking-memcpy') return [];
  const taken = [copy, find(situation, verdict.blockedBy, 'copy')].map((one) => one?.operation.stream);
  const others = program.operations
    .slice(0, verdict.op)
    .reverse()
    .map(({ op }) => find(situation, op, 'copy'))
    .filter((other) => other !== null && isAlike(situation, copy, other))
    .map((other) => other?.operation.stream ?? '');
  const streams = [...new Set(others)].filter((stream) => !taken.includes(stream));
  return streams.slice(0, mostStreams).map((stream) => {
    const edit = new ChangeBuilder(experiment);
    edit.step(`Move "${copy.info.label}" to stream "${stream}", whose queue of the copy engine it then uses.`);
    return move(edit, experiment, copy, stream);
  });
}

/** Moves the copy to a stream, with the waits right before it and the events recorded right after it. */
export function move(edit: ChangeBuilder, experiment: Experiment, copy: Found<'copy'>, stream: string): Change {
  edit.replace([...copy.info.path, 'stream'], stream);
  for (const path of eventsAround(experiment, { operation: copy.operation, path: copy.info.path }))
    edit.replace([...path, 'stream'], stream);
  return edit.change;
}

/** Returns whether the other copy has the same direction and device, in a declared stream. */
function isAlike(situation: Situation, copy: Found<'copy'>, other: Found<'copy'>): boolean {
  const { buffers, streams } = situation.experiment;
  const isDevice = (id: string): boolean => buffers.find((buffer) => buffer.id === id)?.memory === 'device';
  return (
    streams.some(({ id }) => id === other.operation.stream) &&
    deviceOf(situation, copy).device === deviceOf(situation, other).device &&
    isDevice(copy.operation.src) === isDevice(other.operation.src) &&
    isDevice(copy.operation.dst) === isDevice(other.operation.dst)
  );
}

/** Returns the device of its stream, as a declaration names it; empty if it is the first device. */
export function deviceOf(
  { experiment }: Pick<Situation, 'experiment'>,
  { info, operation }: Found<'copy'> | Found<'kernel'>,
): { readonly device?: string } {
  const declared = experiment.streams.find(({ id }) => id === operation.stream);
  const device = declared === undefined ? experiment.threads[info.thread]?.device : declared.device;
  return device === undefined ? {} : { device };
}

/** Returns the waits before the copy and the records behind it that no other work of its stream separates from it. */
export function eventsAround(experiment: Experiment, { operation, path }: Place<OperationOf<'copy'>>): DocumentPath[] {
  const list = valueAtPath(experiment, path.slice(0, -1)) as readonly Operation[];
  const at = Number(path.at(-1));
  const next = (step: 1 | -1, name: OperationName): DocumentPath[] => {
    const paths: DocumentPath[] = [];
    for (let index = at + step; index >= 0 && index < list.length; index += step) {
      const one = list[index];
      if (one === undefined || !('stream' in one) || one.stream !== operation.stream) continue;
      if (one.op !== name) break;
      paths.push(path.with(-1, index));
    }
    return paths;
  };
  return [...next(-1, 'waitEvent'), ...next(1, 'recordEvent')];
}

/** Moves work from the legacy default stream to the streams that use its data, if it holds several with kernels up. */
export function outOfLegacyStream(experiment: Experiment): Change | null {
  const all = places(experiment);
  const blocking = experiment.streams.filter(({ flags }) => flags === 'blocking').map(({ id }) => id);
  const working = blocking.filter((id) => all.some(({ operation: one }) => one.op === 'kernel' && one.stream === id));
  const edit = new ChangeBuilder(experiment);
  for (const { operation, path } of working.length < 2 ? [] : all) {
    if (!('stream' in operation) || operation.stream !== 'default') continue;
    const { reads = [], writes = [] } = touchedBuffers(operation) ?? {};
    const users = [...reads, ...writes].flatMap((id) => usersById(experiment).get(id) ?? []);
    const streams = users.flatMap((one) => ('stream' in one && one.stream !== 'default' ? [one.stream] : []));
    const [stream] = streams;
    if (stream === undefined || !working.includes(stream) || streams.some((one) => one !== stream)) continue;
    edit.step(`Issue "${describeOperation(operation, experiment)}" in stream "${stream}", which uses its data.`);
    edit.replace([...path, 'stream'], stream);
  }
  return edit.change.patches.length === 0 ? null : edit.change;
}

/** A stream into which several host threads launch kernels, so that each waits for the others' work too. */
export interface SharedStream {
  readonly stream: string;
  readonly threads: readonly string[];
}

export function sharedStreams(experiment: Experiment): SharedStream[] {
  const { defaultStream } = experiment.environment;
  const kernels = groupBy(places(experiment).filter(isPlace('kernel')), ({ operation }) => operation.stream);
  return [...kernels].flatMap(([stream, own]): SharedStream[] => {
    const threads = [...new Set(own.map(({ path }) => Number(path[1])))];
    const isOne = stream !== 'per-thread' && (stream !== 'default' || defaultStream === 'legacy');
    return isOne && threads.length > 1
      ? [{ stream, threads: threads.map((at) => experiment.threads[at]?.id ?? '') }]
      : [];
  });
}

/** Gives each host thread that shares a stream one of its own. The first one keeps a declared stream. */
export function streamOfEachThread(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  for (const { stream, threads } of sharedStreams(experiment)) {
    const declared = experiment.streams.find(({ id }) => id === stream);
    const { id: _, ...fields } = declared ?? { id: '', flags: 'non-blocking' };
    const moving = experiment.threads.flatMap(({ id, device }) => {
      const isMoving = threads.includes(id) && (declared === undefined || id !== threads[0]);
      const own = declared === undefined && device !== undefined ? { ...fields, device } : fields;
      return isMoving ? [[id, edit.declare('streams', `${id}-work`, own)] as const] : [];
    });
    const streamOf = new Map(moving);
    for (const { operation, path } of places(experiment)) {
      const own = streamOf.get(experiment.threads[Number(path[1])]?.id ?? '');
      const isThere = 'stream' in operation && operation.stream === stream;
      const isFixed = operation.op === 'copy' && operation.mode === 'blocking-memcpy';
      if (isThere && !isFixed && own !== undefined) edit.replace([...path, 'stream'], own);
    }
    edit.step(`Give threads ${namesOf(threads)} a stream each instead of ${sharedName(stream, experiment)}.`);
  }
  return edit.change.patches.length === 0 ? null : edit.change;
}

/** Returns words for a stream, such as 'stream "a"' or 'the legacy default stream'. */
export function sharedName(stream: string, { environment }: Experiment): string {
  const title = streamTitle(stream, environment);
  return title === stream ? `stream "${stream}"` : `the ${title} stream`;
}

/** Moves work out of the legacy default stream, or makes declared blocking streams non-blocking: those that only copy, or all. */
export function nonBlocking(experiment: Experiment): Change[] {
  const all = places(experiment).map(({ operation }) => operation);
  const working = new Set(all.flatMap((one) => (one.op === 'kernel' || one.op === 'memset' ? [one.stream] : [])));
  if (!all.some((one) => 'stream' in one && one.stream === 'default')) return [];
  const apart = [working, new Set<string>()].flatMap((kept) => {
    const edit = new ChangeBuilder(experiment);
    for (const [index, { id, flags }] of experiment.streams.entries()) {
      if (kept.has(id) || flags !== 'blocking') continue;
      edit.step(`Make stream "${id}" non-blocking.`).replace(['streams', index, 'flags'], 'non-blocking');
    }
    return edit.change.patches.length === 0 ? [] : [edit.change];
  });
  const within = outOfLegacyStream(experiment);
  return within === null ? apart : [within, ...apart];
}

/**
 * Makes the stream that the host waits for most often more urgent than others with kernels on its device. A default stream
 * has no priority of its own, so its work gets a stream that has. `only` limits this to a stream that becomes more urgent.
 */
export function urgentFirst(experiment: Experiment, only: string | null = null): Change | null {
  const edit = new ChangeBuilder(experiment);
  const firstDevice = experiment.devices[0]?.id;
  const declared = new Map(experiment.streams.map((stream, index) => [stream.id, { ...stream, index }]));
  const waits = waitsByStream(experiment);
  for (const own of groupBy([...waits], ([id]) => declared.get(id)?.device ?? firstDevice).values()) {
    const most = Math.max(...own.map(([, count]) => count));
    const [urgent, others] = [own.filter(([, count]) => count === most), own.filter(([, count]) => count < most)];
    if (only !== null && !urgent.some(([id]) => id === only)) continue;
    const before = edit.change.patches.length;
    for (const [id] of others) {
      const stream = declared.get(id);
      if (stream !== undefined && stream.priority < 0) edit.replace(['streams', stream.index, 'priority'], 0);
    }
    for (const [id] of others.length === 0 ? [] : urgent) {
      const stream = declared.get(id);
      if (stream !== undefined) {
        if (stream.priority >= 0) edit.replace(['streams', stream.index, 'priority'], -1);
        continue;
      }
      const name = edit.declare('streams', 'urgent', { flags: 'non-blocking', priority: -1 });
      for (const { operation, path } of places(experiment)) {
        if ('stream' in operation && operation.stream === id) edit.replace([...path, 'stream'], name);
      }
    }
    if (edit.change.patches.length === before) continue;
    const [first, last] = [urgent, others].map((streams) => namesOf(streams.map(([id]) => id)));
    edit.step(`Make stream ${first} more urgent than ${last}: the host waits for it more often.`);
  }
  return edit.change.patches.length === 0 ? null : edit.change;
}

/** Returns how often the host waits for each stream with kernels. */
export function waitsByStream({ threads }: Experiment): ReadonlyMap<string, number> {
  const waits = new Map<string, number>();
  const working = new Set<string>();
  const recordedIn = new Map<string, string>();
  const visit = (list: readonly Operation[], rounds: number): void => {
    for (const one of list) {
      if ('operations' in one) visit(one.operations, one.op === 'repeat' ? rounds * one.count : rounds);
      if (one.op === 'kernel') working.add(one.stream);
      if (one.op === 'recordEvent') recordedIn.set(one.event, one.stream);
      const stream =
        one.op === 'synchronizeEvent' ? recordedIn.get(one.event) : 'stream' in one ? one.stream : undefined;
      const isWait =
        one.op.startsWith('synchronize') || one.op === 'item' || (one.op === 'copy' && one.mode !== 'async');
      if (stream !== undefined && isWait) waits.set(stream, (waits.get(stream) ?? 0) + rounds);
    }
  };
  for (const { operations } of threads) visit(operations, 1);
  return new Map([...working].map((stream) => [stream, waits.get(stream) ?? 0]));
}
