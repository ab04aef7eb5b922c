/**
 * Exports a run in Perfetto's own format. Each row is a slice, or an instant if it has no duration, on the track of its
 * host thread or stream. Rows executed by an engine appear again on the engine's track, without fields. Fields that
 * viewers don't know are annotations (rowFields.ts); the row's kind is its category.
 */

import { bandwidthSeries } from '../../explain/figures/copyBandwidth.ts';
import { groupBy } from '../../groupBy.ts';
import { iterationOf } from '../../trace/iteration.ts';
import type { Run } from '../../trace/run.ts';
import { type RowIndex, rowKinds, type Trace } from '../../trace/trace.ts';
import type { ExportSteps } from '../exportRun.ts';
import { type FlowTable, flowTable } from '../flowTable.ts';
import { placesOf } from '../processes.ts';
import { eachField, type FieldName, type FieldValue, fieldNames } from '../rowFields.ts';
import { endOf, type PlacedIteration, startOf } from '../times.ts';
import { type Tracks, tracksOf } from '../tracks.ts';
import { Packets, varint, type Writer } from './packets.ts';
import { clocks, explicitOrder, sequenceFlags, tags } from './schema.ts';

/** Throughput of a device's link in each direction, as steps of a counter in the viewer. */
interface LinkCounter {
  readonly device: string;
  readonly direction: 'h2d' | 'd2h';
  /** Whole nanoseconds on the axis of all iterations, ascending. */
  readonly timeNs: Float64Array;
  readonly bytesPerSecond: Float64Array;
}

/** Returns the counters of one iteration; no counter if nothing crossed a link. */
function linkCounters(trace: Trace, { number, beginNs }: PlacedIteration): LinkCounter[] {
  const devices = [...new Set(trace.lanes.flatMap(({ device }) => (device === '' ? [] : [device])))];
  return devices.flatMap((device) =>
    bandwidthSeries(iterationOf(trace, number), device).flatMap(({ kind, timeNs, bytesPerSecond }): LinkCounter[] => {
      if (kind !== 'h2d' && kind !== 'd2h') return [];
      return [{ device, direction: kind, timeNs: timeNs.map((time) => beginNs + Math.floor(time)), bytesPerSecond }];
    }),
  );
}

/** Returns the name of a counter, unique on its device. */
const linkCounterName = ({ direction }: Pick<LinkCounter, 'direction'>): string =>
  `${direction.toUpperCase()} link (bytes/s)`;

/** Category of rows that are repeated on an engine's track. */
const engineCategory = rowKinds.length + 1;
const categories = [...rowKinds, 'engine'];
const annotationIds = Object.fromEntries(fieldNames.map((name, index) => [name, index + 1])) as Record<
  FieldName,
  number
>;

export function* perfettoPieces(
  run: Run,
  iterations: readonly PlacedIteration[],
  steps: ExportSteps,
): Generator<Uint8Array> {
  const tracks = tracksOf(run.trace, iterations);
  const flows = flowTable(run, iterations);
  const packets = new Packets();
  clockPacket(packets, run);
  namesPacket(packets, run);
  const counterTracks = trackPackets(packets, run, tracks, iterations);
  for (const iteration of iterations) {
    const { from, to } = iteration.rows;
    for (let row = from; row < to; row += 1) {
      rowPackets(packets, run, tracks, flows, iteration, row);
      if (!steps.isDue(packets.length, row)) continue;
      yield packets.take();
    }
    counterPackets(packets, run, iteration, counterTracks);
  }
  yield packets.take();
}

/** Times count from the run's start. This packet has the time of that start. */
function clockPacket(packets: Packets, { info }: Run): void {
  const startNs = BigInt(Date.parse(info.createdAt)) * 1_000_000n;
  packets.packet((writer) => {
    writer.uint32(tags.packet.clockSnapshot).fork();
    for (const [id, time] of [
      [clocks.realtime, startNs],
      [clocks.boottime, 0n],
    ] as const) {
      writer.uint32(tags.clockSnapshot.clock).fork().uint32(tags.clock.id).uint32(id);
      writer.uint32(tags.clock.timestamp).uint64(String(time)).ldelim();
    }
    writer.ldelim();
  }, sequenceFlags.cleared);
}

/** Writes all names before the packets that refer to them by numbers from 1 on. */
function namesPacket(packets: Packets, { trace }: Run): void {
  const entries = (writer: Writer, tag: number, names: readonly string[]): void => {
    for (const [index, name] of names.entries()) {
      writer.uint32(tag).fork();
      writer
        .uint32(tags.interned.iid)
        .uint32(index + 1)
        .uint32(tags.interned.name)
        .string(name)
        .ldelim();
    }
  };
  packets.packet((writer) => {
    writer.uint32(tags.packet.internedData).fork();
    entries(writer, tags.internedData.category, categories);
    entries(writer, tags.internedData.eventName, trace.names);
    entries(writer, tags.internedData.annotationName, fieldNames);
    writer.ldelim();
  });
}

