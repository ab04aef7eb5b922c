/** Starts multi-tensor copies that have their own threads, and prices the work they put into streams. */
import type { MultiCopyPlan, Program } from '../program/program.ts';
import { Copies } from './copies.ts';
import type { CopyEnds, CostModel } from './costModel.ts';
import { engineIndex } from './engines.ts';
import type { EventQueue } from './eventQueue.ts';
import type { HostWork } from './hostWork.ts';
import { isThreaded, movesPieces, type ThreadedPlan, threadedPlan } from './multiCopyPlan.ts';
import { type MultiCopyParts, MultiCopyRun } from './multiCopyRun.ts';
import type { Step } from './step.ts';
import type { StreamSet } from './streams.ts';

export class MultiCopies {
  readonly #program: Program;
  readonly #costs: CostModel;
  readonly #clock: EventQueue;
  readonly #streams: StreamSet;
  readonly #hostWork: HostWork;
  readonly #copies: Copies;
  /** Threads of each device's engine that have called the driver. */
  readonly #called = new Set<string>();

  constructor(program: Program, costs: CostModel, clock: EventQueue, streams: StreamSet, hostWork: HostWork) {
    this.#program = program;
    this.#costs = costs;
    this.#clock = clock;
    this.#streams = streams;
    this.#hostWork = hostWork;
    this.#copies = new Copies(costs, program);
  }

  /** Calls `staged` for each thread's copying on the host, and `done` when all data has arrived. */
  start(
    step: Step,
    op: number,
    correlation: number,
    nowNs: number,
    { staged, done }: Pick<MultiCopyParts, 'staged' | 'done'>,
  ): void {
    const plan = this.#plan(step.index);
    if (plan === undefined) {
      done(nowNs);
      return;
    }
    const cold = this.#program.warmups > 0 || plan.order === 'host' ? 0 : this.#coldNs(plan);
    const steps = this.#runSteps(step, op, plan);
    const [costs, clock, streams, copies] = [this.#costs, this.#clock, this.#streams, this.#hostWork];
    const newPart = (thread: number): number => this.#newPartOf(step.device, thread);
    new MultiCopyRun(
      { plan, op, correlation, costs, newPart, clock, streams, copies, steps, staged, done },
      nowNs + cold,
    );
  }

  #plan(index: number): ThreadedPlan | undefined {
    const declared = this.#program.multiCopies[index];
    return declared === undefined ? undefined : planned(declared, this.#costs);
  }

  #newPartOf(device: number, thread: number): number {
    const key = `${device} ${thread}`;
    if (this.#called.has(key)) return 0;
    this.#called.add(key);
    return this.#costs.firstCalls(this.#program).newPart;
  }

  /** Returns the cost of page-locked memory that no earlier iteration has left. */
  #coldNs({ chunks, slots }: ThreadedPlan): number {
    const held = chunks.slice(0, slots === Infinity ? undefined : slots);
    const bytes = held.reduce((sum, { runs }) => sum + runs.reduce((all, run) => all + run.bytes, 0), 0);
    return this.#costs.memoryNs('cudaHostAlloc', bytes);
  }

  /** Returns the stream work of a run. Runs of the same size share their steps. */
  #runSteps(step: Step, op: number, { order }: ThreadedPlan): MultiCopyParts['steps'] {
    const ends: CopyEnds =
      order === 'to-device'
        ? { src: 'pinned', dst: 'device', from: -1, to: step.device }
        : { src: 'device', dst: 'pinned', from: step.device, to: -1 };
    const made = new Map<string, readonly Step[]>();
    return ({ bytes, isGathered }) => {
      const key = `${bytes} ${isGathered}`;
      const known = made.get(key);
      if (known !== undefined) return known;
      const cost = this.#copies.of(bytes, ends, step.device, op);
      const copy: Step = { ...step, code: 'copy', bytes, src: ends.src, dst: ends.dst, ...cost };
      const steps = isGathered ? [pieceStep(step, bytes, this.#program, this.#costs), copy] : [copy];
      made.set(key, steps);
      return steps;
    };
  }
}

/** Returns a kernel that copies `bytes` of many small tensors within the device. */
export function pieceStep(base: Step, bytes: number, program: Program, costs: CostModel): Step {
  const kernel = { kind: 'stream', src: -1, dst: -1, bytes, passes: 1 } as const;
  const engine = engineIndex(base.device, 'compute');
  const call = 'cudaLaunchKernel';
  const { nodeNs: _, ...cost } = costs.kernel(kernel, 1, program);
  return { ...base, code: 'kernel', call, route: 'engine', engine, callNs: costs.callNs(call), ...cost };
}

const made = new WeakMap<MultiCopyPlan, Map<number, ThreadedPlan>>();

/** Cached, because lanes, costs and the copy all need it, and a payload may have a million tensors. */
function planned(plan: MultiCopyPlan, { facts: { cores } }: CostModel): ThreadedPlan {
  const ofPlan = made.get(plan) ?? new Map<number, ThreadedPlan>();
  made.set(plan, ofPlan);
  const found = ofPlan.get(cores) ?? threadedPlan(plan, cores);
  ofPlan.set(cores, found);
  return found;
}

/** Returns the plans that use the compute channel, because a kernel moves some of their tensors. */
export function plansOnCompute(program: Program, costs: CostModel): ReadonlySet<number> {
  const usesCompute = (plan: MultiCopyPlan): boolean =>
    isThreaded(plan)
      ? planned(plan, costs).chunks.some(({ runs }) => runs.some(({ isGathered }) => isGathered))
      : movesPieces(plan);
  return new Set(program.multiCopies.flatMap((plan, index) => (usesCompute(plan) ? [index] : [])));
}

/** Returns the largest number of helper threads of each host thread in its multi-tensor copies. */
export function helperCounts(program: Program, costs: CostModel): number[] {
  return program.threads.map(({ instructions }) =>
    instructions.reduce((most, instruction) => {
      const plan = instruction.code === 'multiCopy' ? program.multiCopies[instruction.plan] : undefined;
      if (plan === undefined || !isThreaded(plan)) return most;
      const { threads, chunks } = planned(plan, costs);
      const units = chunks.reduce((sum, chunk) => sum + chunk.units.length, 0);
      return Math.max(most, Math.min(threads, units) - 1);
    }, 0),
  );
}
