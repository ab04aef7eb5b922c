/** Checks that an operation can access its memory: the host not a device's, a device no pageable memory. */
import { type Instruction, type InstructionOf, isLibraryKernel, type ProgramBuffer } from '../program.ts';
import type { Report, UncheckedProgram } from './report.ts';

export function checkMemory(program: UncheckedProgram, report: Report): void {
  const check = new MemoryCheck(program, report);
  for (const { instructions } of program.threads)
    for (const instruction of instructions) check.instruction(instruction);
  if (program.devices.length > 1 && program.buffers.some(({ memory }) => memory === 'managed')) {
    const message = 'an experiment with managed memory has one device: pages that move between devices are left out.';
    report(['devices', 1], message, 'Delete the other devices, or use device memory.');
  }
}

class MemoryCheck {
  readonly #program: UncheckedProgram;
  readonly #report: Report;

  constructor(program: UncheckedProgram, report: Report) {
    this.#program = program;
    this.#report = report;
  }

  instruction(instruction: Instruction): void {
    const { code } = instruction;
    if (code === 'copy' || code === 'pin' || code === 'blockCopy' || code === 'packBlocks') this.#copied(instruction);
    if (code === 'write' || code === 'read') this.#host(instruction);
    else if (code === 'pin') this.#pin(instruction);
    else if (code === 'allocate') this.#allocate(instruction);
    else if (code === 'item') this.#item(instruction);
    else if (code === 'blockCopy') this.#blocks(instruction);
    else if (code === 'packBlocks') this.#packed(instruction);
    else if (code === 'prefetch' || code === 'advise') this.#managed(instruction);
    else if (code === 'memset') this.#reached(instruction.buffer, instruction);
    else if (code === 'kernel') {
      for (const buffer of instruction.reads) this.#reached(buffer, instruction);
      for (const buffer of instruction.writes) this.#reached(buffer, instruction);
      if (isLibraryKernel(instruction.kernel)) this.#library(instruction);
    }
  }

