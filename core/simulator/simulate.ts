/**
 * Discrete-event simulation of one iteration of a program on a machine that a profile describes. Deterministic: every
 * iteration would be the same, so one is all there is. Rules: core/rules; costs: instructionSteps.ts.
 */
import { CopyscopeError } from '../errors.ts';
import type { Program } from '../program/program.ts';
import { signalRemedy } from '../program/signalRemedy.ts';
import { atOnce, type InSteps } from '../steps.ts';
import type { Trace } from '../trace/trace.ts';
import type { Nanoseconds } from '../units.ts';
import { nanoseconds } from '../units.ts';
import { Arrivals } from './arrivals.ts';
import { requireBounded } from './bounded.ts';
import { firstCalls } from './callHistory.ts';
import { Devices } from './device.ts';
import { DriverCalls } from './driverCalls.ts';
import { EventQueue } from './eventQueue.ts';
import { HostCaches } from './hostCaches.ts';
import { HostThread } from './hostThread.ts';
import { leastNs } from './leastTime.ts';
import { fitsCaches } from './memcpyRate.ts';
import { Memory } from './memory.ts';
import { helperCounts, MultiCopies, plansOnCompute } from './multiCopies.ts';
import { isThreaded, payloadOf } from './multiCopyPlan.ts';
import { planProgram, type ThreadPlan } from './plan.ts';
import { preparationNs } from './preparation.ts';
import type { DeviceProfile } from './profile.ts';
import { Residency } from './residency.ts';
import { Signals } from './signals.ts';
import { StagingBuffer } from './stagingBuffer.ts';
import type { Step } from './step.ts';
import { TraceOutput } from './traceOutput.ts';

export interface SimulateOptions {
  /** Longer programs are refused before they start. */
  readonly maxInstructions?: number;
  /** As in runs before which the buffers were filled and left in the host's caches. */
  readonly filled?: boolean;
}

export interface SimulationResult {
  readonly trace: Trace;
  /** From the start to the end of the last activity. */
  readonly makespanNs: Nanoseconds;
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
export const simulate = (program: Program, profile: DeviceProfile, options?: SimulateOptions): SimulationResult =>
  atOnce(simulateInSteps(program, profile, options));

/** The same in steps of a few milliseconds, for a driver that reports progress and may stop asking for more. */
export function* simulateInSteps(
  program: Program,
  profile: DeviceProfile,
  options: SimulateOptions = {},
): InSteps<SimulationResult, SimulationProgress> {
  requireBounded(program, options.maxInstructions ?? maxSimulatedInstructions);
  const plan = planProgram(program, profile);
  const memory = new Memory(program, profile);
  const preparedNs = preparationNs(program, profile, options.filled ?? false);
  let beforeNs = 0;
  if (program.warmups > 0 && (keepsMemory(program) || leavesCaches(program, plan, profile))) {
    // What the allocators hold after one iteration they hold in every later one, and how long that took is how long ago
    // the next one's memory was touched.
    const first = { preparedNs, lapNs: preparedNs };
    beforeNs = (yield* iteration(program, profile, plan, memory, first, options)).makespanNs;
    memory.endIteration();
  }
  const times = { preparedNs, lapNs: beforeNs + preparedNs };
  return yield* iteration(program, profile, plan, memory, times, options);
}

/** How long an iteration's buffers were prepared for, and from the start of the one before to its own. */
interface IterationTimes {
  readonly preparedNs: number;
  readonly lapNs: number;
}

function* iteration(
  program: Program,
  profile: DeviceProfile,
  plan: readonly ThreadPlan[],
  memory: Memory,
  { preparedNs, lapNs }: IterationTimes,
  { filled = false }: SimulateOptions,
): InSteps<SimulationResult, SimulationProgress> {
  const total = plan.reduce((sum, { steps }) => sum + stepCount(steps), 0);
  const clock = new EventQueue();
  const output = new TraceOutput(
    program,
    plan,
    helperCounts(program, profile),
    plansOnCompute(program, profile),
    2 * total,
  );
  const caches = new HostCaches();
  caches.fill(program, filled);
  const devices = new Devices(program, profile, clock, output, caches);
  const residency = new Residency(program, profile, lapNs);
  const { coldFirstNs = 0, coldNewPart = 0 } = profile.calls;
  // Only what a recorder adds depends on it, and a long program takes time to go through.
  const laterNs = coldFirstNs > 0 || coldNewPart > 0 ? leastNs(plan) : 0;
  const first = firstCalls(program, profile, preparedNs, laterNs);
  const multiCopies = new MultiCopies(program, profile, clock, devices.streams, residency, first);
  const machine = {
    ...{ profile, devices, clock, output, memory, multiCopies, caches, residency },
    arrivals: new Arrivals(program),
    staging: program.devices.map(() => new StagingBuffer(profile.staging.slots)),
    signals: new Signals(program),
    driverCalls: new DriverCalls(plan.length, profile.calls.meetingNs ?? 0),
    firstCalls: first,
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
  return { trace: output.build(), makespanNs: nanoseconds(output.makespanNs) };
}

/** Something in it leaves memory to later iterations. */
const keepsMemory = ({ threads }: Program): boolean =>
  threads.some(({ instructions }) => instructions.some(({ code }) => code === 'allocate' || code === 'pin'));

/** The host copies from memory what nothing has touched for some time, and could lie in its caches. */
const leavesCaches = (program: Program, plan: readonly ThreadPlan[], profile: DeviceProfile): boolean =>
  profile.host.residentNs !== undefined &&
  (program.multiCopies.some((copy) => isThreaded(copy) && fitsCaches(profile, payloadOf(copy))) ||
    plan.some(({ steps }) =>
      steps.some(
        ({ code, route, hostBuffer, index, callNs, memoryNs }) =>
          (route === 'stage-in' || code === 'work') && (hostBuffer >= 0 || index >= 0) && memoryNs > callNs,
      ),
    ));

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
  const waits = second === undefined ? 'waits for what never comes' : 'each wait for what never comes';
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
