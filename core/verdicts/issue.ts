/**
 * The order in which an iteration's work was issued: the program, unrolled, with the calls and activities that the
 * trace holds for it. The order of the device (order.ts) follows from it.
 */

import { type HostCalls, hostCalls } from '../figures/hostCalls.ts';
import { append } from '../groupBy.ts';
import type { Issued } from '../order/deviceOrder.ts';
import { type Launch, LaunchedGraphs } from '../order/launchedGraphs.ts';
import { aloneOn } from '../program/aloneCopies.ts';
import type { Instruction, Program, ProgramThread } from '../program/program.ts';
import { type Iteration, rowKind, rowStart } from '../trace/iteration.ts';
import type { RowIndex, RowKind } from '../trace/trace.ts';

export interface IssueOrder {
  readonly issued: readonly Issued[];
  /** Position in `issued` of a device row. */
  readonly positionOf: ReadonlyMap<RowIndex, number>;
  /** By position: the device row of the last work in its stream up to and with it; -1 for none. */
  readonly lastWork: Int32Array;
  /**
   * Positions of event waits, of everything in a legacy default stream, of what graphs hold, and of copies beside which
   * nothing runs on their devices; ascending, a list for each stream.
   */
  readonly waits: readonly Int32Array[];
  readonly legacyWork: readonly Int32Array[];
  readonly launchWork: readonly Int32Array[];
  readonly aloneWork: readonly Int32Array[];
}

type Timed = Issued & { readonly time: number };

export function issueOrder(iteration: Iteration, program: Program | null): IssueOrder {
  const timed = program === null ? fromRows(iteration) : fromProgram(iteration, program);
  // Stable: what was issued at one time by one thread stays in program order.
  const issued = timed.sort((a, b) => a.time - b.time);
  const positionOf = new Map<RowIndex, number>();
  for (const [position, { row }] of issued.entries()) if (row >= 0) positionOf.set(row, position);
  const isLegacy = ({ stream }: Issued): boolean => program?.streams[stream]?.kind === 'legacy-default';
  return {
    issued,
    positionOf,
    lastWork: lastWorks(issued),
    waits: positionsByStream(issued, ({ code }) => code === 'waitEvent'),
    legacyWork: positionsByStream(issued, (one) => one.code !== 'synchronize' && isLegacy(one)),
    launchWork: positionsByStream(issued, ({ launch }) => launch !== null),
    aloneWork: positionsByStream(issued, ({ alone }) => alone.length > 0),
  };
}

function positionsByStream(issued: readonly Issued[], fits: (one: Issued) => boolean): Int32Array[] {
  const positions = new Map<number, number[]>();
  for (const [position, one] of issued.entries()) {
    if (fits(one)) append(positions, one.stream, position);
  }
  return [...positions.values()].map((list) => Int32Array.from(list));
}

function lastWorks(issued: readonly Issued[]): Int32Array {
  const last = new Map<number, RowIndex>();
  return Int32Array.from(issued, ({ stream, code, row }) => {
    // A synchronise is no work of a stream.
    if (code === 'synchronize') return -1;
    if (row >= 0 && (code === 'copy' || code === 'kernel' || code === 'other')) last.set(stream, row);
    return last.get(stream) ?? -1;
  });
}

const codes: Partial<Record<RowKind, Issued['code']>> = {
  copy: 'copy',
  kernel: 'kernel',
  memset: 'other',
  'host-function': 'other',
  'event-record': 'recordEvent',
  'event-wait': 'waitEvent',
};

/** Without a program: activities in the order of their calls, streams told apart by their lanes. */
function fromRows(iteration: Iteration): Timed[] {
  const { trace } = iteration;
  const calls = hostCalls(iteration);
  const timed: Timed[] = [];
  for (let row = iteration.begin; row < iteration.end; row += 1) {
    const kind = rowKind(trace, row);
    const code = codes[kind];
    if (code === undefined) continue;
    const call = calls.get(row) ?? row;
    const isMark = code === 'recordEvent' || code === 'waitEvent';
    timed.push({
      op: trace.columns.op[row] ?? -1,
      code,
      stream: trace.columns.lane[row] ?? -1,
      // An importer gives a record and its waits one name.
      event: isMark ? (trace.columns.name[row] ?? -1) : -1,
      device: -1,
      thread: call === row ? -1 : (trace.columns.lane[call] ?? -1),
      launch: null,
      alone: nowhere,
      row,
      time: rowStart(trace, call),
    });
  }
  return timed;
}

const nowhere: readonly number[] = [];

/** What a graph holds besides its rows: events, of which a branch takes four. */
const mostNodesByRow = 8;

