/**
 * Changes to all operations of a kind at once, as the plan combines them. Their words are those of a trace's plan
 * (core/lift). Each returns null if the experiment has nothing that it would change.
 */
import { applyChange, type Change, joinChanges } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import { type BufferFinder, bufferFinder } from '../../experiment/describe.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { copyBytes } from '../../experiment/operations/copy.ts';
import type { Operation, OperationOf } from '../../experiment/operations.ts';
import { groupBy } from '../../groupBy.ts';
import { isHostMemory } from '../../trace/trace.ts';
import { type Effort, repaired, withoutNewHazards } from '../hazards/repair.ts';
import { touchedBuffers } from '../verdicts/facts.ts';
import { launchAhead } from './ahead.ts';
import { copyOnce } from './copyOnce.ts';
import { doubleBuffer } from './doubleBuffer.ts';
import { doubleStaging } from './doubleStaging.ts';
import { capturedOnce } from './graphs.ts';
import { functionsApart, waitElsewhere, waitLater } from './handover.ts';
import { issuedBetween } from './issue.ts';
import { joinedCopies } from './joinCopies.ts';
import { mappedOnce } from './mapped.ts';
import { keepMemory } from './memory.ts';
import { prepareAhead } from './prepare.ts';
import { isPlace, listOf, namesOf, type Place, places, usersById } from './situation.ts';
import { eventsAround, nonBlocking, stayingCopies, streamOfEachThread, urgentFirst } from './streams.ts';
import { readLater } from './values.ts';
import { launchElsewhere, launchFirst, narrowerEvents, withoutWaits } from './waits.ts';

/** In the order in which they build on one another. */
export const wholeWords = [
  'mend-hazards',
  'keep-memory',
  'keep-on-device',
  'copy-directly',
  'graph',
  'pin',
  'non-blocking',
  'remove-wait',
  'batch',
  'delay-wait',
  'launch-ahead',
  'prepare-ahead',
  'other-thread',
  'non-blocking-stream',
  'other-stream',
  'priority',
  'issue-later',
  'double-buffer',
] as const;
export type WholeWord = (typeof wholeWords)[number];

/** Changes that drop needless work. Nothing speaks against them, whatever others gain. */
export const dropping: readonly WholeWord[] = ['keep-memory', 'keep-on-device', 'copy-directly', 'graph'];

type Whole = (experiment: Experiment, effort: Effort) => Change | null;

/** Repairs that moving copies to another stream may need: events in both directions for each copy. */
const mostRepairs = 24;

export const wholeChanges: Readonly<Record<WholeWord, Whole>> = {
  'mend-hazards': (experiment, effort) => repaired(experiment, effort, mostRepairs),
  'keep-memory': keepMemory,
  'keep-on-device': keptOnDevice,
  'copy-directly': withoutRelay,
  graph: capturedOnce,
  pin: (experiment) => pinned(experiment),
  batch: (experiment) => joinedCopies(experiment),
  'non-blocking': withoutBlocking,
  'remove-wait': withoutAnyWaits,
  'delay-wait': (experiment, effort) =>
    waitLater(experiment, effort) ?? launchFirst(experiment) ?? readLater(experiment) ?? doubleStaging(experiment),
  'launch-ahead': launchAhead,
  'prepare-ahead': prepareAhead,
  'other-thread': (experiment, effort) => launchElsewhere(experiment) ?? waitElsewhere(experiment, effort),
  'other-stream': workApart,
  'non-blocking-stream': (experiment, effort) =>
    [streamOfEachThread(experiment), ...nonBlocking(experiment)]
      .map((change) => (change === null ? null : withoutNewHazards(experiment, change, effort, mostRepairs)))
      .find((change) => change !== null) ?? null,
  'issue-later': issuedBetween,
  priority: (experiment) => urgentFirst(experiment),
  'double-buffer': (experiment) => doubleBuffer(experiment),
};

/** Copies unchanged data once, and lets kernels read that instead of mapped memory. */
function keptOnDevice(experiment: Experiment, effort: Effort): Change | null {
  const copies = copyOnce(experiment);
  const now = copies === null ? experiment : applyChange(experiment, copies);
  const change = mappedOnce(now);
  const mapped = change === null ? null : withoutNewHazards(now, change, effort, mostRepairs);
  return copies === null || mapped === null ? (copies ?? mapped) : joinChanges(copies, mapped);
}

