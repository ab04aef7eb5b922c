/** Rows of recorded processes on one time axis. */

import { type MemoryAction, memoryEventName } from '../../trace/rangeNames.ts';
import { memoryCodes } from '../../trace/rowWriter.ts';
import { channelTypes, isHostMemory, mostPauses, type Pause, type RowIndex, type Trace } from '../../trace/trace.ts';
import { type CopyName, readCopyName } from '../copyName.ts';
import { Correlations } from '../correlations.ts';
import { rowCodes as codes, ImportedRows, unknownEvent } from '../importedRows.ts';
import type { EngineName } from '../laneList.ts';
import { Names, rangeName } from '../nsight/names.ts';
import { StreamWaits } from '../streamWaits.ts';
import { RecordedLanes } from './recordedLanes.ts';
import { isTime, type RecordedProcess } from './recordedProcess.ts';
import { callRoles, copyCallBytes, copyNameOf, memsetNameOf, recordKinds, streamWaitType, u64 } from './records.ts';

const peer = 10;
const channelCodes = { compute: channelTypes.indexOf('compute'), copy: channelTypes.indexOf('async-memcpy') };

/** Returns the engine for CUPTI's channel, or else for the direction. */
function engineOf(copy: CopyName, kind: number, channelType: number): EngineName | null {
  if (channelType === channelCodes.compute) return 'compute';
  if (kind === peer || copy.isPeer) return 'peer';
  if (copy.direction === 'd2d') return channelType === channelCodes.copy ? 'd2d' : 'compute';
  return copy.direction === 'h2h' ? null : copy.direction;
}

const addressKey = (process: number, correlation: number): number => process * 2 ** 32 + correlation;

export interface RecordedRows {
  readonly trace: Trace;
  /** Time of the monotonic clock at the trace's start. */
  readonly startNs: number;
  /** Number of records without a usable time or place. */
  readonly incomplete: number;
  /** Why records were dropped from some place on; null if there was room for all. */
  readonly full: string | null;
}

export function recordedRows(processes: readonly RecordedProcess[]): RecordedRows {
  return new RowMaker(processes).make();
}

/** A process while its records are read. */
interface Source {
  readonly process: RecordedProcess;
  readonly index: number;
  /** Page-locked bytes, by their address. */
  readonly pinned: Map<string, number>;
}

class RowMaker {
  readonly #processes: readonly RecordedProcess[];
  readonly #copyNames = new Map<number, { readonly text: string; readonly name: CopyName }>();
  readonly #rows = new ImportedRows();
  readonly #lanes: RecordedLanes;
  readonly #names = new Names();
  readonly #correlations = new Correlations();
  readonly #streamWaits = new StreamWaits();
  /** Source and target of calls whose copies haven't come yet, by process and correlation. */
  readonly #addresses = new Map<number, readonly [source: number, target: number]>();
  /** Base of all times: relative times are small and exact. */
  readonly #baseNs: number;
  #incomplete = 0;
  #isCut = false;

  constructor(processes: readonly RecordedProcess[]) {
    this.#processes = processes;
    this.#lanes = new RecordedLanes(processes);
    this.#baseNs = processes[0]?.header.startNs ?? 0;
  }

