/**
 * What things took in one recorded run, against what a profile says of them: machines of one kind differ, and one machine
 * does between two hours. So remedies of a run are predicted with what its own rows show. What it doesn't show, as a
 * page-locked copy in the place of a pageable one, stays as the profile has it.
 *
 * A row is held against the same row of the run as the profile predicts it with a recorder attached. So what the recorder
 * adds to a call, and what a copy waits for another one on the link, is no cost of the operation.
 */

import type { CallName, CopyCost, CopyEnds, CostModel, HostAccess, KernelCost } from '../machine/costModel.ts';
import { simulate } from '../machine/simulate.ts';
import type { DeviceProfile } from '../profile/profile.ts';
import { lower } from '../program/lower.ts';
import type { Instruction, Program, ProgramKernel } from '../program/program.ts';
import { spread } from '../statistics.ts';
import { activity, type Iteration, iterationOf } from '../trace/iteration.ts';
import type { Run } from '../trace/run.ts';
import { copyDirection } from '../trace/trace.ts';
import { CostsBehind } from './behind.ts';
import { profileCosts, recordingCosts } from './profileCosts.ts';
import type { CostsOf } from './spread.ts';

/** What a run showed, in words that stand for all operations alike: how many times as long as predicted each took. It can be sent to a worker. */
export type Shown = ReadonlyMap<string, number>;

/** Longer programs are simulated too slowly for somebody who waits. */
const mostInstructions = 20_000;
/** Of runs of more rows nothing is read. */
const mostRows = 200_000;

/** Whether something may be read of its machine. */
export const tellsMachine = ({ info, trace }: Run): boolean => info.engine === 'cuda' && trace.count <= mostRows;

/** Nothing where the run is not one that was recorded on a GPU, or is too long. */
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

/** Costs of the machine of a run that showed this; of machines around it, what was shown is turned as their near profiles are. */
export const shownCosts = (shown: Shown): CostsOf =>
  shown.size === 0 ? profileCosts : (machine, near) => new ShownCosts(shown, profileCosts(machine), profileCosts(near));

function programOf(run: Run): Program | null {
  if (!tellsMachine(run) || run.info.experiment === null) return null;
  try {
    const program = lower(run.info.experiment);
    const instructions = program.threads.reduce((sum, thread) => sum + thread.instructions.length, 0);
    return instructions > mostInstructions ? null : program;
  } catch {
    // The experiment of a run from elsewhere need not be one that can be lowered.
    return null;
  }
}

/** What a row tells, by words that an operation of the same kind and size has as well. */
const copyKey = (bytes: number, src: string, dst: string): string => `copy of ${bytes} B from ${src} to ${dst}`;
const kernelKey = (kernel: ProgramKernel, smShare: number): string => `kernel ${JSON.stringify([kernel, smShare])}`;
const hostKey = ({ kind, ...access }: HostAccess, bytes: number): string =>
  `host ${kind} of ${bytes} B ${Object.values(access).join('')}`.trim();

/** The median of the iteration's rows of each kind, in nanoseconds. */
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

/** Null for a row that tells no cost of its operation. */
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
      // A pageable copy holds its call; the device only keeps up with it.
      if (isPageable) return kind === 'host-call' ? copyKey(instruction.bytes, from, to) : null;
      if (kind === 'copy') return copyKey(bytes, src, dst);
      return kind === 'host-call' && !instruction.blocking && from !== 'device' ? name : null;
    }
    case 'write':
    case 'read': {
      const content = instruction.code === 'write' ? instruction.content : instruction.expected;
      const access = { kind: instruction.code, pattern: content?.pattern.kind ?? ('constant' as const) };
      return kind === 'host-write' || kind === 'host-read' ? hostKey(access, instruction.bytes) : null;
    }
    case 'recordEvent':
      return kind === 'host-call' ? name : null;
    default:
      return null;
  }
}

/** Where the run has shown a cost, that of the near machine is turned by it; all else is `behind`'s. */
class ShownCosts extends CostsBehind {
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

  /** Null where the run has not shown it. */
  #turned(key: string, costOf: (costs: CostModel) => number): number | null {
    const times = this.#shown.get(key);
    return times === undefined ? null : times * costOf(this.#near);
  }
}

/** The driver launches a kernel for a copy within a device. */
const callOf = ({ src, dst }: CopyEnds): CallName =>
  src === 'device' && dst === 'device' ? 'cudaLaunchKernel' : 'cudaMemcpyAsync';
