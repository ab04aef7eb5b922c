/**
 * Order in which an iteration's work was issued: the unrolled program, joined with calls and activities of the trace.
 * The order of the device (order.ts) follows from it.
 */

import { append } from '../../groupBy.ts';
import { aloneOn } from '../../program/aloneCopies.ts';
import type { Instruction, Program, ProgramThread } from '../../program/program.ts';
import { inOrder } from '../../trace/inOrder.ts';
import { type Iteration, RowList, rowKind, rowStart } from '../../trace/iteration.ts';
import { type RowIndex, type RowKind, rowKinds, type Trace } from '../../trace/trace.ts';
import { type HostCalls, hostCalls } from '../figures/hostCalls.ts';
import type { Issued, IssuedWork } from '../order/deviceOrder.ts';
import { type Launch, LaunchedGraphs } from '../order/launchedGraphs.ts';

export interface IssueOrder {
  readonly issued: IssuedWork;
  /** Returns the position in `issued` of a device row; undefined if it has none. */
  readonly positionOf: (row: RowIndex) => number | undefined;
  /** Returns the device row of the last work in the position's stream, up to and including it; -1 if there is none. */
  readonly lastWork: (position: number) => RowIndex;
  /**
   * Ascending positions, a list for each stream, of: event waits, work in a legacy default stream, nodes of graphs, and
   * copies that run alone on their devices.
   */
  readonly waits: readonly Int32Array[];
  readonly legacyWork: readonly Int32Array[];
  readonly launchWork: readonly Int32Array[];
  readonly aloneWork: readonly Int32Array[];
}

type Timed = Issued & { readonly time: number };

const isWork = ({ code, row }: Issued): boolean =>
  row >= 0 && (code === 'copy' || code === 'kernel' || code === 'other');

export function issueOrder(iteration: Iteration, program: Program | null): IssueOrder {
  const { begin, end } = iteration;
  const issued = program === null ? new IssuedRows(iteration) : fromProgram(iteration, program);
  /** `places`: position + 1, by row from `begin`. `worksBefore`: row of the work before + 1, by position. */
  const [places, worksBefore] = [new Int32Array(end - begin), new Int32Array(issued.length)];
  const [waits, legacyWork, launchWork, aloneWork] = [new ByStream(), new ByStream(), new ByStream(), new ByStream()];
  const last = new Map<number, RowIndex>();
  for (let position = 0; position < issued.length; position += 1) {
    const one = issued.at(position) as Issued;
    const { stream, code, row } = one;
    if (row >= 0) places[row - begin] = position + 1;
    if (code === 'waitEvent') waits.add(stream, position);
    // A synchronise isn't work of a stream.
    if (code !== 'synchronize') {
      if (isWork(one)) last.set(stream, row);
      else if (last.has(stream)) worksBefore[position] = (last.get(stream) as number) + 1;
    }
    // Without a program, the legacy default stream, graphs, and copies that run alone are unknown.
    if (program === null) continue;
    if (code !== 'synchronize' && program.streams[stream]?.kind === 'legacy-default') legacyWork.add(stream, position);
    if (one.launch !== null) launchWork.add(stream, position);
    if (one.alone.length > 0) aloneWork.add(stream, position);
  }
  return {
    issued,
    positionOf: (row) => {
      const place = places[row - begin] ?? 0;
      return place === 0 ? undefined : place - 1;
    },
    lastWork: (position) => {
      const one = issued.at(position);
      return one !== undefined && isWork(one) ? one.row : (worksBefore[position] ?? 0) - 1;
    },
    waits: waits.lists,
    legacyWork: legacyWork.lists,
    launchWork: launchWork.lists,
    aloneWork: aloneWork.lists,
  };
}

class ByStream {
  readonly #lists = new Map<number, RowList>();

  add(stream: number, position: number): void {
    const list = this.#lists.get(stream) ?? new RowList();
    this.#lists.set(stream, list);
    list.push(position);
  }

  get lists(): Int32Array[] {
    return [...this.#lists.values()].map(({ rows }) => rows);
  }
}

const codes: Partial<Record<RowKind, Issued['code']>> = {
  copy: 'copy',
  kernel: 'kernel',
  memset: 'other',
  'host-function': 'other',
  'event-record': 'recordEvent',
  'event-wait': 'waitEvent',
};

/** By row kind; undefined for kinds of the host. */
const rowCodes = rowKinds.map((kind) => codes[kind]);

/** Issued work without a program: activities in the order of their calls. Each lane counts as a stream. */
class IssuedRows implements IssuedWork {
  readonly #trace: Trace;
  readonly #calls: HostCalls;
  readonly #rows: Int32Array;

  constructor(iteration: Iteration) {
    const { trace, begin, end } = iteration;
    this.#trace = trace;
    this.#calls = hostCalls(iteration);
    const rows = new Int32Array(end - begin);
    let count = 0;
    for (let row = begin; row < end; row += 1) {
      if (rowCodes[trace.columns.kind[row] as number] === undefined) continue;
      rows[count] = row;
      count += 1;
    }
    this.#rows = inOrder(rows.subarray(0, count), (row) => rowStart(trace, this.#calls.get(row) ?? row));
  }

  get length(): number {
    return this.#rows.length;
  }

  at(position: number): Issued | undefined {
    const row = this.#rows[position];
    if (row === undefined) return undefined;
    const { columns } = this.#trace;
    const code = rowCodes[columns.kind[row] ?? -1] ?? 'other';
    const call = this.#calls.get(row);
    const isMark = code === 'recordEvent' || code === 'waitEvent';
    return {
      op: columns.op[row] ?? -1,
      code,
      stream: columns.lane[row] ?? -1,
      // An importer gives a record and its waits the same name.
      event: isMark ? (columns.name[row] ?? -1) : -1,
      device: -1,
      thread: call === undefined ? -1 : (columns.lane[call] ?? -1),
      launch: null,
      alone: nowhere,
      row,
    };
  }
}

const nowhere: readonly number[] = [];

/** A graph has nodes without rows: events, up to four per branch. */
const mostNodesByRow = 8;

function fromProgram(iteration: Iteration, program: Program): Timed[] {
  const rows = new OperationRows(iteration);
  const graphs = new LaunchedGraphs(program);
  // Limits what is unrolled to what the trace can contain, because a loop may have ten million empty rounds.
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
  // The sort is stable: work issued by one thread at one time stays in program order.
  return timed.sort((a, b) => a.time - b.time);
}

/** Yields the thread's instructions in order of execution, at most `budget` of them. */
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

/** Mutable, since there can be a million: row and time are filled in when found, without a new object. */
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
      // The copy's own call blocks the host, so its synchronise adds nothing.
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

/** Returns an operation's rows in turn: its n-th call and n-th activity belong to its n-th execution. */
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
    // Reversed, because removing from the end is cheap.
    for (const table of [this.#calls, this.#syncs, this.#activities]) for (const rows of table.values()) rows.reverse();
  }

  /** Returns the activity (-1 if there is none), and when it was issued (0 if the trace doesn't say). */
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
