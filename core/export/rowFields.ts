/** Fields of a row besides its name and times, for viewers, and for readers that restore the whole row. */
import {
  type ChannelType,
  channelTypes,
  type MemoryKind,
  memoryKinds,
  type RowIndex,
  type Trace,
} from '../trace/trace.ts';
import { isWhole } from './times.ts';

export type FieldValue = number | string;

/** Names of the fields. Fields without meaning (no bytes, no correlation) are left out. */
export const fieldNames = [
  'op',
  'iteration',
  'correlation',
  'bytes',
  'src',
  'dst',
  'channel',
  'channel_type',
  'engine',
  /** Exact values, if they aren't whole nanoseconds. */
  'start_ns',
  'duration_ns',
] as const;
export type FieldName = (typeof fieldNames)[number];

const none: MemoryKind = 'none';
const unknown: ChannelType = 'unknown';

/** Calls `take` with each field of a row. Makes no object, since it runs for millions of rows. */
export function eachField(trace: Trace, row: RowIndex, take: (name: FieldName, value: FieldValue) => void): void {
  const { columns, lanes } = trace;
  const op = columns.op[row] as number;
  if (op >= 0) take('op', op);
  const iteration = columns.iteration[row] as number;
  if (iteration > 0) take('iteration', iteration);
  const correlation = columns.correlation[row] as number;
  if (correlation > 0) take('correlation', correlation);
  const bytes = columns.bytes[row] as number;
  if (bytes > 0) take('bytes', bytes);
  const src = memoryKinds[columns.srcMemory[row] as number] as MemoryKind;
  if (src !== none) take('src', src);
  const dst = memoryKinds[columns.dstMemory[row] as number] as MemoryKind;
  if (dst !== none) take('dst', dst);
  const channel = columns.channel[row] as number;
  if (channel >= 0) take('channel', channel);
  const channelType = channelTypes[columns.channelType[row] as number] as ChannelType;
  if (channelType !== unknown) take('channel_type', channelType);
  const engine = lanes[columns.engine[row] as number];
  if (engine !== undefined) take('engine', engine.id);
  if (isWhole(trace, row)) return;
  take('start_ns', columns.startNs[row] as number);
  take('duration_ns', columns.durationNs[row] as number);
}
