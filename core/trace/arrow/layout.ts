/**
 * Columns of a run file, with the names that pandas, polars and DuckDB show. Word columns are dictionary-encoded
 * strings. Their indices are signed, since pandas can't read unsigned ones.
 */
import { type CommonColumn, channelTypes, memoryKinds, rowKinds } from '../trace.ts';

export interface NumberColumn {
  readonly name: string;
  readonly column: CommonColumn;
  readonly type: 'Int32' | 'Float64';
}

/** A column of words from a fixed list; its codes are positions in that list. */
export interface WordColumn {
  readonly name: string;
  readonly column: 'kind' | 'srcMemory' | 'dstMemory' | 'channelType';
  readonly words: readonly string[];
}

export const numberColumns = [
  { name: 'iteration', column: 'iteration', type: 'Int32' },
  { name: 'start_ns', column: 'startNs', type: 'Float64' },
  { name: 'duration_ns', column: 'durationNs', type: 'Float64' },
  { name: 'op', column: 'op', type: 'Int32' },
  { name: 'correlation', column: 'correlation', type: 'Int32' },
  { name: 'bytes', column: 'bytes', type: 'Float64' },
  { name: 'channel', column: 'channel', type: 'Int32' },
] as const satisfies readonly NumberColumn[];

export const wordColumns = [
  { name: 'kind', column: 'kind', words: rowKinds },
  { name: 'src_memory', column: 'srcMemory', words: memoryKinds },
  { name: 'dst_memory', column: 'dstMemory', words: memoryKinds },
  { name: 'channel_type', column: 'channelType', words: channelTypes },
] as const satisfies readonly WordColumn[];

/** Columns whose dictionaries differ from file to file: lane ids, lane ids or null, and names. */
export const tableColumns = ['lane', 'engine', 'name'] as const;

/** Last numeric column, only in files whose trace has it. */
export const addressColumn = 'host_address';

/** In the order in which a reader lists them. */
export const columnOrder = [
  'iteration',
  'start_ns',
  'duration_ns',
  'kind',
  'lane',
  'engine',
  'name',
  'op',
  'correlation',
  'bytes',
  'src_memory',
  'dst_memory',
  'channel',
  'channel_type',
] as const;

export type ColumnName = (typeof columnOrder)[number];
