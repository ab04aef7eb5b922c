/** Reads what Nsight Systems exported as SQLite, from the disk. */
import { setImmediate } from 'node:timers/promises';
import { CopyscopeError } from '../../../core/errors.ts';
import type { ImportOptions } from '../../../core/import/importedFile.ts';
import { readNsightDatabase } from '../../../core/import/nsight/nsightTrace.ts';
import { traceFileError } from '../../../core/import/problems.ts';
import type { Run } from '../../../core/trace/run.ts';
import { withSqliteFile } from './sqliteFile.ts';

/**
 * The run in the file. One that is damaged gives a run that failed, with what could be read. Rejects with
 * `trace-file.malformed` where the database can't be opened, and with `trace-file.not-a-trace` where it is another's.
 */
export async function readNsightFile(path: string, options: ImportOptions): Promise<Run> {
  try {
    return await withSqliteFile(path, (database) =>
      readNsightDatabase(database, { ...options, pause: () => setImmediate() }),
    );
  } catch (thrown) {
    if (thrown instanceof CopyscopeError || (thrown as NodeJS.ErrnoException).code !== undefined) throw thrown;
    const message = `the database can't be read: ${(thrown as Error).message.replace(/\.$/, '')}.`;
    throw traceFileError('trace-file.malformed', message, { cause: thrown });
  }
}
