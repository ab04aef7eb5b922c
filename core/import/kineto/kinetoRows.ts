/**
 * Turns events into rows: times relative to the first event's, names and lanes as indices, everything in columns.
 * categories.ts decides the kind of row. Events of other kinds are counted, so that the reader can report what is left
 * out.
 */
import { type MemoryAction, memoryEvent, memoryEventName } from '../../trace/rangeNames.ts';
import type { LaneIndex, RowIndex, Trace } from '../../trace/trace.ts';
import { type CopyName, readCopyName } from '../copyName.ts';
import { rowCodes as codes, ImportedRows, memoryCode, unknownEvent } from '../importedRows.ts';
import { deviceId } from '../laneList.ts';
import { StreamWaits } from '../streamWaits.ts';
import type { TextTable } from '../textTable.ts';
import { classOf, type EventClass, isWaitingCall, streamWait } from './categories.ts';
import type { KinetoEvent } from './kinetoEvent.ts';
import { KinetoLanes } from './kinetoLanes.ts';
import { separateRanks } from './rankCalls.ts';

const complete = 'X'.charCodeAt(0);
const metadata = 'M'.charCodeAt(0);
const instant = 'i'.charCodeAt(0);
const deviceMemory = memoryCode('device');

/** XLA's profiler names a process after a device: '/device:GPU:0', '/host:CPU', '/job:localhost/replica:0'. */
const xlaProcess = /^\/(device|host|job):/;

export interface ReadTrace {
  readonly trace: Trace;
  /** Microseconds of the file's clock at the trace's start. */
  readonly startUs: number;
  /** Numbers of devices with activity. */
  readonly devices: readonly number[];
  /** Whether calls of several processes have the same numbers and can't be distinguished. */
  readonly isUnjoined: boolean;
}

export class KinetoRows {
  readonly #texts: TextTable;
  readonly #lanes: KinetoLanes;
  readonly #rows = new ImportedRows();
  /** Whole microseconds of the first row's start. Times relative to it are small and exact. */
  #baseUs = Number.NaN;
  readonly #devices = new Set<number>();
  readonly #classes = new Map<number, EventClass>();
  readonly #waits = new Map<number, boolean>();
  readonly #copies = new Map<number, CopyName>();
  /** Number of skipped events, by category or phase. */
  readonly #left = new Map<number, number>();
  readonly #streamWaits = new StreamWaits();
  #memoryName = -1;
  readonly #memoryPlaces = new Set<string>();
  #incomplete = 0;
  #threadNameId = -2;
  #processNameId = -2;
  #otherProfiler: string | null = null;

  constructor(texts: TextTable) {
    this.#texts = texts;
    this.#lanes = new KinetoLanes(texts);
  }

  get count(): number {
    return this.#rows.count;
  }

  /** Why no more rows can be added; null while there is room. */
  get full(): string | null {
    return this.#rows.full ?? (this.#lanes.isFull ? 'it has more threads and streams than can be shown' : null);
  }

  /** Number of events without a usable time or place. */
  get incomplete(): number {
    return this.#incomplete;
  }

