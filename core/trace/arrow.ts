/**
 * A run as a file: Arrow IPC with the trace as its rows and the rest as its metadata, so that one file is the whole
 * run, and opens in pyarrow, polars and DuckDB. The format is written down in arrow/layout.ts and arrow/metadata.ts.
 */
export { decodeRun } from './arrow/decode.ts';
export { readRunInfo } from './arrow/describe.ts';
export { encodeRun } from './arrow/encode.ts';
export { maxRunFileBytes } from './arrow/guard.ts';