/** Moves host functions, and then copies, to streams of their own. */
function workApart(experiment: Experiment, effort: Effort): Change | null {
  const functions = functionsApart(experiment);
  if (functions === null) return copiesApart(experiment, effort);
  const copies = copiesApart(applyChange(experiment, functions), effort);
  return copies === null ? functions : joinChanges(functions, copies);
}

/** Removes waits that no data needs, or makes them narrower: those of the host, then those of streams. */
function withoutAnyWaits(experiment: Experiment, effort: Effort): Change | null {
  const ofHost = withoutWaits(experiment, effort);
  const now = ofHost === null ? experiment : applyChange(experiment, ofHost);
  const change = narrowerEvents(now);
  const ofStreams = change === null ? null : withoutNewHazards(now, change, effort, mostRepairs);
  return ofHost === null || ofStreams === null ? (ofHost ?? ofStreams) : joinChanges(ofHost, ofStreams);
}

/** Makes all copies over the link asynchronous. */
export function withoutBlocking(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  const blocking = linkCopies(experiment).filter(({ operation }) => operation.mode !== 'async');
  for (const { path } of blocking) edit.replace([...path, 'mode'], 'async');
  return changed(edit, `Make ${countOf(blocking.length)} asynchronous.`);
}

/**
 * Pins the pageable side of all copies over the link, and drops the host's own copies into page-locked memory.
 * Write-combined memory that the host reads becomes ordinary memory, or just the buffer `only`.
 */
export function pinned(experiment: Experiment, only?: string): Change | null {
  const edit = new ChangeBuilder(experiment);
  const links = linkCopies(experiment).flatMap(({ operation: { src, dst } }) => [src, dst]);
  for (const [index, { id }] of readUncached(experiment)) {
    if (only !== undefined && only !== id) continue;
    edit.step(`Make "${id}" ordinary page-locked memory, not write-combined.`);
    edit.replace(['buffers', index, 'memory'], 'pinned');
  }
  return pinIn(experiment, edit, new Set([...links, ...dropStaging(experiment, edit, 'pageable')]));
}

/** Returns write-combined buffers that the host reads, with their places. */
export function readUncached({ buffers, ...experiment }: Experiment): [number, Experiment['buffers'][number]][] {
  const read = new Set(
    places({ buffers, ...experiment }).flatMap(({ operation: one }) => (one.op === 'read' ? [one.buffer] : [])),
  );
  return [...buffers.entries()].filter(([, { id, memory }]) => memory === 'pinned-write-combined' && read.has(id));
}

/** Drops the host's own copies into page-locked memory: their source is pinned instead. */
export function withoutStaging(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  return pinIn(experiment, edit, dropStaging(experiment, edit, 'pageable'));
}

/** Copies from device to device what now passes host memory: the program's own, or the driver's without peer access. */
export function withoutRelay(experiment: Experiment, effort: Effort): Change | null {
  const edit = new ChangeBuilder(experiment);
  const isRelayed = dropStaging(experiment, edit, 'device').size > 0;
  if (!experiment.environment.peerAccess && (isRelayed || peerCopies(experiment).length > 0)) {
    edit.step('Enable peer access between the devices, if they have it.').replace(['environment', 'peerAccess'], true);
  }
  return edit.change.patches.length === 0 ? null : withoutNewHazards(experiment, edit.change, effort, mostRepairs);
}

/** Returns the ids of copies that pass data through the program's host memory from device to device. */
export const relays = (experiment: Experiment): Set<string> =>
  new Set(
    stagedBy(experiment, 'device').flatMap(({ stagings, routes }) =>
      [...stagings, ...routes.map(({ upload }) => upload)].map(({ operation }) => operation.id),
    ),
  );

/** Returns the ids of downloads into pageable memory that the host then copies into page-locked memory. */
export function copiedTwice(experiment: Experiment): Set<string> {
  const staged = stagedBy(experiment, 'pageable').flatMap(({ stagings }) =>
    stagings.map(({ operation }) => operation.src),
  );
  return new Set(linkCopies(experiment).flatMap(({ operation: { id, dst } }) => (staged.includes(dst) ? [id] : [])));
}

/** Returns copies from the memory of one device to that of another. */
export function peerCopies(experiment: Experiment): Place<OperationOf<'copy'>>[] {
  const { buffers, devices } = experiment;
  const [first] = devices;
  const deviceOf = new Map(
    buffers.flatMap(({ id, memory, device = first?.id }) => (memory === 'device' ? [[id, device]] : [])),
  );
  return places(experiment)
    .filter(isPlace('copy'))
    .filter(({ operation: { src, dst } }) => {
      return deviceOf.has(src) && deviceOf.has(dst) && deviceOf.get(src) !== deviceOf.get(dst);
    });
}