  make(): RecordedRows {
    for (const [index, process] of this.#processes.entries()) {
      const source = { process, index, pinned: new Map<string, number>() };
      process.visit((kind, view, at, length) => this.#take(source, kind, view, at, length));
    }
    const { columns, count } = this.#rows;
    this.#correlations.fill(columns.correlation, count);
    this.#streamWaits.place(columns, count);
    const { trace, leastNs } = this.#rows.finish(this.#lanes.finish(), this.#names.list);
    const startNs = this.#baseNs + leastNs;
    const pauses = pausesOf(this.#processes, startNs);
    const full = this.#isCut ? this.#full : null;
    return { trace: { ...trace, pauses }, startNs, incomplete: this.#incomplete, full };
  }

  /** Why no more rows can be added; null while there is room. */
  get #full(): string | null {
    return this.#rows.full ?? (this.#lanes.isFull ? 'it has more threads and streams than can be shown' : null);
  }

  #engine(view: DataView, at: number): EngineName | null {
    return engineOf(this.#copyName(view, at).name, view.getUint8(at + 45), view.getUint8(at + 44));
  }

  #copyName(view: DataView, at: number): { readonly text: string; readonly name: CopyName } {
    const [kind, src, dst] = [view.getUint8(at + 45), view.getUint8(at + 46), view.getUint8(at + 47)];
    const key = (kind << 16) | (src << 8) | dst;
    const known = this.#copyNames.get(key);
    if (known !== undefined) return known;
    const text = copyNameOf(kind, src, dst);
    const made = { text, name: readCopyName(text) };
    this.#copyNames.set(key, made);
    return made;
  }

  #take(source: Source, kind: number, view: DataView, at: number, length: number): void {
    const { process, index } = source;
    const u32 = (field: number): number => view.getUint32(at + field, true);
    switch (kind) {
      case recordKinds.call:
        this.#call(source, view, at);
        if (length >= copyCallBytes) {
          this.#addresses.set(addressKey(index, u32(20)), [u64(view, at + 57), u64(view, at + 45)]);
        }
        return;
      case recordKinds.range: {
        const name = rangeName(process.text(u32(20), 'range'));
        this.#row(source, view, at, codes.range, this.#lanes.thread(index, u32(16)), name);
        return;
      }
      case recordKinds.kernel: {
        const lane = this.#lanes.stream(index, u32(20), u32(24));
        const row = this.#row(source, view, at, codes.kernel, lane, process.text(u32(16), 'kernel'));
        if (row < 0) return;
        this.#correlations.set(row, index, u32(28));
        this.#rows.columns.engine[row] = this.#lanes.engine(u32(20), 'compute');
        return;
      }
      case recordKinds.memset: {
        const lane = this.#lanes.stream(index, u32(24), u32(28));
        const row = this.#row(source, view, at, codes.memset, lane, memsetNameOf(view.getUint8(at + 40)));
        if (row < 0) return;
        this.#correlations.set(row, index, u32(32));
        const { columns } = this.#rows;
        columns.bytes[row] = u64(view, at + 16);
        columns.dstMemory[row] = memoryCodes.device;
        columns.engine[row] = this.#lanes.engine(u32(24), 'compute');
        return;
      }
      case recordKinds.copy:
        this.#copy(source, view, at);
        return;
      case recordKinds.synchronisation:
        this.#streamWait(source, view, at);
        return;
      default:
        return;
    }
  }

