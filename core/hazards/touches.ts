/** Bytes that an instruction reads and writes, and whether during its call or when its turn in the stream comes. */

import { isDevice, isPageable } from '../order/calls.ts';
import { type Instruction, isLibraryKernel, type Program } from '../program/program.ts';
import { operandsOfKernel, resultBytes } from '../program/resultBytes.ts';

export interface Touch {
  readonly op: number;
  readonly code: Instruction['code'];
  readonly buffer: number;
  readonly from: number;
  readonly to: number;
  readonly writes: boolean;
  /** `host`: by the calling thread, during the call. `stream`: in stream order, on the device or by the driver. */
  readonly where: 'host' | 'stream';
  /** Stream of the operation; -1 for the host's own work. */
  readonly stream: number;
}

/** Returns the touches of an instruction. `captured`: it is a node of a graph, so no call waits for it. */
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
      // The driver has read all of a pageable source when the call returns.
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
      if (isLibraryKernel(instruction.kernel)) {
        const { kernel } = instruction;
        return [
          ...operandsOfKernel(kernel).map(({ buffer, bytes }) => touch(buffer, false, 'stream', 0, bytes)),
          touch(kernel.dst, true, 'stream', 0, resultBytes(kernel)),
        ];
      }
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
