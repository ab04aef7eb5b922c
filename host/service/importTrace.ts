/** Reads a trace of another tool from the disk, without holding the file. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import { readPyTorchTrace } from '../../core/import/pytorchTrace.ts';
import { traceName } from '../../core/import/sniff.ts';
import type { Run } from '../../core/trace/run.ts';
import { storageError } from './files.ts';
import { unpacked } from './imports/unpacked.ts';

const chunkBytes = 1 << 20;

/**
 * The run in a trace on the disk, whatever the file's size; `onProgress` is told the bytes of JSON and the events read so
 * far. A file that breaks off gives a run that failed, with what could be read. Rejects with `trace-file.not-a-trace`.
 */
export async function importTraceFile(
  path: string,
  version: string,
  onProgress?: (bytes: number, events: number) => void,
): Promise<Run> {
  try {
    const { mtime } = await stat(path);
    const chunks = createReadStream(path, { highWaterMark: chunkBytes });
    return await readPyTorchTrace(unpacked(chunks), {
      name: traceName(basename(path)),
      version,
      modifiedAt: mtime,
      onProgress,
    });
  } catch (error) {
    if (error instanceof CopyscopeError) throw error;
    throw storageError(`${path} could not be read`, error as NodeJS.ErrnoException);
  }
}