  /** Returns skipped events by category, most frequent first. */
  leftOut(): (readonly [category: string, count: number])[] {
    const left = [...this.#left].map(
      ([id, count]) => [id < 0 ? 'without category' : this.#texts.text(id), count] as const,
    );
    return left.sort((a, b) => b[1] - a[1]);
  }

  /** Name of another tool whose profiler wrote the events; null if nothing says so. */
  get otherProfiler(): string | null {
    if (this.#otherProfiler !== null) return this.#otherProfiler;
    return this.leftOut().some(([category]) => category.startsWith('mtia_')) ? 'an MTIA accelerator' : null;
  }

  add(event: KinetoEvent): void {
    if (event.phase === complete) this.#addComplete(event);
    else if (event.phase === metadata) this.#addMetadata(event);
    else if (event.phase === instant && this.#isMemory(event.name)) this.#addMemory(event);
    else this.#leave(event);
  }

  #addMetadata(event: KinetoEvent): void {
    if (this.#threadNameId < 0 && this.#texts.text(event.name) === 'thread_name') this.#threadNameId = event.name;
    if (this.#processNameId < 0 && this.#texts.text(event.name) === 'process_name') this.#processNameId = event.name;
    if (event.name === this.#processNameId && event.label >= 0 && xlaProcess.test(this.#texts.text(event.label)))
      this.#otherProfiler = 'JAX or TensorFlow';
    if (event.name === this.#threadNameId && event.label >= 0)
      this.#lanes.nameThread(event.pid, event.tid, event.label);
  }

  #addComplete(event: KinetoEvent): void {
    const kind = this.#classOf(event.category);
    if (kind === 'ignored' || (kind === 'synchronisation' && this.#texts.text(event.name) !== streamWait)) {
      this.#leave(event);
      return;
    }
    const durationNs = event.dur.whole * 1000 + event.dur.thousandths;
    if (!isTime(event.ts.whole) || !(durationNs >= 0 && isTime(durationNs)) || event.name < 0) {
      this.#incomplete += 1;
      return;
    }
    if (kind === 'synchronisation') this.#addWait(event);
    else if (kind === 'range' || kind === 'call') this.#addHost(event, kind, durationNs);
    else this.#addDevice(event, kind, durationNs);
  }

  #isMemory(name: number): boolean {
    if (name >= 0 && this.#memoryName < 0 && this.#texts.text(name) === memoryEvent) this.#memoryName = name;
    return name >= 0 && name === this.#memoryName;
  }

  #addMemory(event: KinetoEvent): void {
    const { memoryBytes, allocatedBytes } = event;
    const device = event.deviceType > 0 ? wholeOr(event.deviceId, -1) : -1;
    if (!isTime(event.ts.whole) || !Number.isFinite(memoryBytes) || device === null || event.tid < 0) {
      this.#incomplete += 1;
      return;
    }
    const place = device < 0 ? '' : deviceId(device, this.#lanes.rank(event.pid));
    if (!this.#memoryPlaces.has(place)) {
      this.#memoryPlaces.add(place);
      const before = allocatedBytes - memoryBytes;
      if (before > 0) this.#memoryRow(event, 'before', place, before);
    }
    this.#memoryRow(event, memoryBytes < 0 ? 'free' : 'allocate', place, Math.abs(memoryBytes));
  }

  #memoryRow(event: KinetoEvent, action: MemoryAction, device: string, bytes: number): void {
    const lane = this.#lanes.thread(event.pid, event.tid);
    const row = this.#mark(event, codes.range, lane, memoryEventName({ action, device }), 0);
    this.#rows.columns.bytes[row] = bytes;
  }

  #addHost(event: KinetoEvent, kind: 'range' | 'call', durationNs: number): void {
    if (event.pid < 0 || event.tid < 0) {
      this.#incomplete += 1;
      return;
    }
    const code = kind === 'range' ? codes.range : this.#isWait(event.name) ? codes.sync : codes.call;
    const row = this.#next(event, durationNs, code, this.#lanes.thread(event.pid, event.tid), event.name);
    this.#rows.columns.correlation[row] = kind === 'range' ? 0 : correlationOf(event);
  }

  #addDevice(event: KinetoEvent, kind: EventClass, durationNs: number): void {
    const device = this.#placeOf(event.device, event.pid);
    const stream = this.#placeOf(event.stream, event.tid);
    if (device === null || stream === null) {
      this.#incomplete += 1;
      return;
    }
    const code = kind === 'copy' ? codes.copy : kind === 'kernel' ? codes.kernel : codes.memset;
    const rank = this.#lanes.rank(event.pid);
    const lane = this.#lanes.stream(rank, device, stream);
    const row = this.#next(event, durationNs, code, lane, event.name);
    if (event.group >= 0) this.#lanes.communicates(lane, event.group, event.groupRanks);
    const { columns } = this.#rows;
    this.#devices.add(device);
    columns.correlation[row] = correlationOf(event);
    columns.bytes[row] = event.bytes >= 0 ? event.bytes : 0;
    if (kind === 'copy') {
      this.#addCopy(row, event.name, rank, device);
      return;
    }
    columns.engine[row] = this.#lanes.engine(rank, device, 'compute');
    if (kind === 'memset') columns.dstMemory[row] = deviceMemory;
  }

  /** Kineto writes the time of the host's call. When the stream passed the wait is computed at the end. */
  #addWait(event: KinetoEvent): void {
    const device = this.#placeOf(event.device, event.pid);
    const stream = this.#placeOf(event.stream, event.tid);
    if (device === null || stream === null) {
      this.#incomplete += 1;
      return;
    }
    const { waitOnStream, waitOnRecord, waitOnEvent } = event;
    const recorder = waitOnStream >= 0 && waitOnRecord > 0 ? wholeOr(waitOnStream, -1) : null;
    const rank = this.#lanes.rank(event.pid);
    const of = rank === '' ? '' : ` of ${rank}`;
    const name = recorder === null ? unknownEvent : `event ${waitOnEvent}, record ${waitOnRecord}${of}`;
    const lane = this.#lanes.stream(rank, device, stream);
    this.#streamWaits.addWait(this.#mark(event, codes.wait, lane, name, correlationOf(event)));
    if (recorder === null || !this.#streamWaits.isNew(rank, waitOnRecord)) return;
    const recording = this.#lanes.stream(rank, device, recorder);
    this.#streamWaits.addRecord(this.#mark(event, codes.record, recording, name, waitOnRecord % 2 ** 31));
  }

  #mark(event: KinetoEvent, kind: number, lane: number, name: string, correlation: number): number {
    const row = this.#next(event, 0, kind, lane, this.#texts.own(name));
    this.#rows.columns.correlation[row] = correlation;
    return row;
  }

  /** Kineto doesn't name a copy's engine: copies with a direction get that direction's, others compute. */
  #addCopy(row: number, name: number, rank: string, device: number): void {
    let copy = this.#copies.get(name);
    if (copy === undefined) {
      copy = readCopyName(this.#texts.text(name));
      this.#copies.set(name, copy);
    }
    const { columns } = this.#rows;
    const { direction, isPeer } = copy;
    columns.srcMemory[row] = memoryCode(copy.src);
    columns.dstMemory[row] = memoryCode(copy.dst);
    if (isPeer) columns.engine[row] = this.#lanes.engine(rank, device, 'peer');
    else if (direction === 'h2d' || direction === 'd2h')
      columns.engine[row] = this.#lanes.engine(rank, device, direction);
    else columns.engine[row] = direction === 'd2d' ? this.#lanes.engine(rank, device, 'compute') : -1;
  }

  #next(event: KinetoEvent, durationNs: number, kind: number, lane: number, name: number): RowIndex {
    if (Number.isNaN(this.#baseUs)) this.#baseUs = event.ts.whole;
    const startNs = (event.ts.whole - this.#baseUs) * 1000 + event.ts.thousandths;
    return this.#rows.add(startNs, durationNs, kind, lane, name);
  }

  /** Returns the trace of all rows. Don't use the object afterwards. */
  finish(): ReadTrace {
    const { columns, count } = this.#rows;
    const unjoined = separateRanks(columns, count, this.#lanes.owners());
    if (unjoined.size > 0) this.#forgetRecords(unjoined);
    this.#streamWaits.place(columns, count);
    const names = this.#compactNames(columns.name, count);
    const { trace, leastNs } = this.#rows.finish(this.#lanes.finish(), names);
    return {
      trace,
      startUs: Number.isNaN(this.#baseUs) ? Number.NaN : this.#baseUs + leastNs / 1000,
      devices: [...this.#devices].sort((a, b) => a - b),
      isUnjoined: unjoined.size > 0,
    };
  }

  /** Removes the records from waits if work isn't joined, because a call's number may belong to another process. */
  #forgetRecords(lanes: ReadonlySet<LaneIndex>): void {
    const { columns, count } = this.#rows;
    const unknown = this.#texts.own(unknownEvent);
    for (let row = 0; row < count; row += 1) {
      if (columns.kind[row] === codes.wait && lanes.has(columns.lane[row] ?? -1)) columns.name[row] = unknown;
    }
  }

  /** Replaces text ids by indices into the list of names that rows have. */
  #compactNames(column: Int32Array, count: number): string[] {
    const indices = new Int32Array(this.#texts.size).fill(-1);
    const byText = new Map<string, number>();
    for (let row = 0; row < count; row += 1) {
      const id = column[row] ?? 0;
      let index = indices[id] ?? -1;
      if (index < 0) {
        const text = this.#texts.text(id);
        index = byText.get(text) ?? byText.size;
        byText.set(text, index);
        indices[id] = index;
      }
      column[row] = index;
    }
    return [...byText.keys()];
  }

  #leave(event: KinetoEvent): void {
    this.#left.set(event.category, (this.#left.get(event.category) ?? 0) + 1);
  }

  #classOf(category: number): EventClass {
    const known = this.#classes.get(category);
    if (known !== undefined) return known;
    const found = category < 0 ? 'ignored' : classOf(this.#texts.text(category));
    this.#classes.set(category, found);
    return found;
  }

  #isWait(name: number): boolean {
    const known = this.#waits.get(name);
    if (known !== undefined) return known;
    const found = isWaitingCall(this.#texts.text(name));
    this.#waits.set(name, found);
    return found;
  }

  /** Returns the number of a device or stream: its argument, or else the process or thread of the event. */
  #placeOf(argument: number, text: number): number | null {
    if (Number.isInteger(argument)) return wholeOr(argument, argument);
    return wholeOr(text < 0 ? Number.NaN : Number(this.#texts.text(text)), Number.NaN);
  }
}

/** Limit for the number of a device or stream; CUPTI's are small. */
const mostPlace = 2 ** 25;

function wholeOr(value: number, otherwise: number): number | null {
  const chosen = Number.isInteger(value) ? value : otherwise;
  return Number.isInteger(chosen) && chosen >= 0 && chosen < mostPlace ? chosen : null;
}

/** Returns whether a number can be a time: it exists, and a double represents it exactly. */
const isTime = (value: number): boolean => Math.abs(value) <= Number.MAX_SAFE_INTEGER;

const correlationOf = ({ correlation }: KinetoEvent): number =>
  Number.isInteger(correlation) && correlation > 0 ? correlation % 2 ** 31 : 0;