/** Returns the buffers that are then copied without staging. */
function dropStaging(experiment: Experiment, edit: ChangeBuilder, from: 'pageable' | 'device'): Set<string> {
  const all = stagedBy(experiment, from);
  const find = bufferFinder(experiment);
  for (const { through, routes } of all) {
    const sources = [...new Set(routes.map(({ src }) => src))];
    const own = sources.length === 1 ? 'itself' : 'themselves';
    edit.step(`Copy ${namesOf(sources)} ${own}, without "${through}" in between.`);
    for (const { upload, src, srcOffset, srcStepBytes } of routes) {
      const { operation, path } = upload;
      edit.replace([...path, 'src'], src);
      if (srcOffset !== operation.srcOffset) edit.replace([...path, 'srcOffset'], srcOffset);
      if (srcStepBytes !== undefined) edit.replace([...path, 'srcStepBytes'], srcStepBytes);
      const bytes = copyBytes(operation, find);
      if (copyBytes({ ...operation, src, srcOffset }, find) !== bytes) edit.replace([...path, 'bytes'], bytes);
    }
  }
  for (const { stagings, frees } of all) for (const { path } of [...stagings, ...frees]) edit.remove(path);
  return new Set(all.flatMap(({ routes }) => routes.map(({ src }) => src)));
}

function pinIn(experiment: Experiment, edit: ChangeBuilder, sides: ReadonlySet<string>): Change | null {
  const names: string[] = [];
  for (const [index, { id, memory, allocated }] of experiment.buffers.entries()) {
    if (!sides.has(id) || memory !== 'pageable' || allocated !== 'before-run') continue;
    edit.replace(['buffers', index, 'memory'], 'pinned');
    names.push(id);
  }
  if (names.length > 0) edit.step(`Pin ${namesOf(names)}.`);
  return edit.change.patches.length === 0 ? null : edit.change;
}

const changed = (edit: ChangeBuilder, words: string): Change | null =>
  edit.change.patches.length === 0 ? null : edit.step(words).change;

const countOf = (count: number): string => (count === 1 ? 'the copy' : `${count} copies`);

/** Returns the copies between host and device. */
function linkCopies(experiment: Experiment): Place<OperationOf<'copy'>>[] {
  const memories = new Map(experiment.buffers.map(({ id, memory }) => [id, memory]));
  const isHost = (id: string): boolean => isHostMemory(memories.get(id) ?? 'device');
  return places(experiment)
    .filter(isPlace('copy'))
    .filter(({ operation: { src, dst } }) => isHost(src) !== isHost(dst));
}

type Staging = Place<OperationOf<'copy'> | OperationOf<'pin'>>;

/** An upload with the source of the bytes that it takes from staging memory. */
interface Route {
  readonly upload: Place<OperationOf<'copy'>>;
  readonly src: string;
  readonly srcOffset: number;
  /** Bytes by which the source moves on in each round. */
  readonly srcStepBytes?: number | undefined;
}

interface StagedByHost {
  readonly through: string;
  readonly stagings: readonly Staging[];
  readonly frees: readonly Place[];
  readonly routes: readonly Route[];
}

/**
 * Returns page-locked memory that is only filled from pageable memory by the host, or from devices, and that only uploads
 * read. If the data is made in page-locked memory, or copied from device to device, the copies into it fall away.
 */
function stagedBy(experiment: Experiment, from: 'pageable' | 'device'): StagedByHost[] {
  const all = places(experiment).filter(({ operation }) => !('operations' in operation));
  const find = bufferFinder(experiment);
  const memoryOf = (id: string) => find(id)?.memory ?? 'device';
  const isStaging = (place: Place): place is Staging =>
    (isPlace('copy')(place) || isPlace('pin')(place)) &&
    memoryOf(place.operation.src) === from &&
    isHostMemory(memoryOf(place.operation.dst)) &&
    memoryOf(place.operation.dst) !== 'pageable';
  const groups = groupBy(all.filter(isStaging), ({ operation }) => operation.dst);
  if (groups.size === 0) return [];
  const position = new Map(all.map(({ operation }, index) => [operation, index]));
  return [...groups].flatMap(([through, stagings]): StagedByHost[] => {
    const known = new Set<Operation>(stagings.map(({ operation }) => operation));
    const users = (usersById(experiment).get(through) ?? []).filter((one) => !known.has(one));
    // pin() allocates memory that something frees.
    const isPinned = stagings.every(({ operation }) => operation.op === 'pin');
    const frees = users.flatMap((one) => (isPinned && one.op === 'free' ? [all[position.get(one) ?? 0] as Place] : []));
    const routes = users.flatMap((user) => {
      const index = position.get(user) ?? 0;
      const upload = all[index] as Place;
      const isUpload = isPlace('copy')(upload) && upload.operation.src === through;
      const route =
        isUpload && memoryOf(upload.operation.dst) === 'device' && upload.operation.srcStepBytes === undefined
          ? routeOf(all, stagings, { index, position }, find)
          : null;
      return route === null ? [] : [route];
    });
    const isOnlyCopied = routes.length > 0 && routes.length + frees.length === users.length;
    return isOnlyCopied ? [{ through, stagings, frees, routes }] : [];
  });
}

