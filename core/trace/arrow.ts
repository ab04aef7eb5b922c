/**
 * A run as an Arrow IPC file: the trace as rows, everything else as metadata. One file is the whole run, and opens in
 * pyarrow, polars and DuckDB. arrow/layout.ts and arrow/metadata.ts define the format.
 */
export { decodeRun } from './arrow/decode.ts';
export { readRunInfo } from './arrow/describe.ts';
export { encodeRun } from './arrow/encode.ts';
export { maxRunFileBytes } from './arrow/guard.ts';
