/** Starts multi-tensor copies that have threads of their own, and prices what they put into streams. */
import type { MultiCopyPlan, Program } from '../program/program.ts';
import type { FirstCalls } from './callHistory.ts';
import { CopyCosts, type CopyEnds, mayUseCompute } from './copyCost.ts';
import { engineIndex } from './engines.ts';
import type { EventQueue } from './eventQueue.ts';
import { HostCopies } from './hostCopies.ts';
import { kernelCost } from './kernelCost.ts';
import { isThreaded, movesPieces, type ThreadedPlan, threadedPlan } from './multiCopyPlan.ts';
import { type MultiCopyParts, MultiCopyRun } from './multiCopyRun.ts';
import type { DeviceProfile } from './profile.ts';
import type { Residency } from './residency.ts';
import type { Step } from './step.ts';
import type { StreamSet } from './streams.ts';

/**
 * Helpers that have slept for long wake one after another; host.sleeperWakeNs is told of the last of so many. In the first
 * multi-tensor copies of 24 recorded experiments the first began after 24 us, the second after 32, the third after 42 and the
 * seventh after 42 to 225 (half of them 81 to 149), however many there were.
 */
export const sleepers = 7;

export class MultiCopies {
  readonly #program: Program;
  readonly #profile: DeviceProfile;
  readonly #clock: EventQueue;
  readonly #streams: StreamSet;
  readonly #copies: HostCopies;
  readonly #costs: CopyCosts;
  readonly #residency: Residency;
  readonly #first: FirstCalls;
  /** Helpers have worked in this iteration; before, they have slept for long. */
  #awake = false;

  constructor(
    program: Program,
    profile: DeviceProfile,
    clock: EventQueue,
    streams: StreamSet,
    residency: Residency,
    first: FirstCalls,
  ) {
    this.#program = program;
    this.#profile = profile;
    this.#clock = clock;
    this.#streams = streams;
    this.#residency = residency;
    this.#first = first;
    this.#copies = new HostCopies(clock, profile);
    this.#costs = new CopyCosts(profile, program);
  }

  /** `staged` hears of what each thread copies on the host, `done` when all is where it belongs. */
  start(
    step: Step,
    op: number,
    correlation: number,
    nowNs: number,
    { staged, done }: Pick<MultiCopyParts, 'staged'> & { readonly done: (endNs: number) => void },
  ): void {
    const plan = this.#plan(step.index);
    if (plan === undefined) {
      done(nowNs);
      return;
    }
    const cold = this.#program.warmups > 0 || plan.order === 'host' ? 0 : this.#coldNs(plan);
    const steps = this.#runSteps(step, op, plan);
    const [profile, clock, streams, copies] = [this.#profile, this.#clock, this.#streams, this.#copies];
    const { host } = profile;
    const { wakeNs: awakeNs, sleeperWakeNs } = host;
    const sleeps = !this.#awake && sleeperWakeNs !== undefined;
    const wakeNs = (helper: number): number =>
      sleeps ? Math.max(awakeNs, (sleeperWakeNs * helper) / sleepers) : awakeNs;
    const firstNs = this.#awake ? 0 : this.#first.ns;
    this.#awake = true;
    const brings = plan.order === 'from-device' || plan.order === 'after';
    const arrivedPart = brings ? (host.arrivedPart ?? 1) : 1;
    const tensors = memoryOf(step.index);
    const gonePart = plan.isStreamed ? 1 : this.#residency.goneOf(tensors, 0, nowNs);
    const over = (endNs: number): void => {
      this.#residency.touch(tensors, 0, endNs);
      done(endNs);
    };
    const common = { plan, op, correlation, profile, clock, streams, copies, wakeNs, firstNs, steps, staged };
    new MultiCopyRun({ ...common, arrivedPart, gonePart, done: over }, nowNs + cold);
  }

  #plan(index: number): ThreadedPlan | undefined {
    const declared = this.#program.multiCopies[index];
    return declared === undefined ? undefined : planned(declared, this.#profile);
  }

  /** Page-locked memory that no earlier iteration has left behind. */
  #coldNs({ chunks, slots }: ThreadedPlan): number {
    const held = chunks.slice(0, slots === Infinity ? undefined : slots);
    const bytes = held.reduce((sum, { runs }) => sum + runs.reduce((all, run) => all + run.bytes, 0), 0);
    return this.#costs.table(this.#profile.memory.hostAlloc)(bytes);
  }

