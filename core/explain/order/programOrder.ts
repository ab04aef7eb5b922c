/**
 * Finds what must be complete before each operation of a program begins, in every execution: happens-before, with
 * vector clocks.
 *
 * Rules (core/rules): issue-before-run, stream-order, legacy-default-stream, non-blocking-stream, event-order,
 * synchronize-holds-host, pageable-copy-holds-host, pageable-destination-holds-host, host-to-host-copy,
 * blocking-memcpy, peer-copy, stream-ordered-allocation.
 * - An operation begins after everything that its thread knew to be complete at the call, and after earlier work of its
 *   own stream, or of streams tied to it by the legacy default stream (lanes.ts).
 * - A wait for an event comes after the record that it binds to (eventRecords.ts), a wait for a signal after as many
 *   signals (signalCalls.ts).
 * - Launches of one graph run one after another. A cudaMemcpy between two devices runs alone on both.
 *
 * Knowing more about one thread may tell more about another. So with signals, or events that threads share, the
 * schedule is walked until nothing new is found, at most `mostPasses` times. Stopping early only finds less.
 */
import { aloneOn } from '../../program/aloneCopies.ts';
import type { Instruction, Program } from '../../program/program.ts';
import { atOnce, type InSteps } from '../../steps.ts';
import {
  type Call,
  type Caller,
  holdsUntilDone,
  type Issued,
  type IssuedInstruction,
  isIssued,
  synchronizesFirst,
} from './calls.ts';
import { type Clock, join, joinCompleted } from './clock.ts';
import { EventRecords } from './eventRecords.ts';
import { Lanes } from './lanes.ts';
import type { Schedule } from './schedule.ts';
import { Sequence } from './sequence.ts';
import { SignalCalls } from './signalCalls.ts';

const mostPasses = 8;
const callsPerStep = 1000;
/** Limit of stored clock entries, of four bytes each, if there are several threads. */
export const mostEntries = 2 ** 28;

export class ProgramOrder {
  /** Number of steps of the schedule that are followed; fewer than all if they have too many lanes. */
  readonly steps: number;
  /** State at the current call of the walk. */
  readonly lanes: Lanes;
  readonly records: EventRecords;
  readonly #program: Program;
  readonly #schedule: Schedule;
  readonly #asGraph: boolean;
  readonly #signals: SignalCalls;
  /** Launches of each graph since its last capture. */
  readonly #launches = new Map<number, Sequence>();
  readonly #hosts: Clock[];
  readonly #positions: number[];
  readonly #repeats: boolean;
  #learned = false;

  /** `asGraph`: the program is the content of a graph, and no host waits for any of it. */
  constructor(program: Program, schedule: Schedule, asGraph = false, most = mostEntries) {
    const { threads } = program;
    this.#program = program;
    this.#schedule = schedule;
    this.#asGraph = asGraph;
    this.lanes = new Lanes(program);
    this.records = new EventRecords(threads.length, this.lanes);
    this.#signals = new SignalCalls(program);
    this.#repeats = this.#prepare() && threads.length > 1;
    const { width } = this.lanes;
    this.steps = threads.length === 1 ? schedule.count : Math.min(schedule.count, Math.floor(most / width));
    this.#hosts = threads.map(() => new Int32Array(width));
    this.#positions = threads.map(() => 0);
  }

  /** Calls `visit` for every call of the schedule, after the passes that learn what is certain. */
  walk(visit: (call: Call) => void): void {
    atOnce(this.walkInSteps(visit));
  }

