/** Bytes that an instruction reads and writes, and whether during its call or when its turn in the stream comes. */

import { type Access, accesses } from '../../program/accesses.ts';
import { type Instruction, type InstructionOf, isLibraryKernel, type Program } from '../../program/program.ts';
import { isDevice, isPageable } from '../order/calls.ts';

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
export function touches(instruction: Instruction, { buffers }: Program, captured = false): Touch[] {
  const { op, code } = instruction;
  if (code === 'allocate' || code === 'free') return [];
  const byHost = code === 'write' || code === 'read' || code === 'pin' || code === 'packBlocks';
  // The driver has taken all of a pageable source when the call returns.
  const staged =
    (code === 'copy' || code === 'blockCopy') &&
    !captured &&
    isPageable(buffers[instruction.src]) &&
    isDevice(buffers[instruction.dst]);
  const moved =
    code === 'kernel' && !isLibraryKernel(instruction.kernel) ? declared(instruction) : accesses(instruction);
  return moved.map(({ buffer, writes, offset, bytes }) => {
    const size = buffers[buffer]?.bytes ?? 0;
    const onHost = byHost || (staged && !writes);
    return {
      ...{ op, code, buffer, writes, from: offset, to: Math.min(size, offset + (bytes ?? size)) },
      where: onHost ? 'host' : 'stream',
      stream: !onHost && 'stream' in instruction ? instruction.stream : -1,
    };
  });
}

/** The document says which buffers other kernels touch. */
function declared({ kernel, reads, writes }: InstructionOf<'kernel'>): Access[] {
  const bytes = kernel.kind === 'stream' ? kernel.bytes : null;
  const of = (list: readonly number[], isWritten: boolean): Access[] =>
    list.map((buffer) => ({ buffer, writes: isWritten, offset: 0, bytes }));
  return [...of(reads, false), ...of(writes, true)];
}
