/**
 * What must be over before each operation of a program begins, in every execution: happens-before, by vector clocks.
 *
 * Rules (core/rules): issue-before-run, stream-order, legacy-default-stream, non-blocking-stream, event-order,
 * synchronize-holds-host, pageable-copy-holds-host, pageable-destination-holds-host, host-to-host-copy,
 * blocking-memcpy, stream-ordered-allocation.
 * - An operation begins after everything that its thread knew to be over when it called, and after what was surely
 *   issued before it to its own stream, or to one that the legacy default stream ties it to.
 * - A wait for an event binds to the latest record at the time of the call. With several host threads several records
 *   may be the latest one: only what all of them have behind them is certain. An event nobody has recorded holds
 *   nothing up.
 * - The n-th wait for a signal comes after n signals, whichever they are (clock.ts, anyOf); a signal that finds the
 *   count full comes after as many waits as made room.
 * - Launches of one graph run one after another.
 *
 * Knowing more of one thread may tell more of another. So with signals, or events that threads share, the schedule is
 * walked again until nothing new is found, at most `mostPasses` times: stopping early only knows less.
 */
import { lowerBound } from '../../lowerBound.ts';
import type { Instruction, InstructionOf, Program, ProgramStream } from '../../program/program.ts';
import { anyOf, type Clock, countUpTo, join, joinCompleted, meet, sameClock } from './clock.ts';
import type { Schedule } from './schedule.ts';
import { holdsUntilDone, synchronizesFirst } from './touches.ts';

const mostPasses = 8;
/** Records that may be the latest one, or signals that may have let a wait through: of more, nothing is certain. */
const mostCandidates = 512;
/** Entries in the clocks that are kept where there are several threads, of four bytes each. */
export const mostEntries = 2 ** 28;

/** One call of a host thread. `host`, the clock as the call begins, is only lent: it changes afterwards. */
export interface Call {
  readonly thread: number;
  readonly instruction: Instruction;
  /** Counts the thread's calls from 1. */
  readonly position: number;
  readonly host: Clock;
  /** What was issued by the call: where it stands in its lane, and what is over when it begins. Null for host calls. */
  readonly issued: Issued | null;
}

export type Caller = Pick<Call, 'thread' | 'position' | 'host'>;

/** Whether a call surely comes after an earlier one of the schedule. */
export const isAfter = ({ thread, host }: Caller, earlier: Pick<Call, 'thread' | 'position'>): boolean =>
  earlier.thread === thread || (host[earlier.thread] ?? 0) >= earlier.position;

export interface Issued {
  /** Its entry in clocks. */
  readonly lane: number;
  readonly index: number;
  readonly start: Clock;
}

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

export interface EventRecord {
  readonly op: number;
  readonly thread: number;
  readonly position: number;
  readonly stream: number;
  lane: number;
  index: number;
  /** As of the last pass; null before the first one came by. */
  start: Clock | null;
  /** The calling thread's clock when it called. */
  host: Clock | null;
}

interface Launch extends Issued {
  readonly position: number;
}

interface SignalCall {
  readonly position: number;
  /** When it took effect; null before the first pass came by. */
  clock: Clock | null;
}

/** By thread: their calls in order, and how many of them this pass has met. */
interface Calls<Item> {
  readonly items: Item[];
  met: number;
}

export class Order {
  readonly width: number;
  /** Steps of the schedule that are followed: of too many, in too many lanes, not all. */
  readonly steps: number;
  readonly #program: Program;
  readonly #schedule: Schedule;
  readonly #asGraph: boolean;
  readonly #lanes: Lane[] = [];
  readonly #laneOf: Map<number, number>[];
  /** By stream: lanes whose earlier work a new operation in it waits for, its own too. */
  readonly #waitsFor = new Map<number, readonly number[]>();
  readonly #hosts: Clock[];
  readonly #positions: number[];
  /** By event; only of those that are recorded. */
  readonly #records = new Map<number, Calls<EventRecord>[]>();
  readonly #signals: Calls<SignalCall>[][];
  readonly #waits: Calls<SignalCall>[][];
  /** Launches so far of each graph, by lane. */
  readonly #launches = new Map<number, Map<number, Launch[]>>();
  readonly #again: boolean;
  #changed = false;