  *walkInSteps(visit: (call: Call) => void): InSteps<void> {
    for (let pass = 1; this.#repeats && pass < mostPasses; pass += 1) {
      yield* this.#pass(null);
      if (!this.#learned) break;
    }
    yield* this.#pass(visit);
  }

  /** Finds lanes, and lists records and signals. Returns whether one pass may not be enough. */
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
      // Host signals during a capture take effect at once.
      if (capturing[thread] === true && isIssued(instruction)) continue;
      if ('event' in instruction) {
        areShared ||= (users.get(instruction.event) ?? thread) !== thread;
        users.set(instruction.event, thread);
      }
      if (instruction.code === 'recordEvent') this.records.list(thread, position, instruction);
      if (instruction.code === 'signal' || instruction.code === 'waitSignal') {
        this.#signals.list(instruction.code, instruction.signal, thread, position);
      }
      if (isIssued(instruction)) this.lanes.find(thread, instruction.stream);
    }
    return this.#program.signals.length > 0 || areShared;
  }

  #at(step: number): [thread: number, instruction: Instruction] {
    const thread = this.#schedule.thread[step] ?? 0;
    const instruction = this.#program.threads[thread]?.instructions[this.#schedule.index[step] ?? 0];
    if (instruction === undefined) throw new RangeError(`no instruction at step ${step}`);
    return [thread, instruction];
  }

  *#pass(visit: ((call: Call) => void) | null): InSteps<void> {
    this.#learned = false;
    this.#launches.clear();
    this.lanes.restart(this.#repeats);
    this.records.restart(this.#repeats);
    this.#signals.restart();
    for (const host of this.#hosts) host.fill(0);
    this.#positions.fill(0);
    const capturing = this.#program.threads.map(() => false);
    for (let step = 0; step < this.steps; step += 1) {
      const [thread, instruction] = this.#at(step);
      if (instruction.code === 'beginCapture') capturing[thread] = true;
      if (instruction.code === 'endCapture') capturing[thread] = false;
      this.#call(thread, instruction, capturing[thread] === true && isIssued(instruction), visit);
      if (step % callsPerStep === callsPerStep - 1) yield;
    }
  }

  #call(thread: number, instruction: Instruction, captured: boolean, visit: ((call: Call) => void) | null): void {
    const host = this.#hosts[thread];
    if (host === undefined) return;
    const position = (this.#positions[thread] ?? 0) + 1;
    this.#positions[thread] = position;
    if (!captured) this.#before(instruction, { thread, position, host });
    // After a new capture it is another graph, which doesn't wait for launches of the old one.
    if (instruction.code === 'endCapture') this.#launches.delete(instruction.graph);
    const issued = !captured && isIssued(instruction) ? this.#issue(instruction, { thread, position, host }) : null;
    visit?.({ thread, instruction, position, host, issued });
    if (issued !== null && !this.#asGraph && holdsUntilDone(instruction, this.#program)) {
      joinCompleted(host, issued.start, issued.lane, issued.index);
    }
    host[thread] = position;
  }

  /** Joins what the call itself waits for before it does anything. */
  #before(instruction: Instruction, call: Caller): void {
    switch (instruction.code) {
      case 'synchronizeStream':
        this.lanes.waitForStream(call, instruction.stream);
        break;
      case 'copy':
        if (synchronizesFirst(instruction, this.#program)) this.lanes.waitForStream(call, instruction.stream);
        break;
      case 'synchronizeDevice':
        this.lanes.joinDevice(call.host, call, instruction.device);
        break;
      case 'synchronizeEvent':
        join(call.host, this.records.completed(call, instruction.event));
        break;
      case 'free': {
        // cudaFree and cudaFreeHost synchronise, so they only free unused memory.
        const { device, memory } = this.#program.buffers[instruction.buffer] ?? { device: -1, memory: 'pageable' };
        if (instruction.allocator !== 'cuda-malloc' || memory === 'pageable') break;
        if (device < 0) this.lanes.joinStreams(call.host, call, () => true);
        else this.lanes.joinDevice(call.host, call, device);
        break;
      }
      case 'signal':
        if (this.#signals.signal(instruction.signal, call)) this.#learned = true;
        break;
      case 'waitSignal':
        if (this.#signals.wait(instruction.signal, call)) this.#learned = true;
        break;
      default:
    }
  }

  #issue(instruction: IssuedInstruction, call: Caller): Issued {
    const start = this.lanes.startIn(call.thread, instruction.stream, call.host);
    if (instruction.code === 'waitEvent') join(start, this.records.completed(call, instruction.event));
    const launches = instruction.code === 'launchGraph' ? this.#launchesOf(instruction.graph) : null;
    launches?.joinInto(start, call);
    const devices = aloneOn(instruction, this.#program);
    for (const device of devices) this.lanes.joinDevice(start, call, device);
    const issued = this.lanes.append(call, instruction.stream, start);
    launches?.add(issued, call);
    this.lanes.runsAlone(issued, call, devices);
    if (instruction.code === 'recordEvent' && this.records.add(instruction.event, call, issued)) this.#learned = true;
    return issued;
  }

  #launchesOf(graph: number): Sequence {
    const known = this.#launches.get(graph) ?? new Sequence(this.#hosts.length === 1);
    this.#launches.set(graph, known);
    return known;
  }
}
