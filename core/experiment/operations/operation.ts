/** The description of a kind of operation. Forms, schemas, lowering and whatever lists operations follow from it. */
import { z } from 'zod';
import type { Instruction } from '../../program/instructions.ts';
import type { RecordedCost } from '../../program/program.ts';
import type { Place, Scope } from '../../program/scope.ts';
import type { BufferFinder } from '../describe.ts';
import type { Maker } from '../edit/newOperation.ts';
import type { NewOperation, Operation, OperationName } from '../operations.ts';
import { bufferMemories, byteCountSchema, byteOffsetSchema, durationNsSchema, idSchema } from '../resources.ts';

/** How the block of an operation is painted: by direction for copies, by kind for the rest. */
type Paint =
  | ('h2d' | 'd2h' | 'd2d' | 'h2h' | 'kernel' | 'memset' | 'mark')
  | `host-${'function' | 'call' | 'sync' | 'work' | 'access' | 'range'}`;

/** The one quantity that a block's length stands for. */
export interface Quantity {
  /** Path of the field below the operation. */
  readonly field: readonly (string | number)[];
  /** Words for it, as in 'Change duration'. */
  readonly name: 'duration' | 'size' | 'passes' | 'FLOP' | 'times' | 'number of tensors';
  readonly value: number;
  readonly most: number;
}

export type Path = readonly (string | number)[];
/** Says what is wrong with a field of the operation, and what to do about it. */
export type Report = (field: Path, message: string, remedy: string) => void;

export interface Descriptor<Op> {
  readonly schema: z.ZodObject;
  /** Heading of the palette. */
  readonly section: 'In a stream' | 'Wait on the host' | 'On the host' | 'Around others';
  /** How the palette calls it; the kind in words if left out. */
  readonly title?: string;
  /** CUDA's or PyTorch's call, and what it is for. */
  readonly summary: string;
  /** Entry of the glossary. */
  readonly term: string;
  /** That of a call of the host if left out. */
  readonly paint?: Paint | ((operation: Op, find: BufferFinder) => Paint);
  /** A name for one without a label, as 'H2D 20 MiB'; the kind and the buffer if left out. */
  readonly text?: (operation: Op, find: BufferFinder) => string;
  /** Second line of its block. */
  readonly detail?: (operation: Op, find: BufferFinder) => string;
  /** A new one with sensible fields. */
  readonly make: (maker: Maker) => NewOperation;
  /** `room` gives the size of a buffer. Null for an operation that has no such quantity. */
  readonly quantity?: (operation: Op, room: (buffer: string) => number) => Quantity | null;
  /** Whether the host does it, though it names a stream. */
  readonly byHost?: true;
  /** Kind that it becomes in the row of the host, and in that of a stream. */
  readonly onHost?: OperationName;
  readonly inStream?: OperationName;
  /** Whether it reads or writes its `buffer`. */
  readonly buffer?: 'reads' | 'writes';
  /** Reports what the schema can't say. `sizes`: bytes of each buffer that is declared. */
  readonly check?: (operation: Op, sizes: ReadonlyMap<string, number>, report: Report) => void;
  /**
   * Returns what engines execute. If the operation holds others, these are the two instructions around them. `stream` is the
   * index of the stream that it names; -1 if it names none.
   */
  readonly lower: (operation: Op, place: Place, scope: Scope, stream: number) => readonly Instruction[];
  /** Returns the times that were recorded, if it still is what was recorded. */
  readonly recordedCost?: (operation: Op, find: BufferFinder) => RecordedCost | undefined;
}

/** An operation that holds others. */
export type Group<Schema extends z.ZodType> = z.infer<Schema> & { operations: Operation[] };

/** Fields that every operation has. */
export const named = <const Name extends string>(op: Name) => ({
  op: z.literal(op).describe('Kind of the operation.'),
  id: idSchema.describe('Name that the operation keeps for life; reading gives one if omitted.'),
  label: z.string().min(1).max(120).optional().describe('Name in the lanes.'),
});

/** The time of the call, and of its work on the device. A copy's hold as long as it moves that number of bytes of such memory. */
export const recorded = {
  recorded: z
    .strictObject({
      callNs: durationNsSchema.optional().describe('Time of the host’s call, in nanoseconds.'),
      deviceNs: durationNsSchema.optional().describe('Time of its work on the device, in nanoseconds.'),
      bytes: byteCountSchema.optional().describe('Bytes for which these times hold.'),
      memory: z.enum(bufferMemories).optional().describe('Host memory for which these times hold.'),
    })
    .optional()
    .describe('Times of the operation in the trace that the experiment was made from.'),
};

export const streamRef = idSchema
  .default('default')
  .describe('A declared stream, or one of default, legacy and per-thread.');
export const eventRef = idSchema.describe('Id of an event.');
export const offset = byteOffsetSchema.default(0).describe('Begin in the buffer, in bytes.');
export const region = {
  offset,
  bytes: byteCountSchema.optional().describe('Bytes; all that fits if omitted.'),
};
export const duration = { durationNs: durationNsSchema.describe('How long it takes, in nanoseconds.') };
export const bufferRef = idSchema.describe('Id of a buffer.');

export const newDurationNs = 100_000;

interface Region {
  readonly buffer: string;
  readonly offset: number;
  readonly bytes?: number | undefined;
}

/** The part of a buffer that an operation names; to the buffer's end where it gives no bytes. */
export function lowerRegion({ buffer: id, offset: from, bytes }: Region, scope: Scope) {
  const buffer = scope.buffer(id);
  return { buffer, offset: from, bytes: bytes ?? scope.size(buffer) - from };
}

export function regionSize({ buffer, offset: from, bytes }: Region, room: (buffer: string) => number): Quantity {
  const most = room(buffer) - from;
  return { field: ['bytes'], name: 'size', value: bytes ?? most, most };
}

/** `field` is the one that holds the offset. */
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