function fromProgram(iteration: Iteration, program: Program): Timed[] {
  const rows = new OperationRows(iteration);
  const graphs = new LaunchedGraphs(program);
  // A loop of ten million empty turns is no reason to stop: past what the trace can hold, nothing more is joined.
  const budget = (iteration.end - iteration.begin) * 2 + program.operations.length;
  const timed: Timed[] = [];
  for (const [thread, declared] of program.threads.entries()) {
    let time = 0;
    const place = (instruction: Instruction, node: GraphPlace | null): void => {
      const issued = issue(instruction, thread, node, program);
      if (issued === null) return;
      const found = rows.next(instruction);
      time = Math.max(time, found.time);
      issued.row = found.row;
      issued.time = time;
      timed.push(issued);
    };
    for (const instruction of unroll(declared, budget)) {
      if (timed.length > mostNodesByRow * budget) break;
      if (instruction.code === 'launchGraph') {
        time = Math.max(time, rows.next(instruction).time);
        for (const node of graphs.launched(instruction)) place(node.instruction, node);
      } else if (!graphs.takes(instruction)) place(instruction, null);
    }
  }
  return timed;
}

/** The thread's instructions as executed, at most `budget` of them. */
function* unroll({ instructions }: ProgramThread, budget: number): Generator<Instruction> {
  const left = new Map<number, number>();
  let steps = 0;
  for (let at = 0; at < instructions.length && steps < budget; at += 1) {
    const instruction = instructions[at];
    if (instruction === undefined) return;
    steps += 1;
    if (instruction.code === 'repeat') left.set(at, instruction.count);
    else if (instruction.code === 'endRepeat') {
      const remaining = (left.get(instruction.start) ?? 1) - 1;
      left.set(instruction.start, remaining);
      if (remaining > 0) at = instruction.start;
    } else yield instruction;
  }
}

/** A million of them: one object each, whose row and time are filled in as they are found. */
type Unplaced = Omit<Issued, 'row' | 'alone'> & { alone: readonly number[]; row: RowIndex; time: number };

type GraphPlace = Pick<Issued, 'stream' | 'launch'>;

function issue(instruction: Instruction, thread: number, node: GraphPlace | null, program: Program): Unplaced | null {
  const { op } = instruction;
  const stream = node?.stream ?? ('stream' in instruction ? instruction.stream : -1);
  const launch = node?.launch ?? null;
  const work = (code: Issued['code'], event = -1): Unplaced => unplaced(op, code, thread, stream, launch, event, -1);
  const synchronise = (of: number, event: number, device: number): Unplaced =>
    unplaced(op, 'synchronize', thread, of, null, event, device);
  switch (instruction.code) {
    case 'copy': {
      const copy = work('copy');
      copy.alone = aloneOn(instruction, program);
      return copy;
    }
    case 'kernel':
      return work('kernel');
    case 'item':
      // Its synchronise adds nothing: the copy's own call holds the host.
      return work('copy');
    case 'memset':
    case 'hostFunction':
      return work('other');
    case 'recordEvent':
    case 'waitEvent':
      return work(instruction.code, instruction.event);
    case 'synchronizeStream':
      return synchronise(instruction.stream, -1, -1);
    case 'synchronizeEvent':
      return synchronise(-1, instruction.event, -1);
    case 'synchronizeDevice':
      return synchronise(-1, -1, instruction.device);
    default:
      return null;
  }
}

const unplaced = (
  op: number,
  code: Issued['code'],
  thread: number,
  stream: number,
  launch: Launch | null,
  event: number,
  device: number,
): Unplaced => ({ op, code, stream, event, device, thread, launch, alone: nowhere, row: -1, time: 0 });

/** Hands out an operation's rows in turn: its n-th call and its n-th activity belong to its n-th execution. */
class OperationRows {
  readonly #iteration: Iteration;
  readonly #calls = new Map<number, RowIndex[]>();
  readonly #syncs = new Map<number, RowIndex[]>();
  readonly #activities = new Map<number, RowIndex[]>();
  readonly #callOf: HostCalls;

  constructor(iteration: Iteration) {
    this.#iteration = iteration;
    this.#callOf = hostCalls(iteration);
    for (let row = iteration.begin; row < iteration.end; row += 1) {
      const table = this.#table(row);
      if (table !== null) append(table, iteration.trace.columns.op[row] ?? -1, row);
    }
    // Taken from the end, so that taking one is cheap.
    for (const table of [this.#calls, this.#syncs, this.#activities]) for (const rows of table.values()) rows.reverse();
  }

  /** Its activity (-1 where there is none), and when it was issued (0 where the trace doesn't say). */
  next({ op, code }: Instruction): { row: RowIndex; time: number } {
    const { trace } = this.#iteration;
    const timeOf = (row: RowIndex | undefined): number => (row === undefined ? 0 : rowStart(trace, row));
    if (code.startsWith('synchronize')) return { row: -1, time: timeOf(this.#syncs.get(op)?.pop()) };
    const call = this.#calls.get(op)?.pop();
    const row = this.#activities.get(op)?.pop();
    return { row: row ?? -1, time: timeOf((row === undefined ? undefined : this.#callOf.get(row)) ?? call) };
  }

  #table(row: RowIndex): Map<number, RowIndex[]> | null {
    switch (rowKind(this.#iteration.trace, row)) {
      case 'host-call':
        return this.#calls;
      case 'host-sync':
        return this.#syncs;
      case 'copy':
      case 'kernel':
      case 'memset':
      case 'host-function':
      case 'event-record':
      case 'event-wait':
        return this.#activities;
      default:
        return null;
    }
  }
}
