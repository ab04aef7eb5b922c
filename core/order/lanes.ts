/**
 * What each host thread has issued to each stream, a lane for each such pair, and which lanes an operation comes after:
 * those of its own stream, of streams that the legacy default stream ties to it, and what its device ran alone.
 */
import type { Program, ProgramStream } from '../program/program.ts';
import type { Call, Caller, Issued } from './calls.ts';
import { type Clock, countUpTo, join, joinCompleted } from './clock.ts';
import { Sequence } from './sequence.ts';
import { areTied } from './ties.ts';

interface Lane {
  readonly thread: number;
  readonly stream: number;
  /** How much was issued so far, and the start clock of the last of it. */
  count: number;
  last: Clock | null;
  /** The calling thread's positions, and the start clocks, of all of it: only where other threads may ask for them. */
  positions: number[];
  starts: Clock[];
}

type Issuer = Pick<Caller, 'thread' | 'host'>;

export class Lanes {
  readonly #streams: readonly ProgramStream[];
  /** Host threads, whose entries come first in clocks. */
  readonly #threads: number;
  readonly #lanes: Lane[] = [];
  readonly #laneOf: Map<number, number>[];
  /** By stream: lanes whose earlier work a new operation in it waits for, its own too. */
  readonly #waitsFor = new Map<number, readonly number[]>();
  /** By device: what ran alone on it. */
  readonly #alone = new Map<number, Sequence>();
  #repeats = false;

  constructor({ streams, threads }: Program) {
    this.#streams = streams;
    this.#threads = threads.length;
    this.#laneOf = threads.map(() => new Map());
  }

  /** Entries of a clock. */
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

  /** Empties all lanes. `repeats`: the schedule is walked more than once, and each pass may know more than the one before. */
  restart(repeats: boolean): void {
    this.#repeats = repeats;
    this.#alone.clear();
    for (const lane of this.#lanes) [lane.count, lane.last, lane.positions, lane.starts] = [0, null, [], []];
  }

  /**
   * What a new operation in `stream`, issued by a call of `thread` that begins with `host`, would begin after: also for
   * what doesn't become part of the stream, such as the reuse of freed memory. `thread` is -1 for none in particular:
   * then `host` says of every thread how far it has come.
   */
  startIn(thread: number, stream: number, host: Clock): Clock {
    const start = this.#afterStream(thread, stream, host);
    this.#alone.get(this.#streams[stream]?.device ?? -1)?.joinInto(start, { thread, host });
    return start;
  }

  /** What was just issued comes before all that its devices are given later. */
  runsAlone(issued: Issued, call: Pick<Call, 'thread' | 'position'>, devices: readonly number[]): void {
    for (const device of devices) {
      const sequence = this.#alone.get(device) ?? new Sequence(this.#threads === 1);
      this.#alone.set(device, sequence);
      sequence.add(issued, call);
    }
  }

  /** Into `target`, as which the caller's own clock will do: what was surely issued to the streams that are meant. */
  joinStreams(target: Clock, { thread, host }: Issuer, isMeant: (stream: number) => boolean): void {
    const before = host.slice();
    for (const [number, { stream }] of this.#lanes.entries()) {
      if (isMeant(stream)) this.#joinLane(target, number, thread, before);
    }
  }

  joinDevice(target: Clock, caller: Issuer, device: number): void {
    this.joinStreams(target, caller, (stream) => this.#streams[stream]?.device === device);
  }

  /** To synchronise is an action in the stream: in the legacy default stream it waits for blocking streams first. */
  waitForStream(caller: Issuer, stream: number): void {
    const { thread, host } = caller;
    const isLegacy = this.#streams[stream]?.kind === 'legacy-default';
    if (isLegacy) join(host, this.#afterStream(thread, stream, host));
    else this.joinStreams(host, caller, (other) => other === stream);
  }

  /** Adds to the lane what was just issued to it. */
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

  /** Joins what was surely issued to the lane when `thread` called, with `host` as its clock. */
  #joinLane(target: Clock, number: number, thread: number, host: Clock): void {
    const lane = this.#lanes[number];
    if (lane === undefined) return;
    const issued = lane.thread === thread ? lane.count : countUpTo(lane.positions, host[lane.thread] ?? 0);
    const entry = number + this.#threads;
    // Who knows this one to be over knows what it came after. A later pass may know more of that than the one before.
    if (!this.#repeats && (target[entry] ?? 0) >= issued) return;
    const last = issued === lane.count ? lane.last : lane.starts[issued - 1];
    if (last != null) joinCompleted(target, last, entry, issued);
  }
}
