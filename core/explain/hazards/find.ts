/** Finds operations whose order the program leaves to chance. Holds for every machine; nothing is run. */

import type { Instruction, Program } from '../../program/program.ts';
import type { InSteps } from '../../steps.ts';
import { type Call, isAfter, isIssued } from '../order/calls.ts';
import { isOver } from '../order/eventRecords.ts';
import { mostEntries, ProgramOrder } from '../order/programOrder.ts';
import { type Schedule, schedule } from '../order/schedule.ts';
import { type Conflict, Conflicts } from './conflicts.ts';
import { type EndlessWait, endlessWaits } from './endlessWaits.ts';
import { type LifetimeConflict, Lifetimes } from './lifetimes.ts';
import { type Touch, touches } from './touches.ts';

/** An elapsed-time call for an event whose record may not be complete yet. */
export interface TimingConflict {
  readonly event: number;
  /** Operation that records the event; -1 if no record is certain to come before. */
  readonly record: number;
  readonly elapsed: number;
}

export interface Findings {
  readonly conflicts: readonly Conflict[];
  readonly lifetimes: readonly LifetimeConflict[];
  readonly timing: readonly TimingConflict[];
  readonly endless: readonly EndlessWait[];
  readonly limits: readonly string[];
}

/** Finds conflicts. `most` limits the stored clock entries if there are several threads. */
export function* findConflictsInSteps(program: Program, most = mostEntries): InSteps<Findings> {
  const plan = schedule(program);
  yield;
  const search = new Search(program, plan, most);
  yield* search.all();
  const limits = [...describeLimits(program, plan), ...search.limits];
  const { conflicts, lifetimes, timing } = search;
  return { conflicts, lifetimes, timing, endless: endlessWaits(program, plan), limits };
}

function describeLimits(program: Program, { rounds, stuck }: Schedule): string[] {
  const stops = stuck.flatMap(({ at, later }) => {
    const { label, thread } = calling(program, at.op);
    // If repeats were cut short, the rounds that were left out may give the signal.
    if (rounds !== null)
      return `Host thread "${thread}" may wait for ever at "${label}". The check left out what follows.`;
    return later.size === 0 ? [] : `The check left out what follows "${label}" in host thread "${thread}".`;
  });
  if (rounds === null) return stops;
  const all = rounds === 1 ? 'one round, so that conflicts between rounds are not found' : `${rounds} rounds`;
  return [`The program is long: the check followed repeats for ${all}.`, ...stops];
}

function calling(program: Program, op: number): { readonly label: string; readonly thread: string } {
  const { label, thread } = program.operations[op] ?? { label: `operation ${op}`, thread: 0 };
  return { label, thread: program.threads[thread]?.id ?? '' };
}

/** Nodes of a graph, the allocations they refer to, and the call that ended its capture. */
interface Captured {
  readonly nodes: readonly Instruction[];
  readonly lives: ReadonlyMap<number, number>;
  readonly thread: number;
  readonly position: number;
}

class Search {
  readonly limits: string[] = [];
  readonly #timing = new Map<string, TimingConflict>();
  readonly #touches = new Map<Instruction, readonly Touch[]>();
  readonly #captured = new Map<Instruction, readonly Touch[]>();
  readonly #order: ProgramOrder;
  readonly #conflicts: Conflicts;
  readonly #lifetimes: Lifetimes;
  /** Latest capture of each graph. */
  readonly #graphs = new Map<number, Captured>();
  readonly #capturing = new Map<number, Instruction[]>();
  readonly #inGraphs: Conflict[] = [];
  readonly #unsureLaunches = new Set<number>();
  readonly #program: Program;
  /** The program as capture sees it: the legacy default stream takes no part, and no host call comes in between. */
  readonly #inCapture: Program;
  readonly #calls: number;

  constructor(program: Program, plan: Schedule, most: number) {
    this.#program = program;
    const streams = program.streams.map((stream) => ({ ...stream, kind: 'non-blocking' as const }));
    this.#inCapture = { ...program, streams, signals: [] };
    for (const instruction of program.threads.flatMap((thread) => thread.instructions)) {
      this.#touches.set(instruction, touches(instruction, program));
    }
    this.#order = new ProgramOrder(program, plan, false, most);
    this.#conflicts = new Conflicts([...this.#touches.values()].flat());
    this.#lifetimes = new Lifetimes(program, this.#order.lanes);
    this.#calls = plan.count;
  }

