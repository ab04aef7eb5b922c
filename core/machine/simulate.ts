/**
 * Discrete-event simulation of one iteration of a program by what a cost model says that things take. Deterministic: every
 * iteration would be the same, so one is all there is. Rules: core/rules.
 */
import { CopyscopeError } from '../errors.ts';
import type { Program } from '../program/program.ts';
import { signalRemedy } from '../program/signalRemedy.ts';
import { atOnce, type InSteps } from '../steps.ts';
import type { Trace } from '../trace/trace.ts';
import { requireBounded } from './bounded.ts';
import type { CostModel } from './costModel.ts';
import { Devices } from './device.ts';
import { EventQueue } from './eventQueue.ts';
import { HostThread } from './hostThread.ts';
import { Memory } from './memory.ts';
import { helperCounts, MultiCopies, plansOnCompute } from './multiCopies.ts';
import { planProgram, type ThreadPlan } from './plan.ts';
import { Signals } from './signals.ts';
import { StagingBuffer } from './stagingBuffer.ts';
import type { Step } from './step.ts';
import { TraceOutput } from './traceOutput.ts';

export interface SimulateOptions {
  /** Longer programs are refused before they start. */
  readonly maxInstructions?: number;
}

export interface SimulationResult {
  readonly trace: Trace;
  /** From the start to the end of the last activity. */
  readonly makespanNs: number;
}

export interface SimulationProgress {
  /** Instructions executed by the host threads, out of all, rounds of repeats counted. */
  readonly done: number;
  readonly total: number;
}

/** About 130 bytes a row and two rows an instruction: past this the trace wouldn't fit a browser's memory. */
const maxSimulatedInstructions = 5_000_000;
/** Moves of the clock between two reports of simulateInSteps: a few milliseconds' work. */
const movesPerStep = 10_000;

/** Simulates one iteration at once. */
export const simulate = (program: Program, costs: CostModel, options?: SimulateOptions): SimulationResult =>
  atOnce(simulateInSteps(program, costs, options));

/** The same in steps of a few milliseconds, for a driver that reports progress and may stop asking for more. */
export function* simulateInSteps(
  program: Program,
  costs: CostModel,
  options: SimulateOptions = {},
): InSteps<SimulationResult, SimulationProgress> {
  requireBounded(program, options.maxInstructions ?? maxSimulatedInstructions);
  const plan = withRecorded(planProgram(program, costs), program);
  const memory = new Memory(program, costs);
  if (program.warmups > 0 && keepsMemory(program)) {
    // What the allocators hold after one iteration they hold in every later one.
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
  const devices = new Devices(program, costs, clock, output);
  const machine = {
    ...{ costs, devices, clock, output, memory },
    multiCopies: new MultiCopies(program, costs, clock, devices.streams),
    staging: program.devices.map(() => new StagingBuffer(costs.facts.staging.slots)),
    signals: new Signals(program),
    firstCalls: costs.firstCalls(program),
    plans: new Set<string>(),
  };
  const threads = plan.map((ofThread, index) => new HostThread(index, ofThread, machine));
  devices.threads.push(...threads);
  let told = 0;
  while (clock.advance()) {
    if (clock.moves - told < movesPerStep) continue;
    told = clock.moves;
    yield { done: executed(threads), total };
  }
  requireFinished(program, threads);
  return { trace: output.build(), makespanNs: output.makespanNs };
}

/** Something in it leaves memory to later iterations. */
const keepsMemory = ({ threads }: Program): boolean =>
  threads.some(({ instructions }) => instructions.some(({ code }) => code === 'allocate' || code === 'pin'));

const executed = (threads: readonly HostThread[]): number => threads.reduce((sum, thread) => sum + thread.executed, 0);

/** Steps that a host thread executes in all, for its progress. */
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

/** Nothing is left to happen: every host thread must have come to its end. */
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
      ) ?? 'Look for work that needs more of the device than it has, or for a wait on such work.',
  });
}

/** What operations took in the trace that the program was lifted from answers before the costs. */
function withRecorded(plan: readonly ThreadPlan[], { operations }: Program): readonly ThreadPlan[] {
  if (!operations.some(({ recorded }) => recorded !== undefined)) return plan;
  return plan.map(({ steps, ops }) => ({
    ops,
    steps: steps.map((step, index) => {
      const cost = operations[ops[index] ?? -1]?.recorded;
      if (cost === undefined || step.captured) return step;
      const callNs = cost.callNs ?? step.callNs;
      // Pieces of a staged copy move at the link's pace while its call holds the host.
      return { ...step, callNs, deviceNs: step.pieces > 0 ? step.deviceNs : (cost.deviceNs ?? step.deviceNs) };
    }),
  }));
}
