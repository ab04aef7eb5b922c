/**
 * What things took in one recorded run, in the place of what a profile says of them: machines of one kind differ, and one
 * machine does between two hours. So remedies of a run are predicted with what its own rows show. What it doesn't show, as
 * a page-locked copy in the place of a pageable one, stays as the profile has it.
 */

import type { CallName, CopyCost, CopyEnds, CostModel, HostAccess, KernelCost } from '../machine/costModel.ts';
import type { DeviceProfile } from '../profile/profile.ts';
import { lower } from '../program/lower.ts';
import type { Instruction, Program, ProgramKernel } from '../program/program.ts';
import { spread } from '../statistics.ts';
import { activity, iterationOf } from '../trace/iteration.ts';
import type { Run } from '../trace/run.ts';
import { copyDirection } from '../trace/trace.ts';
import { CostsBehind } from './behind.ts';
import { profileCosts } from './profileCosts.ts';
import type { CostsOf } from './spread.ts';

/** What a run showed, in words that stand for all operations alike, and how long each took; it can be sent to a worker. */
export type Shown = ReadonlyMap<string, number>;

/** Longer programs are simulated too slowly for somebody who waits. */
const mostInstructions = 20_000;
/** Of runs of more rows nothing is read. */
const mostRows = 200_000;

/** Whether something may be read of its machine. */
export const tellsMachine = ({ info, trace }: Run): boolean => info.engine === 'cuda' && trace.count <= mostRows;

/** Nothing where the run is not one that was recorded on a GPU, or is too long. */
export function shownBy(run: Run, { parameters }: DeviceProfile): Shown {
  const program = programOf(run);
  return program === null ? new Map() : readRows(run, program, parameters['recorder.callNs'] ?? 0);
}

/** Costs of the machine of a run that showed this; of machines around it, what was shown is turned as their near profiles are. */
export function shownCosts(shown: Shown, profile: DeviceProfile): CostsOf {
  if (shown.size === 0) return profileCosts;
  const base = profileCosts(profile);
  return (machine, near) => new ShownCosts(shown, profileCosts(machine), { base, near: profileCosts(near) });
}

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

/** The median of the representative iteration's rows of each kind, without what recording added to calls. */
function readRows(run: Run, program: Program, recorderNs: number): Shown {
  const instructions = new Map<number, Instruction>();
  for (const thread of program.threads) for (const one of thread.instructions) instructions.set(one.op, one);
  const found = new Map<string, number[]>();
  const iteration = iterationOf(run.trace, run.info.iterations.representative);
  for (let row = iteration.begin; row < iteration.end; row += 1) {
    const one = activity(run.trace, row);
    const instruction = instructions.get(one.op);
    if (instruction === undefined) continue;
    const lastsNs = one.endNs - one.startNs;
    const told = tellOf(one, instruction, program);
    if (told === null) continue;
    const ns = told.isCall ? Math.max(1, lastsNs - recorderNs) : lastsNs;
    const known = found.get(told.key);
    if (known === undefined) found.set(told.key, [ns]);
    else known.push(ns);
  }
  return new Map([...found].map(([key, values]) => [key, spread(values)?.median ?? 0]));
}

function tellOf(
  { kind, name, bytes, src, dst }: ReturnType<typeof activity>,
  instruction: Instruction,
  { buffers }: Program,
): { readonly key: string; readonly isCall: boolean } | null {
  const memory = (buffer: number): string => buffers[buffer]?.memory ?? 'unknown';
  switch (instruction.code) {
    case 'kernel':
      if (kind === 'kernel') return { key: kernelKey(instruction.kernel, instruction.smShare), isCall: false };
      return kind === 'host-call' ? { key: name, isCall: true } : null;
    case 'copy': {
      const ends = [memory(instruction.src), memory(instruction.dst)];
      const isPageable = ends.includes('pageable') && ends.includes('device');
      const [from = '', to = ''] = ends;
      // A pageable copy holds its call; the device only keeps up with it.
      if (isPageable) return kind === 'host-call' ? { key: copyKey(instruction.bytes, from, to), isCall: true } : null;
      if (kind === 'copy') return { key: copyKey(bytes, src, dst), isCall: false };
      return kind === 'host-call' && !instruction.blocking && from !== 'device' ? { key: name, isCall: true } : null;
    }
    case 'write':
    case 'read': {
      const content = instruction.code === 'write' ? instruction.content : instruction.expected;
      const access = { kind: instruction.code, pattern: content?.pattern.kind ?? ('constant' as const) };
      const isRow = kind === 'host-write' || kind === 'host-read';
      return isRow ? { key: hostKey(access, instruction.bytes), isCall: false } : null;
    }
    case 'recordEvent':
      return kind === 'host-call' ? { key: name, isCall: false } : null;
    default:
      return null;
  }
}

/** Of the run's own machine, and of one around it. */
interface Turn {
  readonly base: CostModel;
  readonly near: CostModel;
}

class ShownCosts extends CostsBehind {
  readonly #shown: Shown;
  readonly #turn: Turn;

  constructor(shown: Shown, behind: CostModel, turn: Turn) {
    super(behind);
    this.#shown = shown;
    this.#turn = turn;
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
    const shown = this.#shown.get(key);
    if (shown === undefined) return null;
    const base = costOf(this.#turn.base);
    return shown * (base > 0 ? costOf(this.#turn.near) / base : 1);
  }
}

/** The driver launches a kernel for a copy within a device. */
const callOf = ({ src, dst }: CopyEnds): CallName =>
  src === 'device' && dst === 'device' ? 'cudaLaunchKernel' : 'cudaMemcpyAsync';
