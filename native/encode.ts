/** A program as the numeric tables that the addon takes (native/src/tables.h reads them and checks their ranges). */
import { CopyscopeError } from '../core/errors.ts';
import type { Pattern } from '../core/experiment/resources.ts';
import type { Content, Instruction, Program } from '../core/program/program.ts';
import type { MemoryKind } from '../core/trace/trace.ts';
import type { AddonRequest } from './addon.ts';
import { type Code, codes, columns, engines, memories, patternKinds, streamKinds } from './layout.ts';

export type TimingOption = 'cupti' | 'events';

export interface EncodeOptions {
  readonly engine: 'cpu' | 'cuda';
  readonly timing: TimingOption;
}

/** Throws a CopyscopeError `engine.unsupported` for what the native engines can't execute. */
export function encodeProgram(program: Program, options: EncodeOptions): AddonRequest {
  const [device, second] = program.devices;
  if (device === undefined || second !== undefined) throw unsupported('devices', 'other than one device');
  return {
    engine: engines.indexOf(options.engine),
    eventTiming: options.timing === 'events' ? 1 : 0,
    device: device.index,
    iterations: program.iterations,
    warmups: program.warmups,
    bufferIds: program.buffers.map((buffer) => buffer.id),
    streamIds: program.streams.map((stream) => stream.id),
    buffers: table(columns.buffers, program.buffers, (buffer) => [
      memoryNumber(buffer.memory, buffer.id),
      buffer.bytes,
      ...patternNumbers(buffer.pattern),
      buffer.written ? 1 : 0,
    ]),
    streams: table(columns.streams, program.streams, (stream) => [streamKinds.indexOf(stream.kind), stream.thread]),
    events: Float64Array.from(program.events, (event) => (event.timing ? 1 : 0)),
    threads: program.threads.map((thread) => table(columns.instructions, thread.instructions, instructionNumbers)),
    expectations: table(columns.expectations, program.expectations, ({ buffer, offset, bytes, content }) => [
      buffer,
      offset,
      bytes,
      ...contentNumbers(content),
    ]),
  };
}

function table<Item>(width: number, items: readonly Item[], row: (item: Item) => number[]): Float64Array {
  const numbers = new Float64Array(width * items.length);
  items.forEach((item, index) => {
    const values = row(item);
    if (values.length !== width) throw new RangeError(`a row has ${values.length} numbers instead of ${width}`);
    numbers.set(values, index * width);
  });
  return numbers;
}

/** A row's numbers in the addon's order. */
interface InstructionFields {
  readonly code: Code;
  readonly stream?: number;
  readonly event?: number;
  readonly src?: number;
  readonly srcOffset?: number;
  readonly dst?: number;
  readonly dstOffset?: number;
  readonly bytes?: number;
  /** Nanoseconds of work and spin, passes of a stream kernel, rounds of a repeat. */
  readonly amount?: number;
  /** Index of a group's other end. */
  readonly jump?: number;
  readonly content?: Content | null;
  readonly blocking?: boolean;
}

function instructionNumbers(instruction: Instruction): number[] {
  const fields = instructionFields(instruction);
  return [
    codes.indexOf(fields.code),
    instruction.op,
    fields.stream ?? -1,
    fields.event ?? -1,
    fields.src ?? -1,
    fields.srcOffset ?? 0,
    fields.dst ?? -1,
    fields.dstOffset ?? 0,
    fields.bytes ?? 0,
    fields.amount ?? 0,
    fields.jump ?? -1,
    ...contentNumbers(fields.content ?? null),
    fields.blocking === true ? 1 : 0,
  ];
}

function instructionFields(instruction: Instruction): InstructionFields {
  switch (instruction.code) {
    case 'work':
      return { code: 'work', amount: instruction.durationNs };
    case 'write':
    case 'read': {
      const { code, buffer: src, offset: srcOffset, bytes } = instruction;
      return { code, src, srcOffset, bytes, content: code === 'write' ? instruction.content : instruction.expected };
    }
    case 'kernel': {
      const { stream, kernel } = instruction;
      if (kernel.kind === 'spin') return { code: 'spin', stream, amount: kernel.durationNs };
      if (kernel.kind === 'arithmetic') throw unsupportedInstruction(instruction);
      return { code: 'stream', stream, src: kernel.src, dst: kernel.dst, bytes: kernel.bytes, amount: kernel.passes };
    }
    case 'repeat':
      return { code: 'repeat', amount: instruction.count, jump: instruction.end };
    case 'endRepeat':
      return { code: 'endRepeat', jump: instruction.start };
    case 'synchronizeDevice':
    case 'beginRange':
    case 'endRange':
      return { code: instruction.code };
    case 'copy':
    case 'recordEvent':
    case 'waitEvent':
    case 'synchronizeStream':
    case 'synchronizeEvent':
    case 'queryStream':
    case 'queryEvent':
      return instruction;
    case 'pin':
    case 'allocate':
    case 'free':
    case 'recordStream':
    case 'signal':
    case 'waitSignal':
    case 'memset':
    case 'hostFunction':
    case 'multiCopy':
    case 'beginCapture':
    case 'endCapture':
    case 'launchGraph':
    case 'elapsedTime':
    case 'item':
      throw unsupportedInstruction(instruction);
  }
}

function patternNumbers(pattern: Pattern): [kind: number, value: number] {
  return [patternKinds.indexOf(pattern.kind), pattern.kind === 'constant' ? pattern.value : pattern.seed];
}

function contentNumbers(content: Content | null): [kind: number, value: number, offset: number, multiplier: number] {
  return content === null
    ? [0, 0, 0, 1]
    : [...patternNumbers(content.pattern), content.patternOffset, content.multiplier];
}

function memoryNumber(memory: MemoryKind, buffer: string): number {
  const number = memories.indexOf(memory);
  if (number < 1) throw unsupported(`buffers.${buffer}`, `${memory} memory`);
  return number;
}

/** Until the addon has a number for it. capabilityGaps() says so before the program is lowered. */
function unsupportedInstruction({ op, code }: Instruction): CopyscopeError {
  return new CopyscopeError({ ...unsupported('', `a ${code} instruction`).toInfo(), op });
}

function unsupported(field: string, what: string): CopyscopeError {
  return new CopyscopeError({
    code: 'engine.unsupported',
    field,
    message: `The native engines can't execute ${what} yet.`,
    remedy: 'Change it, or pick another engine.',
  });
}