  /** `asGraph`: the program is what a graph holds, and no host waits for any of it. */
  constructor(program: Program, schedule: Schedule, asGraph = false, most = mostEntries) {
    this.#program = program;
    this.#asGraph = asGraph;
    this.#schedule = schedule;
    this.#laneOf = program.threads.map(() => new Map());
    this.#signals = program.signals.map(() => program.threads.map(() => ({ items: [], met: 0 })));
    this.#waits = program.signals.map(() => program.threads.map(() => ({ items: [], met: 0 })));
    this.#again = this.#prepare() && program.threads.length > 1;
    this.width = program.threads.length + this.#lanes.length;
    const isAlone = program.threads.length === 1;
    this.steps = isAlone ? schedule.count : Math.min(schedule.count, Math.floor(most / this.width));
    this.#hosts = program.threads.map(() => new Int32Array(this.width));
    this.#positions = program.threads.map(() => 0);
  }

  /** Calls `visit` for every call along the schedule, once all that can be known is known. */
  walk(visit: (call: Call) => void): void {
    for (let pass = 1; this.#again && pass < mostPasses; pass += 1) {
      this.#pass(null);
      if (!this.#changed) break;
    }
    this.#pass(visit);
  }

  /**
   * What a new operation in `stream`, issued by a call of `thread` that begins with `host`, would begin after: also for
   * what doesn't become part of the stream, such as the reuse of freed memory. `thread` is -1 for none in particular:
   * then `host` says of every thread how far it has come.
   */
  startIn(thread: number, stream: number, host: Clock): Clock {
    const start = host.slice();
    for (const number of this.#lanesBefore(stream)) this.#joinLane(start, number, thread, host);
    return start;
  }

  /** Records that a wait, called as given, may bind to; `certain` where none of them can be missing. */
  boundRecords({ thread, position, host }: Caller, event: number): Bound {
    const [latest, others]: [EventRecord[], EventRecord[]] = [[], []];
    for (const [from, { items, met }] of (this.#records.get(event) ?? []).entries()) {
      const before = from === thread ? met : countBefore(items, host[from] ?? 0);
      const last = items[before - 1];
      if (last !== undefined) latest.push(last);
      if (from === thread) continue;
      for (let at = before; at < items.length; at += 1) {
        const record = items[at];
        if (record === undefined || (record.start?.[thread] ?? 0) >= position) break;
        others.push(record);
        if (others.length > mostCandidates) return { records: others, latest, certain: false };
      }
    }
    const isOverwritten = (one: EventRecord): boolean =>
      latest.some((other) => other !== one && (other.start?.[one.thread] ?? 0) >= one.position);
    const records = [...latest.filter((one) => !isOverwritten(one)), ...others];
    return { records, latest, certain: latest.length > 0 };
  }

  /** Finds the lanes, and lists records and signals. Whether one pass may not be enough. */
  #prepare(): boolean {
    const capturing = this.#program.threads.map(() => false);
    const positions = this.#program.threads.map(() => 0);
    const users = new Map<number, number>();
    let areShared = false;
    for (let step = 0; step < this.#schedule.count; step += 1) {
      const [thread, instruction] = this.#at(step);
      const position = (positions[thread] ?? 0) + 1;
      positions[thread] = position;
      if (instruction.code === 'beginCapture') capturing[thread] = true;
      if (instruction.code === 'endCapture') capturing[thread] = false;
      // What a host thread signals while it captures takes effect at once.
      if (capturing[thread] === true && isIssued(instruction)) continue;
      if ('event' in instruction) {
        areShared ||= (users.get(instruction.event) ?? thread) !== thread;
        users.set(instruction.event, thread);
      }
      this.#list(thread, position, instruction);
      if (isIssued(instruction)) this.#findLane(thread, instruction.stream);
    }
    return this.#program.signals.length > 0 || areShared;
  }

  #list(thread: number, position: number, instruction: Instruction): void {
    switch (instruction.code) {
      case 'recordEvent': {
        const { op, stream } = instruction;
        const record = { op, thread, position, stream, lane: -1, index: 0, start: null, host: null };
        this.#recordsOf(instruction.event)[thread]?.items.push(record);
        break;
      }
      case 'signal':
        this.#signals[instruction.signal]?.[thread]?.items.push({ position, clock: null });
        break;
      case 'waitSignal':
        this.#waits[instruction.signal]?.[thread]?.items.push({ position, clock: null });
        break;
      default:
    }
  }

  #recordsOf(event: number): Calls<EventRecord>[] {
    const known = this.#records.get(event);
    if (known !== undefined) return known;
    const calls = this.#program.threads.map((): Calls<EventRecord> => ({ items: [], met: 0 }));
    this.#records.set(event, calls);
    return calls;
  }