/** Returns null if the upload's bytes don't all come from one staging before it, or the source is written in between. */
function routeOf(
  all: readonly Place[],
  stagings: readonly Staging[],
  { index, position }: { readonly index: number; readonly position: ReadonlyMap<Operation, number> },
  find: BufferFinder,
): Route | null {
  const upload = all[index] as Place<OperationOf<'copy'>>;
  const from = upload.operation.srcOffset;
  const to = from + copyBytes(upload.operation, find);
  for (const place of stagings.toReversed()) {
    const at = position.get(place.operation) ?? 0;
    if (at > index) continue;
    const { src } = place.operation;
    const { srcOffset, dstOffset, bytes, srcStepBytes, dstStepBytes } = isPlace('copy')(place)
      ? { ...place.operation, bytes: copyBytes(place.operation, find) }
      : { srcOffset: 0, dstOffset: 0, bytes: to };
    // A part of the staging memory that moves on from round to round may hold what earlier rounds brought.
    if (dstStepBytes !== undefined) return null;
    if (dstOffset >= to || from >= dstOffset + bytes) continue;
    const isWhole = dstOffset <= from && to <= dstOffset + bytes;
    const isNext = (stagings.length === 1 && srcStepBytes === undefined) || listOf(place) === listOf(upload);
    const between = all.slice(at + 1, index);
    const isChanged = between.some(({ operation }) => touchedBuffers(operation)?.writes.includes(src) === true);
    const route = { upload, src, srcOffset: srcOffset + from - dstOffset, srcStepBytes };
    return isWhole && isNext && !isChanged ? route : null;
  }
  return null;
}

/**
 * Moves the asynchronous copies of streams that also run kernels to a stream of their own, one for each direction. From a
 * stream that only copies, in both directions, it moves the downloads.
 */
export function copiesApart(experiment: Experiment, effort: Effort): Change | null {
  const all = places(experiment);
  if (all.some(({ operation }) => operation.op === 'graphCapture')) return null;
  const isUpload = ({ dst }: OperationOf<'copy'>): boolean =>
    experiment.buffers.some(({ id, memory }) => id === dst && memory === 'device');
  const copies = linkCopies(experiment).filter(({ operation }) => operation.mode !== 'blocking-memcpy');
  const busy = new Set(all.filter(isPlace('kernel')).map(({ operation }) => operation.stream));
  const staying = stayingCopies(experiment);
  const uploading = new Set(copies.flatMap(({ operation }) => (isUpload(operation) ? [operation.stream] : [])));
  const edit = new ChangeBuilder(experiment);
  const own = new Map<string, string>();
  let count = 0;
  for (const { operation, path } of copies) {
    const isIn = isUpload(operation);
    if (staying.has(operation.id)) continue;
    if (!busy.has(operation.stream) && (isIn || !uploading.has(operation.stream))) continue;
    const declared = experiment.streams.find(({ id }) => id === operation.stream);
    const device = declared?.device ?? experiment.threads[Number(path[1])]?.device;
    const key = `${isIn} ${device}`;
    const fields = { flags: 'non-blocking', ...(device === undefined ? {} : { device }) };
    const stream = own.get(key) ?? edit.declare('streams', isIn ? 'uploads' : 'downloads', fields);
    own.set(key, stream);
    edit.replace([...path, 'stream'], stream);
    for (const event of eventsAround(experiment, { operation, path })) edit.replace([...event, 'stream'], stream);
    count += 1;
  }
  const downloads = count === 1 ? 'the download' : `${count} downloads`;
  const plain = changed(
    edit,
    busy.size === 0
      ? `Move ${downloads} to a non-blocking stream.`
      : `Copy in a non-blocking stream of its own (${countOf(count)}).`,
  );
  return plain === null ? null : withoutNewHazards(experiment, plain, effort, mostRepairs);
}