  #buffer(index: number): ProgramBuffer | undefined {
    return this.#program.buffers[index];
  }

  #host({ op, code, buffer: index }: InstructionOf<'read' | 'write'>): void {
    const buffer = this.#buffer(index);
    if (buffer?.memory !== 'device') return;
    const message = `the host can't ${code} "${buffer.id}": it is device memory.`;
    this.#report(op, message, 'Copy it to or from host memory, and name that here.');
  }

  /** How the driver copies depends on where the pages lie, so such a copy has no direction in the document. */
  #copied({ op, src, dst }: InstructionOf<'copy' | 'pin' | 'blockCopy' | 'packBlocks'>): void {
    const managed = [src, dst].map((index) => this.#buffer(index)).find((buffer) => buffer?.memory === 'managed');
    if (managed === undefined) return;
    const message = `"${managed.id}" is managed memory, which needs no copies.`;
    this.#report(op, message, 'Let kernels and the host use it, and prefetch it; or make it pinned or device memory.');
  }

  #managed({ op, code, buffer: index }: InstructionOf<'prefetch' | 'advise'>): void {
    const buffer = this.#buffer(index);
    if (buffer === undefined || buffer.memory === 'managed') return;
    const message = `${code} is for managed memory, and "${buffer.id}" is ${buffer.memory} memory.`;
    this.#report(op, message, 'Declare the buffer as managed, or delete the operation.');
  }

  #pin({ op, src: from, dst: to }: InstructionOf<'pin'>): void {
    const [src, dst] = [this.#buffer(from), this.#buffer(to)];
    if (src?.memory === 'device') {
      this.#report(
        op,
        `"${src.id}" is device memory.`,
        'pin_memory() copies host memory: name a host buffer as "src".',
      );
    }
    if (dst !== undefined && dst.memory !== 'pinned') {
      this.#report(
        op,
        `"${dst.id}" is ${dst.memory} memory.`,
        'pin_memory() makes pinned memory: declare "dst" as pinned.',
      );
    }
  }

  #allocate({ op, allocator, buffer: index }: InstructionOf<'allocate'>): void {
    const buffer = this.#buffer(index);
    if (buffer === undefined || buffer.memory === 'device' || allocator !== 'pool') return;
    const message = `a stream-ordered pool gives device memory, and "${buffer.id}" is ${buffer.memory} memory.`;
    this.#report(op, message, 'Use allocator "caching" or "cuda-malloc".');
  }

  #item({ op, buffer: index }: InstructionOf<'item'>): void {
    const buffer = this.#buffer(index);
    if (buffer === undefined || buffer.memory === 'device') return;
    const message = `item() can't copy from "${buffer.id}": it is ${buffer.memory} memory.`;
    this.#report(op, message, 'Name a device buffer, or read it on the host.');
  }

  #blocks(instruction: InstructionOf<'blockCopy'>): void {
    const { op, by, src, dst, stream } = instruction;
    const ends = [this.#buffer(src), this.#buffer(dst)];
    const pageable = ends.find((buffer) => buffer?.memory === 'pageable');
    if (ends.every((buffer) => buffer !== undefined && buffer.memory !== 'device')) {
      this.#report(
        op,
        'both buffers are host memory.',
        'Name a device buffer: blocks are copied to, from or within a device.',
      );
    } else if (ends.some((buffer) => buffer?.allocated === 'by-operation' && buffer.memory !== 'device')) {
      this.#report(
        op,
        'host memory of a block copy must exist before the run.',
        'Declare the buffer without an allocate.',
      );
    } else if (by === 'kernel') {
      for (const buffer of [src, dst]) this.#reached(buffer, instruction);
    } else if (by === 'pitched' && ends.every((buffer) => buffer?.memory === 'device')) {
      this.#report(op, 'a pitched copy goes over the link.', 'Use strategy "kernel" within a device.');
    } else if (by !== 'loop' && pageable !== undefined) {
      const message = `a ${by} copy works on page-locked memory, and "${pageable.id}" is pageable memory.`;
      this.#report(op, message, 'Make it pinned memory, or use strategy "packed".');
    } else if (by === 'batch' && this.#program.streams[stream]?.kind === 'legacy-default') {
      const message = 'cudaMemcpyBatchAsync refuses the legacy default stream.';
      this.#report(op, message, 'Use a declared stream, or another strategy.');
    }
  }

  /** Lowered from strategy "packed". */
  #packed({ op, src, dst }: InstructionOf<'packBlocks'>): void {
    if ([src, dst].every((index) => this.#buffer(index)?.memory !== 'device')) return;
    const message = 'strategy "packed" gathers or scatters on the host, and both buffers are device memory.';
    this.#report(op, message, 'Use strategy "kernel".');
  }

  /** cuBLAS and cuFFT accept mapped memory too, but access it word by word over the link, which isn't useful. */
  #library({ op, kernel, reads, writes }: InstructionOf<'kernel'>): void {
    for (const index of [...reads, ...writes]) {
      const buffer = this.#buffer(index);
      if (buffer === undefined || buffer.memory === 'device' || buffer.memory === 'pageable') continue;
      const message = `a ${kernel.kind} kernel works on device memory, and "${buffer.id}" is ${buffer.memory} memory.`;
      this.#report(op, message, 'Copy it to device memory first.');
    }
  }

  /**
   * Checks access from a device: its own memory, page-locked host memory (all of it is mapped under unified
   * addressing), and, with peer access, memory of other devices.
   */
  #reached(index: number, { op, stream }: InstructionOf<'kernel' | 'memset' | 'blockCopy'>): void {
    const device = this.#program.streams[stream]?.device ?? 0;
    const buffer = this.#buffer(index);
    if (buffer === undefined) return;
    if (buffer.memory === 'pageable') {
      const message = `the device can't reach "${buffer.id}": it is pageable memory.`;
      this.#report(op, message, 'Copy it to device memory first, or make it mapped memory.');
    } else if (buffer.memory === 'device' && buffer.device !== device && !this.#program.peerAccess) {
      const [home, other] = [this.#program.devices[buffer.device]?.id, this.#program.devices[device]?.id];
      const message = `"${buffer.id}" lies on "${home}", and the stream is of "${other}".`;
      this.#report(op, message, 'Use a stream of that device, or set environment.peerAccess.');
    }
  }
}