  /** What a run puts into the stream. Runs of one size share their steps. */
  #runSteps(step: Step, op: number, { order, isStreamed }: ThreadedPlan): MultiCopyParts['steps'] {
    const ends: CopyEnds =
      order === 'to-device'
        ? { src: 'pinned', dst: 'device', from: -1, to: step.device }
        : { src: 'device', dst: 'pinned', from: step.device, to: -1 };
    const made = new Map<string, readonly Step[]>();
    return ({ bytes, isGathered }, isNewest) => {
      const isFresh = isNewest && order === 'to-device' && !isStreamed;
      const key = `${bytes} ${isGathered} ${isFresh}`;
      const known = made.get(key);
      if (known !== undefined) return known;
      const cost = this.#costs.of(bytes, ends, step.device, op);
      const deviceNs = cost.deviceNs + (isFresh ? this.#costs.freshNs(bytes) : 0);
      const copy: Step = { ...step, code: 'copy', bytes, src: ends.src, dst: ends.dst, ...cost, deviceNs };
      const steps = isGathered ? [pieceStep(step, bytes, this.#program, this.#profile), copy] : [copy];
      made.set(key, steps);
      return steps;
    };
  }
}

/** The host memory of a plan's tensors, of which no program declares a buffer. */
const memoryOf = (plan: number): number => -1 - plan;

/** A kernel that copies `bytes` of many small tensors within the device. */
export function pieceStep(base: Step, bytes: number, program: Program, profile: DeviceProfile): Step {
  const kernel = { kind: 'stream', src: -1, dst: -1, bytes, passes: 1 } as const;
  const engine = engineIndex(base.device, 'compute');
  const callNs = profile.calls.launchNs;
  const call = 'cudaLaunchKernel';
  return { ...base, code: 'kernel', call, route: 'engine', engine, callNs, ...kernelCost(kernel, 1, program, profile) };
}

const made = new WeakMap<MultiCopyPlan, Map<number, ThreadedPlan>>();

/** Lanes, costs and the copy itself all need it, and a payload may have a million tensors. */
function planned(plan: MultiCopyPlan, profile: DeviceProfile): ThreadedPlan {
  const ofPlan = made.get(plan) ?? new Map<number, ThreadedPlan>();
  made.set(plan, ofPlan);
  const cores = coresOf(profile);
  const found = ofPlan.get(cores) ?? threadedPlan(plan, cores);
  ofPlan.set(cores, found);
  return found;
}

const coresOf = ({ host }: DeviceProfile): number => host.threads.at(-1)?.threads ?? 1;

/** The plans that use the compute channel: some tensors are moved by a kernel, or are as small as goes there. */
export function plansOnCompute(program: Program, profile: DeviceProfile): ReadonlySet<number> {
  const usesCompute = (plan: MultiCopyPlan): boolean => {
    if (!isThreaded(plan)) return movesPieces(plan);
    const isSmall = (bytes: number): boolean => plan.direction === 'h2d' && mayUseCompute(profile, bytes);
    return planned(plan, profile).chunks.some(({ runs }) =>
      runs.some(({ isGathered, bytes }) => isGathered || isSmall(bytes)),
    );
  };
  return new Set(program.multiCopies.flatMap((plan, index) => (usesCompute(plan) ? [index] : [])));
}

/** How many threads help each host thread in its multi-tensor copies, at the most. */
export function helperCounts(program: Program, profile: DeviceProfile): number[] {
  return program.threads.map(({ instructions }) =>
    instructions.reduce((most, instruction) => {
      const plan = instruction.code === 'multiCopy' ? program.multiCopies[instruction.plan] : undefined;
      if (plan === undefined || !isThreaded(plan)) return most;
      const { threads, chunks } = planned(plan, profile);
      const units = chunks.reduce((sum, chunk) => sum + chunk.units.length, 0);
      return Math.max(most, Math.min(threads, units) - 1);
    }, 0),
  );
}
