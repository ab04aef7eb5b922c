/** Reads an SQLite export of Nsight Systems from the disk. */
import { setImmediate } from 'node:timers/promises';
import { CopyscopeError } from '../../../core/errors.ts';
import type { ImportOptions } from '../../../core/import/importedRun.ts';
import { type CapturedProgram, capturedPrograms } from '../../../core/import/nsight/captured.ts';
import { readNsightDatabase } from '../../../core/import/nsight/nsightTrace.ts';
import { traceFileError } from '../../../core/import/problems.ts';
import type { Run } from '../../../core/trace/run.ts';
import { withSqliteFile } from './sqliteFile.ts';

/**
 * Returns the run in the file. A damaged file gives a failed run with the readable part. Rejects with
 * `trace-file.malformed` if the database can't be opened, and with `trace-file.not-a-trace` if another program made it.
 */
export function readNsightFile(path: string, options: ImportOptions): Promise<Run> {
  return readable(
    withSqliteFile(path, (database) => readNsightDatabase(database, { ...options, pause: () => setImmediate() })),
  );
}

/** Returns how the export's programs were started; rejects as readNsightFile() does. */
export const readCaptured = (path: string): Promise<CapturedProgram[]> =>
  readable(withSqliteFile(path, async (database) => capturedPrograms(database)));

async function readable<Result>(read: Promise<Result>): Promise<Result> {
  try {
    return await read;
  } catch (thrown) {
    if (thrown instanceof CopyscopeError || (thrown as NodeJS.ErrnoException).code !== undefined) throw thrown;
    const message = `the database can't be read: ${(thrown as Error).message.replace(/\.$/, '')}.`;
    throw traceFileError('trace-file.malformed', message, { cause: thrown });
  }
}
