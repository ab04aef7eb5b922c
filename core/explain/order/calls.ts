/** Calls of host threads: which issue work to a stream, and which wait for it. */
import { lowerBound } from '../../lowerBound.ts';
import type {
  Instruction,
  InstructionCode,
  InstructionOf,
  MultiCopyPlan,
  Program,
  ProgramBuffer,
} from '../../program/program.ts';
import type { Clock } from './clock.ts';

/** A call of a host thread. `host` is the clock as the call begins. It changes afterwards, so copy it to keep it. */
export interface Call {
  readonly thread: number;
  readonly instruction: Instruction;
  /** Number of the call in its thread, from 1. */
  readonly position: number;
  readonly host: Clock;
  /** Work issued by the call: its place in its lane, and its start clock. Null for host calls. */
  readonly issued: Issued | null;
}

export type Caller = Pick<Call, 'thread' | 'position' | 'host'>;

export interface Issued {
  /** Entry of the lane in clocks. */
  readonly lane: number;
  readonly index: number;
  readonly start: Clock;
}

/** Returns whether a call is certain to come after an earlier one of the schedule. */
export const isAfter = ({ thread, host }: Caller, earlier: Pick<Call, 'thread' | 'position'>): boolean =>
  earlier.thread === thread || (host[earlier.thread] ?? 0) >= earlier.position;

/** A thread's calls of one kind, in order, and how many of them this pass has reached. */
export interface Calls<Item> {
  readonly items: Item[];
  met: number;
}

/** Returns how many of a thread's calls have at most this position. */
export const countBefore = (items: readonly { readonly position: number }[], position: number): number =>
  lowerBound(0, items.length, (index) => (items[index]?.position ?? 0) <= position);

const issuedCodes = [
  ...(['copy', 'memset', 'prefetch', 'kernel', 'recordEvent', 'waitEvent'] as const),
  ...(['hostFunction', 'multiCopy', 'blockCopy', 'launchGraph', 'item'] as const),
];
const issued: ReadonlySet<InstructionCode> = new Set(issuedCodes);
export type IssuedInstruction =
  | InstructionOf<(typeof issuedCodes)[number]>
  | InstructionOf<'allocate'>
  | InstructionOf<'free'>;

/** Returns true if it becomes part of a stream, as cudaMallocAsync and cudaFreeAsync do among the allocators. */
export const isIssued = (instruction: Instruction): instruction is IssuedInstruction =>
  instruction.code === 'allocate' || instruction.code === 'free'
    ? instruction.allocator === 'pool'
    : issued.has(instruction.code);

export const isPageable = (buffer: ProgramBuffer | undefined): boolean => buffer?.memory === 'pageable';
export const isDevice = (buffer: ProgramBuffer | undefined): boolean => buffer?.memory === 'device';

/**
 * Returns whether the call returns only when the operation has completed. A cudaMemcpy from pageable memory, or within
 * the device, doesn't guarantee that, and neither does a cudaMemcpyAsync into pageable memory: it "might be synchronous"
 * (CUDA Runtime API, API synchronization behavior).
 */
export function holdsUntilDone(instruction: Instruction, program: Program): boolean {
  if (instruction.code === 'item') return true;
  if (instruction.code === 'multiCopy') return endsWithItsStream(program.multiCopies[instruction.plan]);
  if (instruction.code === 'kernel') return program.launchBlocking;
  if (instruction.code === 'blockCopy')
    return instruction.by === 'loop' && isPageable(program.buffers[instruction.dst]);
  if (instruction.code !== 'copy') return false;
  const [source, target] = [program.buffers[instruction.src], program.buffers[instruction.dst]];
  if (!isDevice(target)) return !isDevice(source) || instruction.blocking;
  return instruction.blocking && !isDevice(source) && !isPageable(source);
}

/** Returns whether the call first waits for its stream: a cudaMemcpy from pageable memory, before it stages. */
export function synchronizesFirst(instruction: InstructionOf<'copy'>, program: Program): boolean {
  const [source, target] = [program.buffers[instruction.src], program.buffers[instruction.dst]];
  return instruction.blocking && isPageable(source) && isDevice(target);
}

/** Every strategy synchronises at its end. Between host buffers, nothing is in a stream. */
const endsWithItsStream = (plan: MultiCopyPlan | undefined): boolean => plan !== undefined && plan.direction !== 'h2h';
