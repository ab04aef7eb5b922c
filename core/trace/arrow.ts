/**
 * A run as an Arrow IPC file: the trace as rows, everything else as metadata. One file is the whole run, and opens in
 * pyarrow, polars and DuckDB. arrow/layout.ts and arrow/metadata.ts define the format.
 */
import { CopyscopeError } from '../errors.ts';
import { footerBytes, footerMetadata, tailBytes } from './arrow/guard.ts';
import { decodeMetadata } from './arrow/metadata.ts';
import { damaged } from './arrow/problems.ts';
import type { RunInfo } from './run.ts';

export { decodeRun } from './arrow/decode.ts';
export { encodeRun } from './arrow/encode.ts';
export { maxRunFileBytes } from './arrow/guard.ts';

/** Reads `length` bytes of a file from `offset` on. */
type ReadPart = (offset: number, length: number) => Promise<Uint8Array>;

/**
 * Returns the description in a file of `fileBytes` bytes from its footer alone, for lists of files that are too large to
 * read whole. decodeRun() validates rows.
 */
export async function readRunInfo(read: ReadPart, fileBytes: number): Promise<RunInfo> {
  const end = Math.max(0, fileBytes - tailBytes);
  const length = footerBytes(await read(end, fileBytes - end), fileBytes);
  const footer = await read(end - length, length);
  try {
    return decodeMetadata(footerMetadata(footer)).info;
  } catch (error) {
    if (error instanceof CopyscopeError) throw error;
    throw damaged('footer', 'the footer could not be followed.');
  }
}
