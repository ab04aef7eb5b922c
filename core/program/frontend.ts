/**
 * PyTorch's own time. With environment.frontend "pytorch", each call into PyTorch keeps its thread busy before the CUDA
 * calls in it. The code that core/code/pytorch writes decides which instructions are such calls. A stream is entered as
 * rarely as a person would, not once for each line.
 */
import type { Instruction, InstructionCode } from './instructions.ts';
import type { MultiCopyPlan, Program, ProgramThread } from './program.ts';

/** An operation on a tensor, a call on a stream, event or graph, and a change of the current stream. */
export type FrontendCall = 'tensor' | 'handle' | 'stream';

/** Name of the host rows of this time. They belong to no operation. */
export const frontendName = 'PyTorch';

/**
 * Nanoseconds without the CUDA calls, measured on hosts of H200 machines, with PyTorch 2.11 and then with the same CUDA calls.
 * Tensor.to, which is an allocation and a copy, took 5.8 µs more than them on one host and 10.9 µs on another, so
 * `tensor` is half of the geometric mean. The others are of the first host.
 */
export const frontendNs: Readonly<Record<FrontendCall, number>> = { tensor: 4000, handle: 600, stream: 11_700 };
/** Calls of a Tensor.to. */
export const callsOfTo = 2;

const calls: Partial<Record<InstructionCode, FrontendCall>> = {
  ...{ write: 'tensor', read: 'tensor', pin: 'tensor', packBlocks: 'tensor', allocate: 'tensor', multiCopy: 'tensor' },
  ...{ copy: 'tensor', memset: 'tensor', kernel: 'tensor', blockCopy: 'tensor', synchronizeDevice: 'tensor' },
  ...{ item: 'handle', recordStream: 'handle', recordEvent: 'handle', waitEvent: 'handle', launchGraph: 'handle' },
  ...{ synchronizeStream: 'handle', synchronizeEvent: 'handle', queryStream: 'handle', queryEvent: 'handle' },
  ...{ elapsedTime: 'handle', beginCapture: 'handle', endCapture: 'handle' },
};

/** Calls that work in the current stream. */
const inCurrentStream: ReadonlySet<InstructionCode> = new Set([
  ...(['copy', 'memset', 'kernel', 'blockCopy', 'multiCopy', 'item'] as const),
  ...(['allocate', 'launchGraph', 'beginCapture'] as const),
]);

type Facts = Pick<Program, 'frontend' | 'operations' | 'streams' | 'buffers' | 'multiCopies'>;

/** Returns the calls into PyTorch before each of a thread's instructions, without those of loops (callsForEach). */
export function frontendCalls(
  { instructions, device }: ProgramThread,
  { frontend, operations, streams, buffers, multiCopies }: Facts,
): readonly (readonly FrontendCall[])[] {
  if (frontend !== 'pytorch') return [];
  const isWhole = (buffer: number, bytes: number): boolean => bytes >= (buffers[buffer]?.bytes ?? 0);
  const slices = (one: Instruction): number => {
    if (one.code === 'copy') return [one.src, one.dst].filter((buffer) => !isWhole(buffer, one.bytes)).length;
    return 'buffer' in one && 'bytes' in one && !isWhole(one.buffer, one.bytes) ? 1 : 0;
  };
  /** Returns the stream that must be the current one; null if none need be, -1 for the default one. */
  const streamOf = (one: Instruction): number | null => {
    if (!inCurrentStream.has(one.code) || !('stream' in one)) return null;
    const { kind, device: own } = streams[one.stream] ?? {};
    return kind === 'legacy-default' && own === device ? -1 : one.stream;
  };
  let current = -1;
  return instructions.map((one, index) => {
    if (one.code === 'repeat') {
      // Later rounds begin as the round before ended.
      const streamsInside = instructions.slice(index, one.end).flatMap((inside) => streamOf(inside) ?? []);
      current = streamsInside.at(-1) ?? current;
    }
    const stream = streamOf(one) ?? current;
    const enters = stream >= 0 && stream !== current;
    current = stream;
    const call = calls[one.code];
    // The time between recorded calls is work in the document.
    if (call === undefined || operations[one.op]?.recorded !== undefined) return [];
    const own = callsForEach(one, multiCopies) ? [] : [call, ...new Array<FrontendCall>(slices(one)).fill('tensor')];
    return enters ? ['stream', ...own] : own;
  });
}

/** Returns whether the instruction is a loop that calls PyTorch for each block or tensor. Copyscope's copiers are one call. */
export function callsForEach(instruction: Instruction, multiCopies: readonly MultiCopyPlan[]): boolean {
  if (instruction.code === 'blockCopy') return instruction.by === 'loop';
  return instruction.code === 'multiCopy' && /loop$|^pin-then-copy/.test(multiCopies[instruction.plan]?.strategy ?? '');
}
