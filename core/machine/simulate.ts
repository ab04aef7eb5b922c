/**
 * Discrete-event simulation of one iteration of a program with the times of a cost model. It is deterministic, so one
 * iteration represents all. Rules: core/rules.
 */
import { CopyscopeError } from '../errors.ts';
import { type Program, signalRemedy } from '../program/program.ts';
import { atOnce, type InSteps } from '../steps.ts';
import type { AllocatorState } from '../trace/run.ts';
import type { Trace } from '../trace/trace.ts';
import { requireBounded } from './bounded.ts';
import type { CostModel } from './costModel.ts';
import { Devices } from './device.ts';
import { EventQueue } from './eventQueue.ts';
import { HostThread } from './hostThread.ts';
import { HostWork } from './hostWork.ts';
import { ManagedMemory } from './managed.ts';
import { Memory } from './memory.ts';
import { helperCounts, MultiCopies, plansOnCompute } from './multiCopies.ts';
import { planProgram, type ThreadPlan } from './plan.ts';
import { Signals } from './signals.ts';
import { StagingBuffer } from './stagingBuffer.ts';
import type { Step } from './step.ts';
import { TraceOutput } from './traceOutput.ts';

export interface SimulateOptions {
  /** Limit of instructions. Longer programs are refused before they start. */
  readonly maxInstructions?: number;
}

export interface SimulationResult {
  readonly trace: Trace;
  /** From the start to the end of the last activity. */
  readonly makespanNs: number;
  /** State of the allocators that were used, at its end. */
  readonly memory: readonly AllocatorState[];
}

export interface SimulationProgress {
  /** Instructions executed by the host threads, and their total, counting every round of a repeat. */
  readonly done: number;
  readonly total: number;
}

/** Limit, because a trace takes about 130 bytes a row and two rows an instruction, and must fit a browser's memory. */
const maxSimulatedInstructions = 5_000_000;
/** Clock events between two reports of simulateInSteps; takes a few milliseconds. */
const movesPerStep = 10_000;

export const simulate = (program: Program, costs: CostModel, options?: SimulateOptions): SimulationResult =>
  atOnce(simulateInSteps(program, costs, options));

/** Simulates in steps of a few milliseconds, for a caller that reports progress and may stop. */
export function* simulateInSteps(
  program: Program,
  costs: CostModel,
  options: SimulateOptions = {},
): InSteps<SimulationResult, SimulationProgress> {
  requireBounded(program, options.maxInstructions ?? maxSimulatedInstructions);
  const plan = withRecorded(planProgram(program, costs), program);
  const memory = new Memory(program, costs);
  if (program.warmups > 0 && keepsMemory(program)) {
    // The first iteration fills the allocators; the following ones all begin in the same state.
    yield* iteration(program, costs, plan, memory);
    memory.endIteration();
  }
  return yield* iteration(program, costs, plan, memory);
}

function* iteration(
  program: Program,
  costs: CostModel,
  plan: readonly ThreadPlan[],
  memory: Memory,
): InSteps<SimulationResult, SimulationProgress> {
  const total = plan.reduce((sum, { steps }) => sum + stepCount(steps), 0);
  const clock = new EventQueue();
  const [helpers, onCompute] = [helperCounts(program, costs), plansOnCompute(program, costs)];
  const output = new TraceOutput(program, plan, helpers, onCompute, 2 * total);
  const hostWork = new HostWork(clock, costs, program.threads.length);
  const managed = new ManagedMemory(program, costs);
  const devices = new Devices(program, costs, clock, output, hostWork, managed);
  const machine = {
    ...{ costs, devices, clock, output, memory, managed, hostWork },
    multiCopies: new MultiCopies(program, costs, clock, devices.streams, hostWork),
    staging: new StagingBuffer(costs.facts.staging.slots),
    signals: new Signals(program),
    firstCalls: costs.firstCalls(program),
    plans: new Set<string>(),
  };
  const threads = plan.map((ofThread, index) => new HostThread(index, ofThread, machine));
  devices.threads.push(...threads);
  memory.note(0);
  let told = 0;
  while (clock.advance()) {
    if (clock.moves - told < movesPerStep) continue;
    told = clock.moves;
    yield { done: executed(threads), total };
  }
  requireFinished(program, threads);
  return { trace: output.build(), makespanNs: output.makespanNs, memory: memory.states() };
}

/** Returns whether the program leaves memory to later iterations. */
const keepsMemory = ({ threads }: Program): boolean =>
  threads.some(({ instructions }) => instructions.some(({ code }) => code === 'allocate' || code === 'pin'));

const executed = (threads: readonly HostThread[]): number => threads.reduce((sum, thread) => sum + thread.executed, 0);

/** Returns the number of steps that a host thread executes, for its progress. */
function stepCount(steps: readonly Step[]): number {
  const factors = [1];
  let count = 0;
  for (const step of steps) {
    const factor = factors.at(-1) ?? 1;
    count += factor;
    if (step.code === 'repeat') factors.push(factor * step.count);
    else if (step.code === 'endRepeat') factors.pop();
  }
  return count;
}

/** Throws if a host thread hasn't finished although no events are left. */
function requireFinished(program: Program, threads: readonly HostThread[]): void {
  const held = threads.flatMap((thread, index) => {
    const { current } = thread;
    if (current === null) return [];
    return [{ op: current.op, text: `thread "${program.threads[index]?.id}" in ${current.name}` }];
  });
  const [first, second] = held;
  if (first === undefined) return;
  const waits =
    second === undefined ? 'waits for something that never happens' : 'each wait for something that never happens';
  throw new CopyscopeError({
    code: 'simulation.deadlock',
    op: first.op,
    message: `the program can't go on: ${held.map(({ text }) => text).join(', ')} ${waits}.`,
    remedy:
      signalRemedy(
        program,
        held.map(({ op }) => op),
      ) ?? 'Look for work that needs more than the device has, or for a wait for such work.',
  });
}

/** Replaces costs by the times in the trace from which the program was lifted. */
function withRecorded(plan: readonly ThreadPlan[], { operations }: Program): readonly ThreadPlan[] {
  if (!operations.some(({ recorded }) => recorded !== undefined)) return plan;
  return plan.map(({ steps, ops }) => ({
    ops,
    steps: steps.map((step, index) => {
      const cost = operations[ops[index] ?? -1]?.recorded;
      if (cost === undefined || step.captured) return step;
      const callNs = cost.callNs ?? step.callNs;
      // Pieces of a staged copy move at the link's rate while its call blocks the host.
      return { ...step, callNs, deviceNs: step.pieces > 0 ? step.deviceNs : (cost.deviceNs ?? step.deviceNs) };
    }),
  }));
}
