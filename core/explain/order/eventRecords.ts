/**
 * Finds the record that a wait for an event binds to, and what is complete then. A wait binds to the latest record at
 * the time of its call. With several host threads, several records may be the latest; then only work before all of them
 * is certain. A wait for an event without a record doesn't wait.
 */
import type { InstructionOf } from '../../program/program.ts';
import { type Call, type Caller, type Calls, countBefore, type Issued } from './calls.ts';
import { type Clock, join, joinCompleted, meet, sameClock } from './clock.ts';
import type { Lanes } from './lanes.ts';

/** Limit of candidates for the latest record. Beyond it, nothing is certain. */
const mostCandidates = 512;

export interface EventRecord {
  readonly op: number;
  readonly thread: number;
  readonly position: number;
  readonly stream: number;
  lane: number;
  index: number;
  /** Start clock in the last pass; null before the first pass reaches it. */
  start: Clock | null;
  /** Clock of the calling thread at the call. */
  host: Clock | null;
}

export interface Bound {
  readonly records: readonly EventRecord[];
  /** Last record of each thread that is certain to come before the wait, even if another one has replaced it. */
  readonly latest: readonly EventRecord[];
  /** Whether a record certainly exists. */
  readonly certain: boolean;
}

export class EventRecords {
  readonly #threads: number;
  readonly #lanes: Lanes;
  /** Calls of each recorded event, by thread. */
  readonly #records = new Map<number, Calls<EventRecord>[]>();
  #repeats = false;

  constructor(threads: number, lanes: Lanes) {
    this.#threads = threads;
    this.#lanes = lanes;
  }

  /** Adds a record of the schedule, before the first pass. */
  list(thread: number, position: number, { op, event, stream }: InstructionOf<'recordEvent'>): void {
    const record = { op, thread, position, stream, lane: -1, index: 0, start: null, host: null };
    const known = this.#records.get(event);
    const calls = known ?? Array.from({ length: this.#threads }, (): Calls<EventRecord> => ({ items: [], met: 0 }));
    if (known === undefined) this.#records.set(event, calls);
    calls[thread]?.items.push(record);
  }

  /** See Lanes.restart. */
  restart(repeats: boolean): void {
    this.#repeats = repeats;
    for (const calls of this.#records.values()) for (const one of calls) one.met = 0;
  }

  /** Handles the next record of the event. Returns whether it taught more than the last pass. */
  add(event: number, { thread, host }: Pick<Call, 'thread' | 'host'>, { lane, index, start }: Issued): boolean {
    const calls = this.#records.get(event)?.[thread];
    const record = calls?.items[calls.met];
    if (calls === undefined || record === undefined) return false;
    // With one thread, a wait only needs the latest record.
    const before = this.#threads === 1 ? calls.items[calls.met - 1] : undefined;
    if (before !== undefined) before.start = null;
    calls.met += 1;
    const learned = this.#repeats && !sameClock(record.start, start);
    [record.lane, record.index, record.start] = [lane, index, start];
    if (this.#repeats) record.host = host.slice();
    return learned;
  }

  /** Returns the records that a wait by this call may bind to. */
  bound({ thread, position, host }: Caller, event: number): Bound {
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

  /** Returns what is complete when a wait by this call ends. */
  completed(call: Caller, event: number): Clock {
    const { width } = this.#lanes;
    const { records, latest, certain } = this.bound(call, event);
    if (!certain) return new Int32Array(width);
    const clocks = records.map((record) => this.#completedBy(record, latest));
    return clocks.length === 1 ? (clocks[0] ?? new Int32Array(width)) : meet(clocks, width);
  }

  /**
   * Returns what is complete when a wait bound to `record` ends. It was called after the records that are certain to
   * come before the wait, so work of their streams is ahead of it if the streams are tied.
   */
  #completedBy({ start, lane, index, stream }: EventRecord, earlier: readonly EventRecord[]): Clock {
    const clock = new Int32Array(this.#lanes.width);
    if (start !== null) joinCompleted(clock, start, lane, index);
    for (const other of earlier) {
      if (other.lane === lane || other.host === null) continue;
      const host = other.host.slice();
      host[other.thread] = other.position;
      join(clock, this.#lanes.startIn(-1, stream, host));
    }
    return clock;
  }
}

export const isOver = ({ lane, index }: EventRecord, clock: Clock): boolean => lane >= 0 && (clock[lane] ?? 0) >= index;