  #copy(source: Source, view: DataView, at: number): void {
    const u32 = (field: number): number => view.getUint32(at + field, true);
    const lane = this.#lanes.stream(source.index, u32(24), u32(28));
    const { text, name } = this.#copyName(view, at);
    const row = this.#row(source, view, at, codes.copy, lane, text);
    if (row < 0) return;
    this.#correlations.set(row, source.index, u32(32));
    const { columns } = this.#rows;
    columns.bytes[row] = u64(view, at + 16);
    columns.srcMemory[row] = memoryCodes[name.src];
    columns.dstMemory[row] = memoryCodes[name.dst];
    columns.channel[row] = Math.max(-1, view.getInt32(at + 40, true));
    columns.channelType[row] = Math.min(view.getUint8(at + 44), channelTypes.length - 1);
    columns.engine[row] = this.#lanes.engine(u32(24), this.#engine(view, at));
    const key = addressKey(source.index, u32(32));
    const addresses = this.#addresses.get(key);
    if (addresses === undefined) return;
    // A call makes one copy.
    this.#addresses.delete(key);
    const host = [name.src, name.dst].findIndex(isHostMemory);
    if (host >= 0) this.#rows.setHostAddress(row, addresses[host] ?? 0);
  }

  #call(source: Source, view: DataView, at: number): void {
    const { process, index, pinned } = source;
    const u32 = (field: number): number => view.getUint32(at + field, true);
    const lane = this.#lanes.thread(index, u32(16));
    const role = view.getUint8(at + 36);
    const [startNs, endNs, stackNs] = [u64(view, at), u64(view, at + 8), u32(53)];
    const stack = u32(28) === 0 ? null : process.stackName(u32(28));
    if (stack !== null) this.#place(source, startNs - stackNs, endNs, codes.range, lane, stack);
    const kind = role === callRoles.wait ? codes.sync : codes.call;
    const row = this.#row(source, view, at, kind, lane, process.text(u32(24), 'CUDA call'));
    if (row >= 0) this.#correlations.set(row, index, u32(20));
    if (role !== callRoles.pin && role !== callRoles.unpin) return;
    // Memory that becomes page-locked, or no longer is.
    const address = `${u32(45)} ${u32(49)}`;
    const bytes = role === callRoles.pin ? u64(view, at + 37) : (pinned.get(address) ?? 0);
    if (bytes === 0) return;
    if (role === callRoles.pin) pinned.set(address, bytes);
    else pinned.delete(address);
    const action: MemoryAction = role === callRoles.pin ? 'allocate' : 'free';
    const change = this.#place(source, endNs, endNs, codes.range, lane, memoryEventName({ action, device: '' }));
    if (change >= 0) this.#rows.columns.bytes[change] = bytes;
  }

  /** CUPTI writes the time of the host's call. When the stream passed the wait is computed at the end. */
  #streamWait(source: Source, view: DataView, at: number): void {
    const { process, index } = source;
    const u32 = (field: number): number => view.getUint32(at + field, true);
    if (view.getUint8(at + 16) !== streamWaitType) return;
    const [context, event] = [u32(25), u32(29)];
    const recorded = process.event(context, event, u64(view, at + 33));
    const startNs = u64(view, at);
    const name =
      recorded === null
        ? unknownEvent
        : `event ${event}, record ${recorded.correlation}${this.#lanes.ofProcess(index)}`;
    const lane = this.#lanes.stream(index, recorded?.device ?? process.deviceOf(context), u32(17));
    const row = this.#place(source, startNs, startNs, codes.wait, lane, name);
    if (row < 0) return;
    this.#correlations.set(row, index, u32(21));
    this.#streamWaits.addWait(row);
    if (recorded === null || !this.#streamWaits.isNew(index, recorded.correlation)) return;
    const recording = this.#lanes.stream(index, recorded.device, recorded.stream);
    const mark = this.#place(source, startNs, startNs, codes.record, recording, name);
    if (mark < 0) return;
    this.#correlations.set(mark, index, recorded.correlation);
    this.#streamWaits.addRecord(mark);
  }

  #row(source: Source, view: DataView, at: number, kind: number, lane: number, name: string): RowIndex {
    return this.#place(source, u64(view, at), u64(view, at + 8), kind, lane, name);
  }

  /** Returns the index of the new row; -1 if it has no usable time or place, or there is no room. */
  #place(
    { process: { header } }: Source,
    startNs: number,
    endNs: number,
    kind: number,
    lane: number,
    name: string,
  ): RowIndex {
    if (this.#full !== null) {
      this.#isCut = true;
      return -1;
    }
    const isUsable = isTime(startNs, header) && isTime(endNs, header) && endNs >= startNs && lane >= 0;
    if (!isUsable) {
      this.#incomplete += 1;
      return -1;
    }
    return this.#rows.add(startNs - this.#baseNs, endNs - startNs, kind, lane, this.#names.index(name));
  }
}

/** Returns the pauses after `startNs` of the process that paused most often: records of other processes are in no step of it. */
function pausesOf(processes: readonly RecordedProcess[], startNs: number): readonly Pause[] {
  const all = processes.map((process) => pausesOfOne(process, startNs));
  return all.sort((a, b) => b.length - a.length)[0] ?? [];
}

/** Returns the pauses in ascending order: in a damaged file times may go back. */
function pausesOfOne({ windows }: RecordedProcess, startNs: number): readonly Pause[] {
  const pauses: Pause[] = [];
  let endNs = 0;
  for (const [index, { ns, begins }] of windows.entries()) {
    const next = windows[index + 1];
    const [fromNs, toNs] = [ns - startNs, (next?.ns ?? 0) - startNs];
    if (begins || next?.begins !== true || fromNs <= endNs || toNs <= fromNs || pauses.length === mostPauses) continue;
    pauses.push({ fromNs, toNs });
    endNs = toNs;
  }
  return pauses;
}
