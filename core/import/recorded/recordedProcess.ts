/** One recorded process: its definitions, places, and number of rows. */

import { callStackName, type StackFrame } from '../../trace/callStack.ts';
import type { DeviceInfo } from '../../trace/run.ts';
import { newTextDecoder } from '../platform.ts';
import { type RecordingFile, type RecordingHeader, type RecordVisitor, readRecordingFile } from './recordingFile.ts';
import { callRoles, leastBytes, problems, recordKinds, streamWaitType, u64 } from './records.ts';

/** Combines device and stream, which have small numbers. */
export const placeOf = (device: number, stream: number): number => device * 2 ** 32 + stream;

/** A frame of compiled code: `file` is the library or the program; its line is unknown. */
export interface NativeFrame extends StackFrame {
  /** Address of the call in the file. */
  readonly address: number;
}

/** Source frames by addressKey(). */
export type SourceLines = ReadonlyMap<string, StackFrame>;
export const addressKey = ({ file, address }: Pick<NativeFrame, 'file' | 'address'>): string => `${address} ${file}`;

/** Size of a frame's fields, followed by an address. */
const nativeFrameBytes = 24;

export interface EventRecording {
  readonly device: number;
  readonly stream: number;
  readonly correlation: number;
}

export class RecordedProcess {
  readonly #file: RecordingFile;
  readonly #texts = new Map<number, string>();
  readonly #frames = new Map<number, StackFrame>();
  /** Frames of compiled code, before their source is looked up. */
  readonly nativeFrames = new Map<number, NativeFrame>();
  readonly #stacks = new Map<number, readonly number[]>();
  readonly #stackNames = new Map<number, string>();
  /** Names by thread number. */
  readonly threads = new Map<number, string>();
  /** By placeOf(). */
  readonly streams = new Set<number>();
  readonly devices = new Map<number, DeviceInfo>();
  /** By context and event, then by record of the event. */
  readonly #events = new Map<string, EventRecording>();
  readonly #deviceOfContext = new Map<number, number>();
  readonly problems: { readonly code: number; readonly reason: string }[] = [];
  rows = 0;
  records = 0;
  droppedByCupti = 0;
  withoutRoom = 0;
  endedInOrder = false;
  stacksTaken = 0;
  stacksNs = 0;
  readonly copies = { count: 0, bytes: 0 };
  kernels = 0;
  waits = 0;
  /** Durations of steps that the recorder timed, with and without recording. */
  readonly stepsNs = { recorded: [] as number[], plain: [] as number[] };

  /** Number of steps that the program began; null if the process was killed. */
  stepsBegun: number | null = null;

  /** Begins and ends of recording, by the monotonic clock. */
  readonly windows: { readonly ns: number; readonly begins: boolean }[] = [];

  /** Source lines of compiled code, once they have been looked up. */
  lines: SourceLines = new Map();

