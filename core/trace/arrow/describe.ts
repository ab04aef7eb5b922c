/** Reads a run file's description from its footer alone, for lists of files that are too large to read whole. */
import { CopyscopeError } from '../../errors.ts';
import type { RunInfo } from '../run.ts';
import { footerBytes, footerMetadata, tailBytes } from './guard.ts';
import { decodeMetadata } from './metadata.ts';
import { damaged } from './problems.ts';

/** Reads `length` bytes of a file from `offset` on. */
export type ReadPart = (offset: number, length: number) => Promise<Uint8Array>;

/** Returns the description in a file of `fileBytes` bytes. Doesn't read rows; decodeRun() validates them. */
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
