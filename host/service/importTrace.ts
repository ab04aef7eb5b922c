/** Reads a trace of another tool from memory or from disk, without holding the file and without holding up the host. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { CopyscopeError } from '../../core/errors.ts';
import { readPyTorchTrace } from '../../core/import/pytorchTrace.ts';
import { traceName } from '../../core/import/sniff.ts';
import type { Run } from '../../core/trace/run.ts';
import { storageError } from './files.ts';

const chunkBytes = 1 << 20;

/** A file that breaks off gives a run that failed, with what could be read. Rejects with `trace-file.not-a-trace`. */
export function importTrace(name: string, file: Uint8Array, version: string): Promise<Run> {
  return readPyTorchTrace(chunksOf(file), { name: traceName(name), version, modifiedAt: new Date() });
}

/** The same from disk, whatever the file's size; `onProgress` is told the bytes of JSON and the events read so far. */
export async function importTraceFile(
  path: string,
  version: string,
  onProgress?: (bytes: number, events: number) => void,
): Promise<Run> {
  try {
    const { mtime } = await stat(path);
    const chunks = createReadStream(path, { highWaterMark: chunkBytes });
    return await readPyTorchTrace(chunks, { name: traceName(basename(path)), version, modifiedAt: mtime, onProgress });
  } catch (error) {
    if (error instanceof CopyscopeError) throw error;
    throw storageError(`${path} could not be read`, error as NodeJS.ErrnoException);
  }
}

/** In parts, with a turn of the event loop between them: a window's other requests are answered meanwhile. */
async function* chunksOf(file: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < file.length; from += chunkBytes) {
    yield file.subarray(from, from + chunkBytes);
    await setImmediate();
  }
}