  #findLane(thread: number, stream: number): number {
    const lanes = this.#laneOf[thread];
    const known = lanes?.get(stream);
    if (known !== undefined) return known;
    const lane = this.#lanes.push({ thread, stream, count: 0, last: null, positions: [], starts: [] }) - 1;
    lanes?.set(stream, lane);
    return lane;
  }

  #lanesBefore(stream: number): readonly number[] {
    const known = this.#waitsFor.get(stream);
    if (known !== undefined) return known;
    const { streams } = this.#program;
    const before = this.#lanes.flatMap((lane, number) =>
      lane.stream === stream || areTied(streams[stream], streams[lane.stream]) ? number : [],
    );
    this.#waitsFor.set(stream, before);
    return before;
  }

  #at(step: number): [thread: number, instruction: Instruction] {
    const thread = this.#schedule.thread[step] ?? 0;
    const instruction = this.#program.threads[thread]?.instructions[this.#schedule.index[step] ?? 0];
    if (instruction === undefined) throw new RangeError(`no instruction at step ${step}`);
    return [thread, instruction];
  }

  #pass(visit: ((call: Call) => void) | null): void {
    this.#changed = false;
    this.#launches.clear();
    for (const lane of this.#lanes) [lane.count, lane.last, lane.positions, lane.starts] = [0, null, [], []];
    for (const calls of [...this.#records.values(), ...this.#signals, ...this.#waits].flat()) calls.met = 0;
    for (const host of this.#hosts) host.fill(0);
    this.#positions.fill(0);
    const capturing = this.#program.threads.map(() => false);
    for (let step = 0; step < this.steps; step += 1) {
      const [thread, instruction] = this.#at(step);
      if (instruction.code === 'beginCapture') capturing[thread] = true;
      if (instruction.code === 'endCapture') capturing[thread] = false;
      this.#call(thread, instruction, capturing[thread] === true && isIssued(instruction), visit);
    }
  }

  #call(thread: number, instruction: Instruction, captured: boolean, visit: ((call: Call) => void) | null): void {
    const host = this.#hosts[thread];
    if (host === undefined) return;
    const position = (this.#positions[thread] ?? 0) + 1;
    this.#positions[thread] = position;
    if (!captured) this.#before(instruction, { thread, position, host });
    // Captured anew it is another graph, which doesn't wait for launches of the one before.
    if (instruction.code === 'endCapture') this.#launches.delete(instruction.graph);
    const issued = !captured && isIssued(instruction) ? this.#issue(instruction, { thread, position, host }) : null;
    visit?.({ thread, instruction, position, host, issued });
    if (issued !== null && !this.#asGraph && holdsUntilDone(instruction, this.#program)) {
      joinCompleted(host, issued.start, issued.lane, issued.index);
    }
    host[thread] = position;
  }

  /** What the call itself waits for before it does anything. */
  #before(instruction: Instruction, call: Caller): void {
    const { host } = call;
    switch (instruction.code) {
      case 'synchronizeStream':
        this.#synchronizeStream(call, instruction.stream);
        break;
      case 'copy':
        if (synchronizesFirst(instruction, this.#program)) this.#synchronizeStream(call, instruction.stream);
        break;
      case 'synchronizeDevice':
        this.#joinLanes(call, ({ stream }) => this.#program.streams[stream]?.device === instruction.device);
        break;
      case 'synchronizeEvent':
        join(host, this.#boundClock(call, instruction.event));
        break;
      case 'free': {
        // cudaFree and cudaFreeHost synchronise; so they only ever free what is no longer used.
        const { device, memory } = this.#program.buffers[instruction.buffer] ?? { device: -1, memory: 'pageable' };
        if (instruction.allocator === 'cuda-malloc' && memory !== 'pageable') {
          this.#joinLanes(call, ({ stream }) => device < 0 || this.#program.streams[stream]?.device === device);
        }
        break;
      }
      case 'signal':
        this.#signal(instruction, call);
        break;
      case 'waitSignal':
        this.#waitSignal(instruction, call);
        break;
      default:
    }
  }

  #joinLanes({ thread, host }: Pick<Call, 'thread' | 'host'>, isMeant: (lane: Lane) => boolean): void {
    const before = host.slice();
    for (const [number, lane] of this.#lanes.entries()) if (isMeant(lane)) this.#joinLane(host, number, thread, before);
  }

  /** It is an action in the stream: in the legacy default stream it waits for blocking streams first. */
  #synchronizeStream(call: Caller, synchronized: number): void {
    const isLegacy = this.#program.streams[synchronized]?.kind === 'legacy-default';
    if (isLegacy) join(call.host, this.startIn(call.thread, synchronized, call.host));
    else this.#joinLanes(call, ({ stream }) => stream === synchronized);
  }

  /** Joins what was surely issued to the lane when `thread` called, with `host` as its clock. */
  #joinLane(target: Clock, number: number, thread: number, host: Clock): void {
    const lane = this.#lanes[number];
    if (lane === undefined) return;
    const issued = lane.thread === thread ? lane.count : countUpTo(lane.positions, host[lane.thread] ?? 0);
    const entry = number + this.#hosts.length;
    // Who knows this one to be over knows what it came after. A later pass may know more of that than the one before.
    if (!this.#again && (target[entry] ?? 0) >= issued) return;
    const last = issued === lane.count ? lane.last : lane.starts[issued - 1];
    if (last != null) joinCompleted(target, last, entry, issued);
  }

  #issue(instruction: IssuedInstruction, call: Caller): Issued {
    const { thread, position, host } = call;
    const number = this.#findLane(thread, instruction.stream);
    const start = this.startIn(thread, instruction.stream, host);
    if (instruction.code === 'waitEvent') join(start, this.#boundClock(call, instruction.event));
    if (instruction.code === 'launchGraph') this.#joinLaunches(start, instruction.graph, thread, host);
    const issued = { lane: this.#hosts.length + number, index: this.#append(number, position, start), start };
    if (instruction.code === 'recordEvent') this.#record(instruction.event, thread, issued, host);
    if (instruction.code === 'launchGraph') this.#launch(instruction.graph, { ...issued, position });
    return issued;
  }

  /** Adds to a lane what was just issued, and returns how much is in it now. */
  #append(number: number, position: number, start: Clock): number {
    const lane = this.#lanes[number];
    if (lane === undefined) return 0;
    lane.count += 1;
    lane.last = start;
    if (this.#hosts.length > 1) {
      lane.positions.push(position);
      lane.starts.push(start);
    }
    return lane.count;
  }

  #launch(graph: number, launch: Launch): void {
    const ofGraph = this.#launches.get(graph) ?? new Map<number, Launch[]>();
    this.#launches.set(graph, ofGraph);
    const inLane = ofGraph.get(launch.lane);
    // A lone thread asks for the last one only.
    if (inLane === undefined || this.#hosts.length === 1) ofGraph.set(launch.lane, [launch]);
    else inLane.push(launch);
  }

  /** Of each lane the last that surely came before: it has the lane's earlier ones behind it. */
  #joinLaunches(start: Clock, graph: number, thread: number, host: Clock): void {
    for (const [lane, launches] of this.#launches.get(graph) ?? []) {
      const from = this.#lanes[lane - this.#hosts.length]?.thread ?? 0;
      const before = from === thread ? launches.length : countBefore(launches, host[from] ?? 0);
      const last = launches[before - 1];
      if (last !== undefined) joinCompleted(start, last.start, lane, last.index);
    }
  }

  #record(event: number, thread: number, { lane, index, start }: Issued, host: Clock): void {
    const calls = this.#records.get(event)?.[thread];
    const record = calls?.items[calls.met];
    if (calls === undefined || record === undefined) return;
    // A lone thread waits for the latest record only.
    const before = this.#hosts.length === 1 ? calls.items[calls.met - 1] : undefined;
    if (before !== undefined) before.start = null;
    calls.met += 1;
    this.#changed ||= this.#again && !sameClock(record.start, start);
    [record.lane, record.index, record.start] = [lane, index, start];
    if (this.#again) record.host = host.slice();
  }

  #boundClock(call: Caller, event: number): Clock {
    const { records, latest, certain } = this.boundRecords(call, event);
    if (!certain) return new Int32Array(this.width);
    const clocks = records.map((record) => this.#completed(record, latest));
    return clocks.length === 1 ? (clocks[0] ?? new Int32Array(this.width)) : meet(clocks, this.width);
  }

  /**
   * What is over when `record` is, if that is the one a wait is bound to: then it was called after the records that
   * surely came before the wait, so their streams' work is ahead of it where the streams are tied.
   */
  #completed({ start, lane, index, stream }: EventRecord, earlier: readonly EventRecord[]): Clock {
    const clock = new Int32Array(this.width);
    if (start !== null) joinCompleted(clock, start, lane, index);
    for (const other of earlier) {
      if (other.lane === lane || other.host === null) continue;
      const host = other.host.slice();
      host[other.thread] = other.position;
      join(clock, this.startIn(-1, stream, host));
    }
    return clock;
  }

  #signal({ signal }: InstructionOf<'signal'>, call: Caller): void {
    const capacity = this.#program.signals[signal]?.capacity ?? 1;
    this.#await(this.#signals[signal], this.#waits[signal], -capacity, call);
  }

  #waitSignal({ signal }: InstructionOf<'waitSignal'>, call: Caller): void {
    this.#await(this.#waits[signal], this.#signals[signal], 0, call);
  }

  /** The n-th of `own` calls comes after n + `offset` of the `others`. What it learns may raise n. */
  #await(
    own: Calls<SignalCall>[] | undefined,
    others: Calls<SignalCall>[] | undefined,
    offset: number,
    call: Caller,
  ): void {
    const { thread, host } = call;
    if (own === undefined || others === undefined) return;
    for (let known = -1; ; ) {
      const before = own.reduce(
        (sum, { items, met }, from) => sum + (from === thread ? met : countBefore(items, host[from] ?? 0)),
        0,
      );
      const needed = before + 1 + offset;
      if (needed <= known || needed <= 0) break;
      known = needed;
      join(host, this.#afterAny(others, needed, call));
    }
    const calls = own[thread];
    const item = calls?.items[calls.met];
    if (calls === undefined || item === undefined) return;
    calls.met += 1;
    const clock = host.slice();
    clock[thread] = call.position;
    this.#changed ||= !sameClock(item.clock, clock);
    item.clock = clock;
  }

  #afterAny(others: readonly Calls<SignalCall>[], needed: number, { thread, position }: Caller): Clock {
    const nothing = new Int32Array(this.width);
    const isPossible = ({ clock }: SignalCall): boolean => (clock?.[thread] ?? 0) < position;
    const used = others.flatMap(({ items, met }, from) => {
      const count = from === thread ? Math.min(met, needed) : countPossible(items, met, needed, isPossible);
      return count === 0 ? [] : { items, count };
    });
    const [only, ...more] = used;
    if (more.length === 0) return only?.count === needed ? (only.items[needed - 1]?.clock ?? nothing) : nothing;
    const total = used.reduce((sum, { count }) => sum + count, 0);
    if (total < needed || total > mostCandidates) return nothing;
    const clocks = used.flatMap(({ items, count }) => {
      let last: Clock = nothing;
      // Not met yet by any pass: it comes after those of its thread that were.
      return items.slice(0, count).map(({ clock }) => (last = clock ?? last));
    });
    return anyOf(clocks, needed, this.width);
  }
}

