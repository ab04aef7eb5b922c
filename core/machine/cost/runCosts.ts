/**
 * Costs from one recorded run, relative to a profile: machines of one kind differ, and one machine differs from hour to
 * hour. Remedies of a run are therefore predicted with the costs in its own rows. Costs that the run doesn't show, such
 * as of a page-locked copy instead of a pageable one, come from the profile.
 *
 * A row is compared with the same row of a simulation with a recorder attached. So the recorder's cost per call, and a
 * copy's wait for another one on the link, don't count as the operation's cost.
 */

import { lower } from '../../program/lower.ts';
import type { Instruction, Program, ProgramKernel } from '../../program/program.ts';
import { spread } from '../../statistics.ts';
import { activity, type Iteration, iterationOf } from '../../trace/iteration.ts';
import type { Run } from '../../trace/run.ts';
import { copyDirection } from '../../trace/trace.ts';
import {
  accessOf,
  type CallName,
  type CopyCost,
  type CopyEnds,
  type CostModel,
  type HostAccess,
  type KernelCost,
} from '../costModel.ts';
import type { DeviceProfile } from '../profile/profile.ts';
import { simulate } from '../simulate.ts';
import { CostsOverriding } from './costsOverriding.ts';
import { profileCosts, recordingCosts } from './profileCosts.ts';
import type { CostsOf } from './spread.ts';

/** Ratio of measured to predicted time, by a key that equal operations share. Can be sent to a worker. */
export type Shown = ReadonlyMap<string, number>;

/** Limit, because longer programs take too long to simulate. */
const mostInstructions = 20_000;
/** Limit of rows that are read. */
const mostRows = 200_000;

/** Returns whether the run shows costs of its machine. */
export const showsMachineCosts = ({ info, trace }: Run): boolean => info.engine === 'cuda' && trace.count <= mostRows;

/** Returns an empty map if the run wasn't recorded on a GPU, or is too long. */
export function shownBy(run: Run, profile: DeviceProfile): Shown {
  const program = programOf(run);
  if (program === null) return new Map();
  const recorded = timesIn(iterationOf(run.trace, run.info.iterations.representative), program);
  const predicted = timesIn(iterationOf(simulate(program, recordingCosts(profile)).trace, 0), program);
  return new Map(
    [...recorded].flatMap(([key, ns]) => {
      const expected = predicted.get(key) ?? 0;
      return expected > 0 ? [[key, ns / expected] as const] : [];
    }),
  );
}

/** Returns a run's costs. For similar machines, adjusts the costs shown by the run like their near profiles. */
export const shownCosts = (shown: Shown): CostsOf =>
  shown.size === 0 ? profileCosts : (machine, near) => new ShownCosts(shown, profileCosts(machine), profileCosts(near));

function programOf(run: Run): Program | null {
  if (!showsMachineCosts(run) || run.info.experiment === null) return null;
  try {
    const program = lower(run.info.experiment);
    const instructions = program.threads.reduce((sum, thread) => sum + thread.instructions.length, 0);
    return instructions > mostInstructions ? null : program;
  } catch {
    // The experiment of an imported run may be impossible to lower.
    return null;
  }
}

/** Key of a copy, shared by operations of the same kind and size. */
const copyKey = (bytes: number, src: string, dst: string): string => `copy of ${bytes} B from ${src} to ${dst}`;
const kernelKey = (kernel: ProgramKernel, smShare: number): string => `kernel ${JSON.stringify([kernel, smShare])}`;
const hostKey = ({ kind, ...access }: HostAccess, bytes: number): string =>
  `host ${kind} of ${bytes} B ${Object.values(access).join('')}`.trim();

/** Returns the median time of the iteration's rows of each kind, in nanoseconds. */
function timesIn(iteration: Iteration, program: Program): ReadonlyMap<string, number> {
  const instructions = new Map<number, Instruction>();
  for (const thread of program.threads) for (const one of thread.instructions) instructions.set(one.op, one);
  const found = new Map<string, number[]>();
  for (let row = iteration.begin; row < iteration.end; row += 1) {
    const one = activity(iteration.trace, row);
    const instruction = instructions.get(one.op);
    const key = instruction === undefined ? null : keyOf(one, instruction, program);
    if (key === null) continue;
    const known = found.get(key);
    if (known === undefined) found.set(key, [one.endNs - one.startNs]);
    else known.push(one.endNs - one.startNs);
  }
  return new Map([...found].map(([key, values]) => [key, spread(values)?.median ?? 0]));
}

