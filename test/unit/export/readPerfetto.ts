/**
 * Reads a Perfetto trace like its trace processor: packets in order of time, and a slice's end closes the slice that
 * began last on its track. Made by protobufjs from the published schema; independent of the exporter.
 */
import protobuf from 'protobufjs';
import proto from '../../fixtures/perfetto/trace.proto?raw';

export interface Slice {
  readonly track: number;
  readonly category: string;
  readonly name: string;
  readonly startNs: number;
  readonly args: Readonly<Record<string, number | string>>;
  readonly flows: readonly number[];
  readonly endingFlows: readonly number[];
  /** Zero for instants; -1 for a slice without an end. */
  durationNs: number;
}

export interface PerfettoTrack {
  readonly uuid: number;
  readonly name: string;
  readonly parentUuid: number;
  readonly process?: { readonly pid: number; readonly processName: string };
  readonly thread?: { readonly pid: number; readonly tid: number; readonly threadName: string };
  readonly counter?: { readonly unitName: string };
}

export interface PerfettoTrace {
  readonly tracks: ReadonlyMap<number, PerfettoTrack>;
  readonly slices: readonly Slice[];
  readonly counters: readonly { readonly track: number; readonly timeNs: number; readonly value: number }[];
  readonly clocks: readonly { readonly clockId: number; readonly timestamp: number }[];
}

const Trace = protobuf.parse(proto).root.lookupType('perfetto.protos.Trace');

interface Entry {
  readonly iid: number;
  readonly name: string;
}
interface Packet {
  readonly timestamp?: number;
  readonly clockSnapshot?: { readonly clocks: PerfettoTrace['clocks'] };
  readonly internedData?: {
    readonly eventCategories?: readonly Entry[];
    readonly eventNames?: readonly Entry[];
    readonly debugAnnotationNames?: readonly Entry[];
  };
  readonly trackDescriptor?: PerfettoTrack;
  readonly trackEvent?: {
    readonly type: number;
    readonly trackUuid: number;
    readonly categoryIids?: readonly number[];
    readonly nameIid?: number;
    readonly doubleCounterValue?: number;
    readonly flowIds?: readonly number[];
    readonly terminatingFlowIds?: readonly number[];
    readonly debugAnnotations?: readonly {
      readonly nameIid: number;
      readonly uintValue?: number;
      readonly doubleValue?: number;
      readonly stringValue?: string;
    }[];
  };
}

export function readPerfetto(bytes: Uint8Array): PerfettoTrace {
  const decoded = Trace.toObject(Trace.decode(bytes), { longs: Number }) as { readonly packet?: readonly Packet[] };
  const packets = decoded.packet ?? [];
  const tracks = new Map<number, PerfettoTrack>();
  const [categories, names, annotations] = [
    new Map<number, string>(),
    new Map<number, string>(),
    new Map<number, string>(),
  ];
  let clocks: PerfettoTrace['clocks'] = [];
  for (const { trackDescriptor, internedData, clockSnapshot } of packets) {
    if (trackDescriptor !== undefined) tracks.set(trackDescriptor.uuid, trackDescriptor);
    clocks = clockSnapshot?.clocks ?? clocks;
    for (const { iid, name } of internedData?.eventCategories ?? []) categories.set(iid, name);
    for (const { iid, name } of internedData?.eventNames ?? []) names.set(iid, name);
    for (const { iid, name } of internedData?.debugAnnotationNames ?? []) annotations.set(iid, name);
  }
  const events = packets.flatMap(({ trackEvent, timestamp }) =>
    trackEvent === undefined ? [] : [{ ...trackEvent, time: timestamp ?? 0 }],
  );
  events.sort((a, b) => a.time - b.time);
  const open = new Map<number, Slice[]>();
  const slices: Slice[] = [];
  const counters: { track: number; timeNs: number; value: number }[] = [];
  for (const event of events) {
    const { time, trackUuid: track } = event;
    if (!tracks.has(track)) throw new Error(`no track ${track}`);
    const stack = open.get(track) ?? [];
    open.set(track, stack);
    if (event.type === 4) {
      counters.push({ track, timeNs: time, value: event.doubleCounterValue ?? 0 });
    } else if (event.type === 2) {
      const ended = stack.pop();
      if (ended === undefined) throw new Error(`an end without a beginning at ${time}`);
      ended.durationNs = time - ended.startNs;
    } else {
      const slice: Slice = {
        track,
        category: categories.get(event.categoryIids?.[0] ?? 0) ?? '',
        name: names.get(event.nameIid ?? 0) ?? '',
        startNs: time,
        durationNs: event.type === 3 ? 0 : -1,
        args: Object.fromEntries(
          (event.debugAnnotations ?? []).map((one) => [
            annotations.get(one.nameIid) ?? '',
            one.uintValue ?? one.doubleValue ?? one.stringValue ?? '',
          ]),
        ),
        flows: event.flowIds ?? [],
        endingFlows: event.terminatingFlowIds ?? [],
      };
      slices.push(slice);
      if (event.type === 1) stack.push(slice);
    }
  }
  return { tracks, slices, counters, clocks };
}
