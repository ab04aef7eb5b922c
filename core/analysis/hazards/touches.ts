/** Which bytes an instruction reads and writes, and when: while its call is being made, or when its turn in the stream comes. */
import type { Instruction, InstructionOf, MultiCopyPlan, Program, ProgramBuffer } from '../../program/program.ts';

export interface Touch {
  readonly op: number;
  readonly code: Instruction['code'];
  readonly buffer: number;
  readonly from: number;
  readonly to: number;
  readonly writes: boolean;
  /** host: between call and return, by the calling thread. stream: in stream order, on the device or by the driver. */
  readonly where: 'host' | 'stream';
  /** Stream it is issued to; -1 for what the host does. */
  readonly stream: number;
}

const isPageable = (buffer: ProgramBuffer | undefined): boolean => buffer?.memory === 'pageable';
const isDevice = (buffer: ProgramBuffer | undefined): boolean => buffer?.memory === 'device';

/** `captured`: as a node of a graph, which nobody's call waits for. */
export function touches(instruction: Instruction, program: Program, captured = false): Touch[] {
  const { op, code } = instruction;
  const stream = 'stream' in instruction ? instruction.stream : -1;
  const touch = (
    buffer: number,
    writes: boolean,
    where: Touch['where'],
    from = 0,
    bytes = program.buffers[buffer]?.bytes ?? 0,
  ): Touch => ({ op, code, buffer, from, to: from + bytes, writes, where, stream: where === 'host' ? -1 : stream });
  switch (instruction.code) {
    case 'write':
    case 'read':
      return [touch(instruction.buffer, code === 'write', 'host', instruction.offset, instruction.bytes)];
    case 'pin':
      return [
        touch(instruction.src, false, 'host', 0, instruction.bytes),
        touch(instruction.dst, true, 'host', 0, instruction.bytes),
      ];
    case 'copy': {
      const { src, srcOffset, dst, dstOffset, bytes } = instruction;
      const [source, target] = [program.buffers[src], program.buffers[dst]];
      // The driver has taken all of a pageable source when the call returns.
      const staged = !captured && isPageable(source) && isDevice(target);
      return [
        touch(src, false, staged ? 'host' : 'stream', srcOffset, bytes),
        touch(dst, true, 'stream', dstOffset, bytes),
      ];
    }
    case 'memset':
      return [touch(instruction.buffer, true, 'stream', instruction.offset, instruction.bytes)];
    case 'item':
      return [
        touch(instruction.buffer, false, 'stream', 0, Math.min(4, program.buffers[instruction.buffer]?.bytes ?? 0)),
      ];
    case 'kernel': {
      const bytes = instruction.kernel.kind === 'stream' ? instruction.kernel.bytes : undefined;
      return [
        ...instruction.reads.map((buffer) => touch(buffer, false, 'stream', 0, bytes)),
        ...instruction.writes.map((buffer) => touch(buffer, true, 'stream', 0, bytes)),
      ];
    }
    default:
      return [];
  }
}

/**
 * Whether the call returns only when the operation has completed. A cudaMemcpy from pageable memory doesn't promise it,
 * nor one within the device (CUDA Runtime API, API synchronization behavior).
 */
export function holdsUntilDone(instruction: Instruction, program: Program): boolean {
  if (instruction.code === 'item') return true;
  if (instruction.code === 'multiCopy') return endsWithItsStream(program.multiCopies[instruction.plan]);
  if (instruction.code === 'kernel') return program.launchBlocking;
  if (instruction.code !== 'copy') return false;
  const [source, target] = [program.buffers[instruction.src], program.buffers[instruction.dst]];
  if (!isDevice(target)) return !isDevice(source) || isPageable(target) || instruction.blocking;
  return instruction.blocking && !isDevice(source) && !isPageable(source);
}

/** Whether the call waits for what is ahead of it in its stream: a cudaMemcpy from pageable memory, before it stages. */
export function synchronizesFirst(instruction: InstructionOf<'copy'>, program: Program): boolean {
  const [source, target] = [program.buffers[instruction.src], program.buffers[instruction.dst]];
  return instruction.blocking && isPageable(source) && isDevice(target);
}

/** Every strategy synchronises at its end. Between host buffers nothing is in a stream, and with relays not all in its own. */
const endsWithItsStream = (plan: MultiCopyPlan | undefined): boolean =>
  plan !== undefined && plan.direction !== 'h2h' && plan.relays.length === 0;