/** Returns null if a row shows no cost of its operation. */
function keyOf(
  { kind, name, bytes, src, dst }: ReturnType<typeof activity>,
  instruction: Instruction,
  { buffers }: Program,
): string | null {
  const memory = (buffer: number): string => buffers[buffer]?.memory ?? 'unknown';
  switch (instruction.code) {
    case 'kernel':
      if (kind === 'kernel') return kernelKey(instruction.kernel, instruction.smShare);
      return kind === 'host-call' ? name : null;
    case 'copy': {
      const [from, to] = [memory(instruction.src), memory(instruction.dst)];
      const isPageable = [from, to].includes('pageable') && [from, to].includes('device');
      // A pageable copy holds its call, so the device only keeps up with it.
      if (isPageable) return kind === 'host-call' ? copyKey(instruction.bytes, from, to) : null;
      if (kind === 'copy') return copyKey(bytes, src, dst);
      return kind === 'host-call' && !instruction.blocking && from !== 'device' ? name : null;
    }
    case 'write':
    case 'read': {
      const access = accessOf(instruction, buffers[instruction.buffer]?.memory ?? 'unknown');
      return kind === 'host-write' || kind === 'host-read' ? hostKey(access, instruction.bytes) : null;
    }
    case 'recordEvent':
      return kind === 'host-call' ? name : null;
    default:
      return null;
  }
}

/** Scales the near machine's costs by the ratios the run has shown. All other costs come from `behind`. */
class ShownCosts extends CostsOverriding {
  readonly #shown: Shown;
  readonly #near: CostModel;

  constructor(shown: Shown, behind: CostModel, near: CostModel) {
    super(behind);
    this.#shown = shown;
    this.#near = near;
  }

  override callNs(call: CallName): number {
    return this.#turned(call, (costs) => costs.callNs(call)) ?? this.behind.callNs(call);
  }

  override copy(bytes: number, ends: CopyEnds, peerAccess: boolean): CopyCost | null {
    const cost = this.behind.copy(bytes, ends, peerAccess);
    if (cost === null) return null;
    const turned = (part: 'callNs' | 'deviceNs'): number =>
      this.#turned(copyKey(bytes, ends.src, ends.dst), (costs) => costs.copy(bytes, ends, peerAccess)?.[part] ?? 0) ??
      cost[part];
    const isStaged =
      copyDirection(ends.src, ends.dst) !== 'h2h' && (ends.src === 'pageable' || ends.dst === 'pageable');
    return isStaged
      ? { ...cost, callNs: turned('callNs') }
      : { ...cost, callNs: this.callNs(callOf(ends)), deviceNs: turned('deviceNs') };
  }

  override kernel(kernel: ProgramKernel, smShare: number, program: Program): KernelCost {
    const cost = this.behind.kernel(kernel, smShare, program);
    const deviceNs = this.#turned(
      kernelKey(kernel, smShare),
      (costs) => costs.kernel(kernel, smShare, program).deviceNs,
    );
    return deviceNs === null ? cost : { ...cost, deviceNs };
  }

  override hostNs(access: HostAccess, bytes: number): number {
    return (
      this.#turned(hostKey(access, bytes), (costs) => costs.hostNs(access, bytes)) ?? this.behind.hostNs(access, bytes)
    );
  }

  /** Returns null if the run hasn't shown it. */
  #turned(key: string, costOf: (costs: CostModel) => number): number | null {
    const times = this.#shown.get(key);
    return times === undefined ? null : times * costOf(this.#near);
  }
}

/** The driver launches a kernel for a copy within a device. */
const callOf = ({ src, dst }: CopyEnds): CallName =>
  src === 'device' && dst === 'device' ? 'cudaLaunchKernel' : 'cudaMemcpyAsync';
