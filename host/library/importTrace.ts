/** Reads another tool's trace from the disk, without holding the file in memory. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import type { ByteStream, ImportOptions } from '../../core/import/importedRun.ts';
import { readPyTorchTrace } from '../../core/import/kineto/pytorchTrace.ts';
import { readRecording } from '../../core/import/recorded/recording.ts';
import { looksLikeRecording } from '../../core/import/recorded/recordingFile.ts';
import { isNsysReport, looksLikeDatabase, looksLikeTrace, sniffedBytes, traceName } from '../../core/import/sniff.ts';
import { maxRunFileBytes } from '../../core/trace/arrow.ts';
import type { Run } from '../../core/trace/run.ts';
import { readBounded, readPart, storageError } from '../files/files.ts';
import { readNsightFile } from './imports/nsightFile.ts';
import { withReportExported } from './imports/nsysReport.ts';
import { unpacked } from './imports/unpacked.ts';

const chunkBytes = 1 << 20;

/** Returns true for a trace or recording, by its first bytes, and for a report of Nsight Systems, by its name. */
export const isTraceFile = (path: string, head: Uint8Array): boolean =>
  looksLikeTrace(head) || looksLikeDatabase(head) || looksLikeRecording(head) || isNsysReport(path);

/** Receives the number of events, and the read share of the file, from 0 to 1, or null if unknown. */
type OnProgress = (events: number, share: number | null) => void;

interface TraceFileOptions {
  readonly onProgress?: OnProgress;
  /** Name and time of the file, if it is a copy under another name. */
  readonly named?: { readonly name: string; readonly modifiedAt: Date };
}

/**
 * Returns the run in a trace of any size. A damaged file gives a failed run with the readable part. Rejects with
 * `trace-file.*`.
 */
export async function importTraceFile(
  path: string,
  version: string,
  { onProgress, named }: TraceFileOptions = {},
): Promise<Run> {
  try {
    const { mtime, size } = await stat(path);
    const { name, modifiedAt } = named ?? { name: basename(path), modifiedAt: mtime };
    const file: FileProgress = { size, readBytes: null };
    const tell = (events: number): void =>
      onProgress?.(events, file.readBytes === null ? null : file.readBytes / Math.max(1, file.size));
    return await read(path, name, file, { name: traceName(name), version, modifiedAt, onProgress: tell });
  } catch (error) {
    if (error instanceof CopyscopeError) throw error;
    throw storageError(`${path} could not be read`, error as NodeJS.ErrnoException);
  }
}

/** Bytes read of a file; null if it isn't read from start to end. */
interface FileProgress {
  readonly size: number;
  readBytes: number | null;
}

async function read(path: string, name: string, file: FileProgress, options: ImportOptions): Promise<Run> {
  const first = await readPart(path, 0, sniffedBytes);
  if (looksLikeRecording(first)) return readRecording([await readBounded(path, maxRunFileBytes)], options);
  if (looksLikeDatabase(first)) return readNsightFile(path, options);
  if (isNsysReport(name)) return withReportExported(path, name, (database) => readNsightFile(database, options));
  return readPyTorchTrace(unpacked(counted(createReadStream(path, { highWaterMark: chunkBytes }), file)), options);
}

/** Passes the bytes on and counts them, packed bytes for a packed file. */
async function* counted(source: ByteStream, file: FileProgress): ByteStream {
  for await (const part of source) {
    file.readBytes = (file.readBytes ?? 0) + part.length;
    yield part;
  }
}
