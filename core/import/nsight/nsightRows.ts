/** Turns rows of an export's tables into rows of the trace. Each method names its table. */

import { nativeFrameName, osRuntimeName, pythonFrameName } from '../../trace/rangeNames.ts';
import type { Trace } from '../../trace/trace.ts';
import { directionOf, memoryOf } from '../copyName.ts';
import { Correlations } from '../correlations.ts';
import { rowCodes as codes, ImportedRows, memoryCode, unknownEvent } from '../importedRows.ts';
import { isWaitingCall } from '../kineto/categories.ts';
import { StreamWaits } from '../streamWaits.ts';
import { type Cell, type Cells, type GlobalId, GlobalIds, textOf, wholeOf } from './database.ts';
import { copyKind, type EnumTable, memoryWord, nvtxKind, streamFlag, syncKind } from './kinds.ts';
import { asWritten, callName, Names, rangeName } from './names.ts';
import { NsightHeader } from './nsightHeader.ts';
import { NsightLanes } from './nsightLanes.ts';

/** Names of kinds, from the file's ENUM_* tables; null if such a table is missing. */
export interface Enums {
  readonly copies: EnumTable | null;
  readonly memories: EnumTable | null;
  readonly syncs: EnumTable | null;
  readonly nvtx: EnumTable | null;
  readonly streams: EnumTable | null;
}

interface RecordedEvent {
  readonly stream: number;
  readonly correlation: number;
  readonly id: number;
  /** When the device reached it; NaN if that was not recorded. */
  readonly reachedNs: number;
}

/** Limit of a stack's depth: its outermost functions are the interpreter's own. */
const deepestStack = 64;
/** Limit for rows of stacks: calls are read first, and each may have a row for every function of its stack. */
const mostOfStacks = 1 / 4;
const deviceMemory = memoryCode('device');
/** For exports without processes, all rows belong to one. */
const noProcess: GlobalId = { process: 0, pid: 0, tid: 0 };
/** CUPTI's value for no stream and no event. */
const none = 2 ** 32 - 1;
/** Limit for the number of a device or stream; CUPTI's are small. */
const mostPlace = 2 ** 25;

export class NsightRows {
  readonly names = new Names();
  readonly header = new NsightHeader();
  /** Number of rows without a usable time or place, and of ranges without an end. */
  incomplete = 0;
  /** Number of graph launches without recorded nodes. */
  wholeGraphs = 0;
  /** Number of calls whose stacks were dropped to leave room for device activity. */
  withoutStack = 0;
  /** Remaining rows for stacks. */
  #stackRoom: number;
  readonly #enums: Enums;
  readonly #clock = new Clock();
  readonly #ids = new GlobalIds();
  readonly #rows: ImportedRows;
  readonly #lanes = new NsightLanes();
  readonly #correlations = new Correlations();
  readonly #streamWaits = new StreamWaits();
  readonly #waiting = new Map<number, boolean>();
  readonly #chains = new Map<number, { readonly depth: number; readonly name: number }[]>();
  readonly #events = new Map<string, RecordedEvent>();
  readonly #marked = new Set<string>();
  readonly #devices = new Set<number>();
  #process: GlobalId | null = null;

  constructor(enums: Enums, mostRows: number) {
    this.#enums = enums;
    this.#rows = new ImportedRows(mostRows);
    this.#stackRoom = Math.floor(mostRows * mostOfStacks);
  }

  get count(): number {
    return this.#rows.count;
  }

  /** Why no more rows can be added; null while there is room. */
  get full(): string | null {
    return this.#rows.full ?? (this.#lanes.isFull ? 'it has more threads and streams than can be shown' : null);
  }

  /** ThreadNames */
  readonly addThreadName = (row: Cells): void => {
    const thread = this.#ids.read(row['globalTid']);
    if (thread !== null) this.#lanes.nameThread(thread, this.names.string(row['nameId']));
  };