/** Writes tracks of lanes with numbers from 1 on, then of processes, then of counters. Returns the last. */
function trackPackets(
  packets: Packets,
  run: Run,
  tracks: Tracks,
  iterations: readonly PlacedIteration[],
): ReadonlyMap<string, number> {
  const { lanes } = run.trace;
  const places = placesOf(run);
  let next = tracks.list.length + 1;
  const processes = groupBy([...lanes.keys()], (lane) => `${places[lane]?.isHost} ${places[lane]?.process}`);
  const processOf = new Map<number, number>();
  const deviceTrack = new Map<string, number>();
  for (const own of processes.values()) {
    const place = places[own[0] as number];
    if (place === undefined) continue;
    for (const lane of own) {
      processOf.set(lane, next);
      if (!place.isHost) deviceTrack.set(lanes[lane]?.device ?? '', next);
    }
    trackPacket(packets, next, place.processName, (writer) => {
      writer.uint32(tags.track.childOrdering).uint32(explicitOrder);
      if (!place.isHost) return;
      writer.uint32(tags.track.process).fork();
      writer.uint32(tags.process.pid).int32(numberOr(place.process, 1));
      writer.uint32(tags.process.name).string(place.processName).ldelim();
    });
    next += 1;
  }
  let firstOfLane = 0;
  for (const [index, { lane, part }] of tracks.list.entries()) {
    const place = places[lane];
    const name = lanes[lane]?.name ?? '';
    if (part === 0) firstOfLane = index + 1;
    trackPacket(packets, index + 1, part === 0 ? name : `${name}, overlapping ${part}`, (writer) => {
      const parent = part > 0 && place?.isHost ? firstOfLane : (processOf.get(lane) ?? 0);
      writer.uint32(tags.track.parent).uint32(parent);
      writer.uint32(tags.track.siblingRank).int32(index);
      if (part > 0 || place === undefined || !place.isHost) return;
      writer.uint32(tags.track.thread).fork();
      writer.uint32(tags.thread.pid).int32(numberOr(place.process, 1));
      writer.uint32(tags.thread.tid).int32(numberOr(place.thread, lane + 1));
      writer.uint32(tags.thread.name).string(name).ldelim();
    });
  }
  const counters = new Map<string, number>();
  for (const counter of iterations.flatMap((iteration) => linkCounters(run.trace, iteration))) {
    const key = `${counter.device} ${counter.direction}`;
    if (counters.has(key)) continue;
    counters.set(key, next);
    trackPacket(packets, next, linkCounterName(counter), (writer) => {
      writer.uint32(tags.track.parent).uint32(deviceTrack.get(counter.device) ?? 0);
      writer.uint32(tags.track.siblingRank).int32(next);
      writer.uint32(tags.track.counter).fork().uint32(tags.counter.unitName).string('bytes/s').ldelim();
    });
    next += 1;
  }
  return counters;
}

function trackPacket(packets: Packets, uuid: number, name: string, fill: (writer: Writer) => void): void {
  packets.packet((writer) => {
    writer.uint32(tags.packet.trackDescriptor).fork();
    writer.uint32(tags.track.uuid).uint32(uuid).uint32(tags.track.name).string(name);
    fill(writer);
    writer.ldelim();
  });
}

/** An operating system's numbers are signed 32-bit ones; an imported trace may have text instead. */
function numberOr(text: string, otherwise: number): number {
  const value = Number(text);
  return text !== '' && Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? value : otherwise;
}

function rowPackets(
  packets: Packets,
  { trace }: Run,
  tracks: Tracks,
  flows: FlowTable,
  iteration: PlacedIteration,
  row: RowIndex,
): void {
  const [start, end] = [startOf(trace, iteration, row), endOf(trace, iteration, row)];
  const isMark = trace.columns.durationNs[row] === 0;
  const track = (tracks.own[row] as number) + 1;
  const writer = packets.begin(start, isMark ? 'instant' : 'begin', track);
  const name = (trace.columns.name[row] as number) + 1;
  writer.uint32(tags.event.category).uint32((trace.columns.kind[row] as number) + 1);
  writer.uint32(tags.event.name).uint32(name);
  eachField(trace, row, (field, value) => annotation(writer, field, value));
  for (let flow = flows.firstOut[row] as number; flow >= 0; flow = flows.nextOut[flow] as number) {
    writer.uint32(tags.event.flow).fixed64(flow + 1);
  }
  for (let flow = flows.firstIn[row] as number; flow >= 0; flow = flows.nextIn[flow] as number) {
    writer.uint32(tags.event.endingFlow).fixed64(flow + 1);
  }
  packets.end();
  if (!isMark) {
    packets.begin(end, 'end', track);
    packets.end();
  }
  const engine = (tracks.engine[row] as number) + 1;
  if (engine === 0) return;
  packets.begin(start, 'begin', engine);
  writer.uint32(tags.event.category).uint32(engineCategory).uint32(tags.event.name).uint32(name);
  packets.end();
  packets.begin(end, 'end', engine);
  packets.end();
}

function annotation(writer: Writer, field: FieldName, value: FieldValue): void {
  writer.uint32(tags.event.annotation).fork();
  writer.uint32(tags.annotation.name).uint32(annotationIds[field]);
  if (typeof value === 'string') writer.uint32(tags.annotation.string).string(value);
  else if (Number.isSafeInteger(value)) varint(writer, tags.annotation.uint, value);
  else writer.uint32(tags.annotation.double).double(value);
  writer.ldelim();
}

function counterPackets(
  packets: Packets,
  { trace }: Run,
  iteration: PlacedIteration,
  counters: ReadonlyMap<string, number>,
): void {
  for (const { device, direction, timeNs, bytesPerSecond } of linkCounters(trace, iteration)) {
    const track = counters.get(`${device} ${direction}`) ?? 0;
    for (const [index, time] of timeNs.entries()) {
      packets
        .begin(time, 'counter', track)
        .uint32(tags.event.doubleCounter)
        .double(bytesPerSecond[index] ?? 0);
      packets.end();
    }
  }
}