  /** Throws `trace-file.not-a-trace`. */
  constructor(bytes: Uint8Array) {
    this.#file = readRecordingFile(bytes);
    this.visit((kind, view, at, length) => this.#learn(kind, view, at, length));
  }

  get header(): RecordingHeader {
    return this.#file.header;
  }

  get cutBytes(): number {
    return this.#file.cutBytes;
  }

  get damagedChunks(): number {
    return this.#file.damagedChunks;
  }

  /** Visits records that have all of their fields. */
  visit(visit: RecordVisitor): void {
    this.#file.visit((kind, view, at, length) => {
      if (length >= (leastBytes[kind] ?? Number.POSITIVE_INFINITY)) visit(kind, view, at, length);
    });
  }

  text(number: number, otherwise: string): string {
    const text = this.#texts.get(number) ?? '';
    return text === '' ? otherwise : text;
  }

  /** Returns the name of the range around a call with this stack; null if the stack is unknown. */
  stackName(number: number): string | null {
    const made = this.#stackNames.get(number);
    if (made !== undefined) return made;
    const frames = (this.#stacks.get(number) ?? []).flatMap((frame) => this.#frame(frame) ?? []);
    if (frames.length === 0) return null;
    // Frames without lines (a program's start, a library without debug information) are useless next to known ones.
    const known = frames.filter(({ line }) => line > 0);
    const name = callStackName(known.length > 0 ? known : frames);
    this.#stackNames.set(number, name);
    return name;
  }

  /** Returns a frame of compiled code with its line if known, or else with the function in its file. */
  #frame(number: number): StackFrame | undefined {
    const native = this.nativeFrames.get(number);
    return native === undefined ? this.#frames.get(number) : (this.lines.get(addressKey(native)) ?? native);
  }

  event(context: number, event: number, record: number): EventRecording | null {
    return this.#events.get(`${context} ${event} ${record}`) ?? null;
  }

  deviceOf(context: number): number {
    return this.#deviceOfContext.get(context) ?? 0;
  }

  #learn(kind: number, view: DataView, at: number, length: number): void {
    this.records += 1;
    const u32 = (offset: number): number => view.getUint32(at + offset, true);
    switch (kind) {
      case recordKinds.text: {
        const bytes = new Uint8Array(view.buffer, view.byteOffset + at + 4, length - 4);
        this.#texts.set(u32(0), newTextDecoder().decode(bytes));
        return;
      }
      case recordKinds.thread:
        this.threads.set(u32(0), this.text(u32(4), ''));
        return;
      case recordKinds.frame: {
        const frame = { file: this.text(u32(4), '?'), line: u32(8), function: this.text(u32(12), '?') };
        if (length < nativeFrameBytes) this.#frames.set(u32(0), frame);
        else this.nativeFrames.set(u32(0), { ...frame, address: u64(view, at + 16) });
        return;
      }
      case recordKinds.stack:
        this.#stacks.set(
          u32(0),
          Array.from({ length: Math.floor(length / 4) - 1 }, (_, index) => u32(4 + 4 * index)),
        );
        return;
      case recordKinds.device:
        this.#device(view, at);
        return;
      case recordKinds.problem:
        this.problems.push({ code: view.getUint8(at), reason: this.text(u32(1), 'no reason given') });
        return;
      case recordKinds.dropped:
        this.droppedByCupti = u64(view, at);
        this.withoutRoom = u64(view, at + 8);
        return;
      case recordKinds.end:
        this.endedInOrder = true;
        return;
      case recordKinds.window:
        this.windows.push({ ns: u64(view, at), begins: view.getUint8(at + 8) === 1 });
        return;
      case recordKinds.step: {
        const { recorded, plain } = this.stepsNs;
        (view.getUint8(at + 16) === 1 ? recorded : plain).push(u64(view, at + 8) - u64(view, at));
        return;
      }
      case recordKinds.steps:
        this.stepsBegun = u64(view, at);
        return;
      case recordKinds.call:
        this.#call(view, at);
        return;
      case recordKinds.range:
        this.rows += 1;
        return;
      case recordKinds.copy:
        this.copies.count += 1;
        this.copies.bytes += u64(view, at + 16);
        this.#activity(u32(24), u32(28), u32(36));
        return;
      case recordKinds.memset:
        this.#activity(u32(24), u32(28), u32(36));
        return;
      case recordKinds.kernel:
        this.kernels += 1;
        this.#activity(u32(20), u32(24), u32(32));
        return;
      case recordKinds.eventRecord: {
        const [context, device] = [u32(20), u32(24)];
        this.#deviceOfContext.set(context, device);
        this.#events.set(`${context} ${u32(0)} ${u64(view, at + 4)}`, {
          device,
          stream: u32(12),
          correlation: u32(16),
        });
        return;
      }
      case recordKinds.synchronisation:
        // Counts a wait and, the first time, the record of its event.
        if (view.getUint8(at + 16) === streamWaitType) this.rows += 2;
        return;
      default:
        return;
    }
  }

  #call(view: DataView, at: number): void {
    const u32 = (offset: number): number => view.getUint32(at + offset, true);
    this.rows += 1;
    const role = view.getUint8(at + 36);
    if (role === callRoles.wait) this.waits += 1;
    if (role === callRoles.pin || role === callRoles.unpin) this.rows += 1;
    if (u32(28) === 0) return;
    this.rows += 1;
    this.stacksTaken += 1;
    this.stacksNs += u32(53);
  }

  #activity(device: number, stream: number, context: number): void {
    this.#deviceOfContext.set(context, device);
    this.streams.add(placeOf(device, stream));
    this.rows += 1;
  }

  #device(view: DataView, at: number): void {
    const u32 = (offset: number): number => view.getUint32(at + offset, true);
    this.devices.set(u32(0), {
      index: u32(0),
      name: this.text(u32(4), 'GPU').slice(0, 200),
      computeCapability: `${u32(8)}.${u32(12)}`,
      asyncEngineCount: u32(20),
      multiprocessors: u32(16),
      memoryBytes: u64(view, at + 24),
      pciBusId: '',
      linkGeneration: null,
      linkWidth: null,
    });
  }

  /** Whether a stack contains the end of a torch.profiler session. Before Python 3.11 frames don't name the class. */
  get ranTorchProfiler(): boolean {
    return [...this.#frames.values()].some(
      ({ file, function: name }) =>
        (/torch\/autograd\/profiler\.py$/.test(file) && /(^|\.)profile\.__exit__$/.test(name)) ||
        (/torch\/profiler\/profiler\.py$/.test(file) && /(^|\.)stop_trace$/.test(name)),
    );
  }

  /** Why this process has no recording; null if it has one. */
  get refusal(): { readonly code: number; readonly reason: string } | null {
    return this.problems.find(({ code }) => code !== problems.storage) ?? null;
  }
}

const earliest = 3600e9;
const latest = 30 * 24 * 3600e9;

/** Returns whether a number can be a time in this recording. */
export const isTime = (ns: number, { startNs }: RecordingHeader): boolean =>
  ns > startNs - earliest && ns < startNs + latest;