  /** TARGET_INFO_CUDA_STREAM */
  readonly addStream = (row: Cells): void => {
    const flag = streamFlag(wholeOf(row['flag']), this.#enums.streams);
    this.#lanes.flagStream(wholeOf(row['processId']), wholeOf(row['streamId']), flag);
  };

  /** CUDA_CALLCHAINS: a function of a stack, the innermost with depth 0. */
  readonly addFrame = (row: Cells): void => {
    const [chain, depth] = [wholeOf(row['id']), wholeOf(row['stackDepth'])];
    if (!(chain > 0 && depth >= 0 && depth < deepestStack)) return;
    const name = this.names.index(frameName(this.names.string(row['symbol']), this.names.string(row['module'])));
    const frames = this.#chains.get(chain);
    if (frames === undefined) this.#chains.set(chain, [{ depth, name }]);
    else if (frames.length < deepestStack) frames.push({ depth, name });
  };

  /** CUPTI_ACTIVITY_KIND_KERNEL; nodes of a graph have the correlation of its launch. */
  readonly addKernel = (row: Cells): void => {
    const at = this.#device(row, codes.kernel);
    if (at === null) return;
    const { columns } = this.#rows;
    const hasName = !Number.isNaN(wholeOf(row['demangledName']));
    columns.name[at.row] = this.names.indexOfString(hasName ? row['demangledName'] : row['shortName'], asWritten);
    columns.engine[at.row] = this.#lanes.engine(at.device, 'compute');
  };

  /** CUPTI_ACTIVITY_KIND_GRAPH_TRACE: a graph from its first node's start to its last one's end. */
  readonly addGraph = (row: Cells): void => {
    const at = this.#device(row, codes.kernel);
    if (at === null) return;
    this.wholeGraphs += 1;
    this.#rows.columns.name[at.row] = this.names.index(`CUDA graph ${wholeOf(row['graphId'])}`);
    this.#rows.columns.engine[at.row] = this.#lanes.engine(at.device, 'compute');
  };

  /** CUPTI_ACTIVITY_KIND_MEMSET */
  readonly addMemset = (row: Cells): void => {
    const at = this.#device(row, codes.memset);
    if (at === null) return;
    const { columns } = this.#rows;
    const word = memoryWord(wholeOf(row['memKind']), this.#enums.memories);
    const memory = memoryOf(word);
    columns.name[at.row] = this.names.index(`Memset (${word})`);
    columns.bytes[at.row] = countOf(row['bytes']);
    columns.dstMemory[at.row] = memory === 'unknown' ? deviceMemory : memoryCode(memory);
    columns.engine[at.row] = this.#lanes.engine(at.device, 'compute');
  };

  /** CUPTI_ACTIVITY_KIND_MEMCPY. Its engine is unknown: copies with a direction get that direction's. */
  readonly addCopy = (row: Cells): void => {
    const at = this.#device(row, codes.copy);
    if (at === null) return;
    const { columns } = this.#rows;
    const { word, isManaged } = copyKind(wholeOf(row['copyKind']), this.#enums.copies);
    const src = memoryWord(wholeOf(row['srcKind']), this.#enums.memories);
    const dst = memoryWord(wholeOf(row['dstKind']), this.#enums.memories);
    const sides = isManaged ? 'Managed' : `${src} -> ${dst}`;
    columns.name[at.row] = this.names.index(`Memcpy ${word === '' ? '' : `${word} `}(${sides})`);
    columns.bytes[at.row] = countOf(row['bytes']);
    columns.srcMemory[at.row] = memoryCode(memoryOf(src));
    columns.dstMemory[at.row] = memoryCode(memoryOf(dst));
    const [from, to] = [wholeOf(row['srcDeviceId']), wholeOf(row['dstDeviceId'])];
    const direction = directionOf(word);
    if (word === 'PtoP' || (direction === 'd2d' && from >= 0 && to >= 0 && from !== to)) {
      columns.engine[at.row] = this.#lanes.engine(at.device, 'peer');
    } else if (direction === 'h2d' || direction === 'd2h') {
      columns.engine[at.row] = this.#lanes.engine(at.device, direction);
    } else if (direction === 'd2d') columns.engine[at.row] = this.#lanes.engine(at.device, 'compute');
  };

  /** CUPTI_ACTIVITY_KIND_RUNTIME: calls of the runtime and of the driver, with their stacks. */
  readonly addCall = (row: Cells): void => {
    const at = this.#host(row);
    if (at === null) return;
    this.#process ??= at.thread;
    const name = this.names.indexOfString(row['nameId'], callName);
    const lane = this.#lanes.thread(at.thread);
    // A function's range has its call's duration and comes first, so the call is nested in it.
    for (const frame of this.#stack(wholeOf(row['callchainId']))) {
      this.#rows.add(at.startNs, at.durationNs, codes.range, lane, frame);
    }
    const call = this.#rows.add(at.startNs, at.durationNs, this.#isWaiting(name) ? codes.sync : codes.call, lane, name);
    this.#correlations.set(call, at.thread.process, wholeOf(row['correlationId']));
  };

  /** CUPTI_ACTIVITY_KIND_CUDA_EVENT: a recorded event, by the number that its waits name. */
  readonly addEvent = (row: Cells): void => {
    const process = this.#processOf(row['globalPid']);
    const [sync, stream, correlation] = [
      wholeOf(row['eventSyncId']),
      wholeOf(row['streamId']),
      wholeOf(row['correlationId']),
    ];
    if (!(sync >= 0 && sync < none && stream >= 0 && correlation > 0)) return;
    const reached = row['timestamp'];
    this.#events.set(`${process.process} ${sync}`, {
      stream,
      correlation,
      id: wholeOf(row['eventId']),
      reachedNs: typeof reached === 'bigint' || wholeOf(reached) > 0 ? this.#clock.since(reached) : Number.NaN,
    });
  };

  /**
   * CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: only streams' waits for events, since others repeat the host's calls. They
   * have the time of the host's call; when the stream passed the wait is computed at the end.
   */
  readonly addSync = (row: Cells): void => {
    const type = wholeOf(row['syncType'] ?? row['deprecatedSyncType']);
    if (syncKind(type, this.#enums.syncs) !== 'stream-wait') return;
    const process = this.#processOf(row['globalPid']);
    const [stream, startNs] = [wholeOf(row['streamId']), this.#clock.since(row['start'])];
    const lane = this.#lanes.knownStream(process, stream);
    // A stream without work has no lane, and a wait in it delays nothing.
    if (lane === null || Number.isNaN(startNs)) return;
    const key = `${process.process} ${wholeOf(row['eventSyncId'])}`;
    const event = this.#events.get(key);
    const recording = event === undefined ? null : this.#lanes.knownStream(process, event.stream);
    const isKnown = event !== undefined && recording !== null;
    const of = this.#lanes.ofProcess(process);
    const name = this.names.index(isKnown ? `event ${event.id}, record ${event.correlation}${of}` : unknownEvent);
    const wait = this.#rows.add(startNs, 0, codes.wait, lane, name);
    this.#correlations.set(wait, process.process, wholeOf(row['correlationId']));
    this.#streamWaits.addWait(wait);
    if (!isKnown || this.#marked.has(key)) return;
    this.#marked.add(key);
    const isReached = !Number.isNaN(event.reachedNs);
    const record = this.#rows.add(isReached ? event.reachedNs : startNs, 0, codes.record, recording, name);
    this.#correlations.set(record, process.process, event.correlation);
    if (!isReached) this.#streamWaits.addRecord(record);
  };

  /** NVTX_EVENTS: ranges, nested as the program opened them, and marks. */
  readonly addNvtx = (row: Cells): void => {
    const kind = nvtxKind(wholeOf(row['eventType']), this.#enums.nvtx);
    if (kind === 'other') return;
    const at = this.#host(kind === 'mark' ? { ...row, end: row['start'] } : row);
    if (at === null) return;
    const { text } = row;
    const name =
      typeof text === 'string'
        ? this.names.index(rangeName(textOf(text)))
        : this.names.indexOfString(row['textId'], rangeName);
    this.#rows.add(at.startNs, at.durationNs, codes.range, this.#lanes.thread(at.thread), name);
  };

  /** OSRT_API: calls of the operating system's libraries, most of them waits. */
  readonly addOsCall = (row: Cells): void => this.#range(row, osRuntimeName);

  /** CUBLAS_EVENTS and CUDNN_EVENTS: calls of those libraries. */
  readonly addLibraryCall = (row: Cells): void => this.#range(row, asWritten);

  /** Returns the trace of all rows. Don't use the object afterwards. */
  finish(): { readonly trace: Trace; readonly devices: readonly number[] } {
    const { columns, count } = this.#rows;
    this.#correlations.fill(columns.correlation, count);
    this.#streamWaits.place(columns, count);
    const { trace } = this.#rows.finish(this.#lanes.finish(), this.names.list);
    return { trace, devices: [...this.#devices].sort((a, b) => a - b) };
  }

  #range(row: Cells, written: (text: string) => string): void {
    const at = this.#host(row);
    if (at === null) return;
    const name = this.names.indexOfString(row['nameId'], written);
    this.#rows.add(at.startNs, at.durationNs, codes.range, this.#lanes.thread(at.thread), name);
  }

  #host(row: Cells): { readonly thread: GlobalId; readonly startNs: number; readonly durationNs: number } | null {
    const thread = this.#ids.read(row['globalTid']);
    const [startNs, endNs] = [this.#clock.since(row['start']), this.#clock.since(row['end'])];
    if (thread !== null && endNs >= startNs) return { thread, startNs, durationNs: endNs - startNs };
    this.incomplete += 1;
    return null;
  }

  #device(row: Cells, kind: number): { readonly row: number; readonly device: number } | null {
    const process = this.#processOf(row['globalPid']);
    const [startNs, endNs] = [this.#clock.since(row['start']), this.#clock.since(row['end'])];
    const [ordinal, stream] = [wholeOf(row['deviceId']), wholeOf(row['streamId'])];
    if (!(endNs >= startNs && isPlace(ordinal) && isPlace(stream))) {
      this.incomplete += 1;
      return null;
    }
    const device = this.header.gpu(process.pid, ordinal);
    this.#devices.add(device);
    const at = this.#rows.add(startNs, endNs - startNs, kind, this.#lanes.stream(process, device, stream), 0);
    this.#correlations.set(at, process.process, wholeOf(row['correlationId']));
    return { row: at, device };
  }

  /** A process's own id has no thread. Without an id, rows belong to the first process that called. */
  #processOf(cell: Cell): GlobalId {
    return this.#ids.read(cell) ?? this.#process ?? noProcess;
  }

  /** Returns the whole stack, or nothing if there is no room for it and its call. */
  #stack(chain: number): number[] {
    const frames = this.#chains.get(chain) ?? [];
    if (frames.length > Math.min(this.#stackRoom, this.#rows.room - 1)) {
      this.withoutStack += 1;
      return [];
    }
    this.#stackRoom -= frames.length;
    return frames.sort((a, b) => b.depth - a.depth).map(({ name }) => name);
  }

  #isWaiting(name: number): boolean {
    const known = this.#waiting.get(name);
    if (known !== undefined) return known;
    const found = isWaitingCall(this.names.list[name] ?? '');
    this.#waiting.set(name, found);
    return found;
  }
}

const isPlace = (value: number): boolean => value >= 0 && value < mostPlace;

function countOf(cell: Cell): number {
  const count = wholeOf(cell);
  return count >= 0 ? count : 0;
}

const fileOf = (module: string): string => module.replace(/^.*[\\/]/, '') || '?';

/** A Python function's module is its file. Nsight Systems may append the line. */
function frameName(symbol: string, module: string): string {
  const python = /^(.+\.py)(?::(\d+))?$/.exec(module);
  return python === null
    ? nativeFrameName(fileOf(module).replace(/\s/g, '_'), symbol || '?')
    : pythonFrameName(python[1] ?? '', Number(python[2] ?? 0), symbol || '?');
}

class Clock {
  #base: bigint | null = null;
  /** The base as a number, where it is exact. */
  #small = Number.NaN;

  /** Nanoseconds since the first time read, exact; NaN where the cell holds no whole number, or one too far away. */
  since(cell: Cell): number {
    if (typeof cell === 'number') {
      if (!Number.isSafeInteger(cell)) return Number.NaN;
      if (this.#base === null) this.#setBase(BigInt(cell));
      const ns = Number.isNaN(this.#small) ? Number(BigInt(cell) - (this.#base ?? 0n)) : cell - this.#small;
      return Number.isSafeInteger(ns) ? ns : Number.NaN;
    }
    if (typeof cell !== 'bigint') return Number.NaN;
    if (this.#base === null) this.#setBase(cell);
    const ns = Number(cell - (this.#base ?? 0n));
    return Number.isSafeInteger(ns) ? ns : Number.NaN;
  }

  #setBase(time: bigint): void {
    this.#base = time;
    const small = Number(time);
    if (Number.isSafeInteger(small)) this.#small = small;
  }
}
