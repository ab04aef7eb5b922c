/** Descriptor of a kind of operation, from which forms, schemas, lowering and lists of operations are derived. */
import { z } from 'zod';
import type { Instruction } from '../../program/instructions.ts';
import type { RecordedCost } from '../../program/program.ts';
import type { Place, Scope } from '../../program/scope.ts';
import type { BufferFinder } from '../describe.ts';
import type { Maker } from '../edit/newOperation.ts';
import type { NewOperation, Operation, OperationName } from '../operations.ts';
import { bufferMemories, byteCountSchema, byteOffsetSchema, durationNsSchema, idSchema } from '../resources.ts';

/** Color of an operation's block: by direction for copies, by kind for others. */
type Paint =
  | ('h2d' | 'd2h' | 'd2d' | 'h2h' | 'kernel' | 'memset' | 'mark')
  | `host-${'function' | 'call' | 'sync' | 'work' | 'access' | 'range'}`;

/** The quantity that a block's length shows. */
export interface Quantity {
  /** Path of the field below the operation. */
  readonly field: readonly (string | number)[];
  /** For texts such as 'Change duration'. */
  readonly name: 'duration' | 'size' | 'passes' | 'FLOP' | 'times' | 'number of tensors' | 'number of blocks';
  readonly value: number;
  readonly most: number;
}

export type Path = readonly (string | number)[];
/** Reports a wrong field of the operation, with the remedy. */
export type Report = (field: Path, message: string, remedy: string) => void;

export interface Descriptor<Op> {
  readonly schema: z.ZodObject;
  /** Heading in the palette. */
  readonly section: 'In a stream' | 'Wait on the host' | 'On the host' | 'Around others';
  /** Name in the palette. Default: the kind in words. */
  readonly title?: string;
  /** CUDA's or PyTorch's call and its purpose. */
  readonly summary: string;
  /** Entry of the glossary. */
  readonly term: string;
  /** Default: the paint of a host call. */
  readonly paint?: Paint | ((operation: Op, find: BufferFinder) => Paint);
  /** Name of an operation without a label, such as 'H2D 20 MiB'. Default: the kind and the buffer. */
  readonly text?: (operation: Op, find: BufferFinder) => string;
  /** Second line of its block. */
  readonly detail?: (operation: Op, find: BufferFinder) => string;
  /** Makes an operation with sensible fields. */
  readonly make: (maker: Maker) => NewOperation;
  /** `room` returns the size of a buffer. Returns null if this operation has no such quantity. */
  readonly quantity?: (operation: Op, room: (buffer: string) => number) => Quantity | null;
  /** Whether the host executes it, although it names a stream. */
  readonly byHost?: true;
  /** Kind that it becomes in the host's row, and in a stream's row. */
  readonly onHost?: OperationName;
  readonly inStream?: OperationName;
  /** Whether it reads or writes its `buffer`. */
  readonly buffer?: 'reads' | 'writes';
  /** Reports problems that the schema can't find. `sizes`: bytes of each declared buffer. */
  readonly check?: (operation: Op, sizes: ReadonlyMap<string, number>, report: Report) => void;
  /** Returns instructions for engines; for a group, the two around its content. `stream` is its index, or -1. */
  readonly lower: (operation: Op, place: Place, scope: Scope, stream: number) => readonly Instruction[];
  /** Returns the recorded times, if the operation hasn't changed since. */
  readonly recordedCost?: (operation: Op, find: BufferFinder) => RecordedCost | undefined;
}

/** An operation that contains others. */
export type Group<Schema extends z.ZodType> = z.infer<Schema> & { operations: Operation[] };

/** Fields that every operation has. */
export const named = <const Name extends string>(op: Name) => ({
  op: z.literal(op).describe('Kind of the operation.'),
  id: idSchema.describe('Name that it keeps; reading gives one if omitted.'),
  label: z.string().min(1).max(120).optional().describe('Name in the lanes.'),
});

/** Times of the call and of its device work. A copy's apply while its bytes and kind of host memory stay the same. */
export const recorded = {
  recorded: z
    .strictObject({
      callNs: durationNsSchema.optional().describe('Time of the host’s call, in nanoseconds.'),
      deviceNs: durationNsSchema.optional().describe('Time of its work on the device, in nanoseconds.'),
      bytes: byteCountSchema.optional().describe('Bytes that these times are for.'),
      memory: z.enum(bufferMemories).optional().describe('Host memory that these times are for.'),
    })
    .optional()
    .describe('Times in the lifted trace.'),
};

export const streamRef = idSchema.default('default').describe('A declared stream, or default, legacy or per-thread.');
export const eventRef = idSchema.describe('Id of an event.');
export const offset = byteOffsetSchema.default(0).describe('Begin in the buffer.');
/** Bytes by which a repeat moves an operation on from round to round. */
export const step = byteCountSchema.optional();
export const region = {
  offset,
  bytes: byteCountSchema.optional().describe('All that fits if omitted.'),
  stepBytes: step.describe('Bytes by which it moves each round of the innermost repeat.'),
};
export const duration = { durationNs: durationNsSchema.describe('Duration.') };
export const bufferRef = idSchema.describe('Id of a buffer.');

export const newDurationNs = 100_000;

interface Region {
  readonly buffer: string;
  readonly offset: number;
  readonly bytes?: number | undefined;
  readonly stepBytes?: number | undefined;
}

/** Returns the region of a buffer that an operation names; up to the buffer's end if it has no `bytes`. */
export function lowerRegion({ buffer: id, offset: from, bytes, stepBytes }: Region, scope: Scope) {
  const buffer = scope.buffer(id);
  const made = { buffer, offset: from, bytes: bytes ?? scope.size(buffer) - from };
  return stepBytes === undefined ? made : { ...made, stepBytes };
}

export function regionSize({ buffer, offset: from, bytes }: Region, room: (buffer: string) => number): Quantity {
  const most = room(buffer) - from;
  return { field: ['bytes'], name: 'size', value: bytes ?? most, most };
}

/** Checks that a region lies in its buffer. `field` has the offset. */
export function checkRegion(
  { buffer, offset: from, bytes }: Region,
  sizes: ReadonlyMap<string, number>,
  report: Report,
  field = 'offset',
): void {
  const size = sizes.get(buffer);
  if (size === undefined) return;
  if (from >= size) {
    report([field], `offset ${from} lies beyond "${buffer}" (${size} bytes).`, `Use an offset below ${size}.`);
  } else if (bytes !== undefined && from + bytes > size) {
    const message = `bytes ${from} to ${from + bytes} reach beyond "${buffer}" (${size} bytes).`;
    report(['bytes'], message, `Use at most ${size - from}.`);
  }
}