export interface Bound {
  readonly records: readonly EventRecord[];
  /** The last record of each thread that surely came before the wait, also where another one replaced it since. */
  readonly latest: readonly EventRecord[];
  readonly certain: boolean;
}

/** How many of the first `most` items are possible one after another. Those met along the schedule came before. */
function countPossible(
  items: readonly SignalCall[],
  met: number,
  most: number,
  isPossible: (item: SignalCall) => boolean,
): number {
  const end = Math.min(items.length, most);
  let count = Math.min(met, end);
  for (; count < end; count += 1) {
    const item = items[count];
    if (item === undefined || !isPossible(item)) break;
  }
  return count;
}

const countBefore = (items: readonly { readonly position: number }[], position: number): number =>
  lowerBound(0, items.length, (index) => (items[index]?.position ?? 0) <= position);

const isBlocking = (stream: ProgramStream | undefined): boolean =>
  stream?.kind === 'blocking' || stream?.kind === 'per-thread-default';

/** Whether the legacy default stream orders work of the two. */
function areTied(a: ProgramStream | undefined, b: ProgramStream | undefined): boolean {
  if (a?.device !== b?.device) return false;
  return (a?.kind === 'legacy-default' && isBlocking(b)) || (b?.kind === 'legacy-default' && isBlocking(a));
}

type IssuedCode =
  | 'copy'
  | 'memset'
  | 'kernel'
  | 'recordEvent'
  | 'waitEvent'
  | 'hostFunction'
  | 'multiCopy'
  | 'launchGraph'
  | 'item';
type IssuedInstruction = InstructionOf<IssuedCode> | InstructionOf<'allocate'> | InstructionOf<'free'>;

/** Whether it becomes part of a stream. Of the allocators only cudaMallocAsync and cudaFreeAsync do. */
export function isIssued(instruction: Instruction): instruction is IssuedInstruction {
  switch (instruction.code) {
    case 'copy':
    case 'memset':
    case 'kernel':
    case 'recordEvent':
    case 'waitEvent':
    case 'hostFunction':
    case 'multiCopy':
    case 'launchGraph':
    case 'item':
      return true;
    case 'allocate':
    case 'free':
      return instruction.allocator === 'pool';
    default:
      return false;
  }
}