  *all(): InSteps<void> {
    yield* this.#order.walkInSteps((call) => this.#visit(call));
    if (this.#order.steps < this.#calls) {
      this.limits.push(
        `The program has too many host threads and streams: the check covers the first ${this.#order.steps} of its ${this.#calls} calls.`,
      );
    }
    for (const op of this.#unsureLaunches) {
      const { label, thread } = calling(this.#program, op);
      this.limits.push(
        `Host thread "${thread}" may come to "${label}" before the graph is captured, and fail. The check left out what it runs then.`,
      );
    }
    if (this.#conflicts.gaveUp) {
      this.limits.push(
        'The program is too large, or has too many conflicts: the check looked for unordered use of bytes in a part of it only.',
      );
    }
  }

  get conflicts(): readonly Conflict[] {
    return [...this.#conflicts.found, ...this.#inGraphs];
  }

  get lifetimes(): readonly LifetimeConflict[] {
    return [...this.#lifetimes.found.values()];
  }

  get timing(): readonly TimingConflict[] {
    return [...this.#timing.values()];
  }

  #visit(call: Call): void {
    const { instruction, thread } = call;
    const capturing = this.#capturing.get(thread);
    if (capturing !== undefined && isIssued(instruction)) {
      capturing.push(instruction);
      if (!this.#captured.has(instruction)) this.#captured.set(instruction, touches(instruction, this.#program, true));
      return;
    }
    switch (instruction.code) {
      case 'beginCapture':
        this.#capturing.set(thread, []);
        break;
      case 'endCapture':
        this.#capture(call, instruction.graph, capturing ?? []);
        this.#capturing.delete(thread);
        break;
      case 'allocate':
        this.#conflicts.forget(instruction.buffer);
        this.#lifetimes.allocate({ ...call, instruction });
        break;
      case 'free':
        this.#lifetimes.free({ ...call, instruction });
        break;
      case 'recordStream':
        this.#lifetimes.recordStream({ ...call, instruction });
        break;
      case 'elapsedTime':
        this.#elapsed(call, instruction.start, instruction.op);
        this.#elapsed(call, instruction.end, instruction.op);
        break;
      case 'launchGraph':
        this.#launch(call, instruction.graph);
        break;
      case 'pin':
        // The allocator doesn't hand out freed memory again while a copy still reads from it.
        if (this.#program.buffers[instruction.dst]?.allocated === 'by-operation')
          this.#conflicts.forget(instruction.dst);
        this.#lifetimes.allocate({ ...call, instruction });
        this.#touch(call, this.#touches.get(instruction) ?? []);
        break;
      default:
        this.#touch(call, this.#touches.get(instruction) ?? []);
    }
  }

  #touch(call: Call, list: readonly Touch[], lives: ReadonlyMap<number, number> = new Map()): void {
    for (const touch of list) {
      const when =
        touch.where === 'stream' && call.issued !== null
          ? call.issued
          : { lane: call.thread, index: call.position, start: call.host };
      const isThere = this.#lifetimes.use(touch, call, when, lives);
      if (isThere) this.#conflicts.add(touch, when.lane, when.index, when.start);
    }
  }

  /** Nodes of a graph are ordered only by their streams and events. */
  #capture({ thread, position }: Call, graph: number, nodes: readonly Instruction[]): void {
    const known = this.#graphs.get(graph)?.nodes;
    const lives = this.#lifetimes.counts(nodes.flatMap((node) => this.#captured.get(node) ?? []));
    this.#graphs.set(graph, { nodes, lives, thread, position });
    if (known?.length === nodes.length && known.every((node, index) => node === nodes[index])) return;
    this.#inGraphs.push(...conflictsInGraph(this.#inCapture, nodes, this.#captured));
  }

  #launch(call: Call, graph: number): void {
    const captured = this.#graphs.get(graph);
    if (captured === undefined || !isAfter(call, captured)) this.#unsureLaunches.add(call.instruction.op);
    for (const node of captured?.nodes ?? []) this.#touch(call, this.#captured.get(node) ?? [], captured?.lives);
  }

  #elapsed(call: Call, event: number, elapsed: number): void {
    const { records, certain } = this.#order.records.bound(call, event);
    const open = records.filter((record) => !isOver(record, call.host));
    const found = certain || open.length > 0 ? open.map(({ op }) => op) : [-1];
    for (const record of found) {
      this.#timing.set(`${event} ${record} ${elapsed}`, { event, record, elapsed });
    }
  }
}

function conflictsInGraph(
  program: Program,
  nodes: readonly Instruction[],
  captured: ReadonlyMap<Instruction, readonly Touch[]>,
): readonly Conflict[] {
  const [thread] = program.threads;
  if (thread === undefined) return [];
  const inside: Program = { ...program, threads: [{ ...thread, instructions: nodes }] };
  const conflicts = new Conflicts(nodes.flatMap((node) => captured.get(node) ?? []));
  new ProgramOrder(inside, schedule(inside), true).walk(({ instruction, issued }) => {
    if (issued === null) return;
    for (const touch of captured.get(instruction) ?? []) conflicts.add(touch, issued.lane, issued.index, issued.start);
  });
  return conflicts.found;
}
