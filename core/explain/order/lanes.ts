/**
 * Lanes: the work that one host thread issued to one stream. Finds the lanes that an operation comes after: those of
 * its own stream, of streams tied to it by the legacy default stream, and work that ran alone on its device.
 */
import type { Program, ProgramStream } from '../../program/program.ts';
import type { Call, Caller, Issued } from './calls.ts';
import { type Clock, countUpTo, join, joinCompleted } from './clock.ts';
import { Sequence } from './sequence.ts';

interface Lane {
  readonly thread: number;
  readonly stream: number;
  /** Number of issued operations, and the start clock of the last one. */
  count: number;
  last: Clock | null;
  /** Call positions and start clocks of all operations, kept only if other threads may need them. */
  positions: number[];
  starts: Clock[];
}

type Issuer = Pick<Caller, 'thread' | 'host'>;

export class Lanes {
  readonly #streams: readonly ProgramStream[];
  /** Number of host threads, whose entries come first in clocks. */
  readonly #threads: number;
  readonly #lanes: Lane[] = [];
  readonly #laneOf: Map<number, number>[];
  /** Lanes that a new operation in a stream waits for, including its own. */
  readonly #waitsFor = new Map<number, readonly number[]>();
  /** Work that ran alone, by device. */
  readonly #alone = new Map<number, Sequence>();
  #repeats = false;

  constructor({ streams, threads }: Program) {
    this.#streams = streams;
    this.#threads = threads.length;
    this.#laneOf = threads.map(() => new Map());
  }

  /** Number of entries of a clock. */
  get width(): number {
    return this.#threads + this.#lanes.length;
  }

  find(thread: number, stream: number): number {
    const lanes = this.#laneOf[thread];
    const known = lanes?.get(stream);
    if (known !== undefined) return known;
    const lane = this.#lanes.push({ thread, stream, count: 0, last: null, positions: [], starts: [] }) - 1;
    lanes?.set(stream, lane);
    return lane;
  }

  /** Empties all lanes. `repeats`: the schedule is walked several times, and each pass may know more than the last. */
  restart(repeats: boolean): void {
    this.#repeats = repeats;
    this.#alone.clear();
    for (const lane of this.#lanes) [lane.count, lane.last, lane.positions, lane.starts] = [0, null, [], []];
  }

  /**
   * Returns the start clock of a new operation in `stream`, issued by `thread` with clock `host`. Also for events
   * outside the stream, such as the reuse of freed memory. If `thread` is -1, `host` has the progress of all.
   */
  startIn(thread: number, stream: number, host: Clock): Clock {
    const start = this.#afterStream(thread, stream, host);
    this.#alone.get(this.#streams[stream]?.device ?? -1)?.joinInto(start, { thread, host });
    return start;
  }

  /** Records that work which was just issued comes before all later work of these devices. */
  runsAlone(issued: Issued, call: Pick<Call, 'thread' | 'position'>, devices: readonly number[]): void {
    for (const device of devices) {
      const sequence = this.#alone.get(device) ?? new Sequence(this.#threads === 1);
      this.#alone.set(device, sequence);
      sequence.add(issued, call);
    }
  }

  /** Joins into `target` (maybe the caller's own clock) the work certainly issued to streams with `isMeant`. */
  joinStreams(target: Clock, { thread, host }: Issuer, isMeant: (stream: number) => boolean): void {
    const before = host.slice();
    for (const [number, { stream }] of this.#lanes.entries()) {
      if (isMeant(stream)) this.#joinLane(target, number, thread, before);
    }
  }

  joinDevice(target: Clock, caller: Issuer, device: number): void {
    this.joinStreams(target, caller, (stream) => this.#streams[stream]?.device === device);
  }

  /** Waits for a stream. In the legacy default stream, that waits for blocking streams first. */
  waitForStream(caller: Issuer, stream: number): void {
    const { thread, host } = caller;
    const isLegacy = this.#streams[stream]?.kind === 'legacy-default';
    if (isLegacy) join(host, this.#afterStream(thread, stream, host));
    else this.joinStreams(host, caller, (other) => other === stream);
  }

  /** Appends an operation to its lane. */
  append({ thread, position }: Pick<Call, 'thread' | 'position'>, stream: number, start: Clock): Issued {
    const number = this.find(thread, stream);
    const lane = this.#lanes[number];
    if (lane === undefined) throw new RangeError(`no lane ${number}`);
    lane.count += 1;
    lane.last = start;
    if (this.#threads > 1) {
      lane.positions.push(position);
      lane.starts.push(start);
    }
    return { lane: this.#threads + number, index: lane.count, start };
  }

  #afterStream(thread: number, stream: number, host: Clock): Clock {
    const after = host.slice();
    for (const number of this.#lanesBefore(stream)) this.#joinLane(after, number, thread, host);
    return after;
  }

  #lanesBefore(stream: number): readonly number[] {
    const known = this.#waitsFor.get(stream);
    if (known !== undefined) return known;
    const before = this.#lanes.flatMap((lane, number) =>
      lane.stream === stream || areTied(this.#streams[stream], this.#streams[lane.stream]) ? number : [],
    );
    this.#waitsFor.set(stream, before);
    return before;
  }

  /** Joins the work that was certainly issued to the lane when `thread` called with clock `host`. */
  #joinLane(target: Clock, number: number, thread: number, host: Clock): void {
    const lane = this.#lanes[number];
    if (lane === undefined) return;
    const issued = lane.thread === thread ? lane.count : countUpTo(lane.positions, host[lane.thread] ?? 0);
    const entry = number + this.#threads;
    // A clock that includes this operation includes all before it, unless a later pass has learned more.
    if (!this.#repeats && (target[entry] ?? 0) >= issued) return;
    const last = issued === lane.count ? lane.last : lane.starts[issued - 1];
    if (last != null) joinCompleted(target, last, entry, issued);
  }
}

/** Returns whether a stream synchronises with the legacy default stream, without being it. */
const isBlocking = (stream: ProgramStream | undefined): boolean =>
  stream?.kind === 'blocking' || stream?.kind === 'per-thread-default';

/** Returns whether the legacy default stream orders work of the two (rule legacy-default-stream). */
export function areTied(a: ProgramStream | undefined, b: ProgramStream | undefined): boolean {
  if (a?.device !== b?.device) return false;
  return (a?.kind === 'legacy-default' && isBlocking(b)) || (b?.kind === 'legacy-default' && isBlocking(a));
}
