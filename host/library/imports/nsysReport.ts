/** Reports of Nsight Systems, converted by its own nsys if installed, since no other program reads them. */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { traceFileError } from '../../../core/import/problems.ts';
import { inPrivateFolder } from '../../files/temporaryFolder.ts';

const run = promisify(execFile);

/** A report of gigabytes takes minutes. */
const patienceMs = 15 * 60_000;

/** Calls `use` with the path of the report's SQLite export. Rejects with `trace-file.nsys-report` if there is none. */
export async function withReportExported<Result>(
  path: string,
  name: string,
  use: (database: string) => Promise<Result>,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Result> {
  const nsys = await programOnPath('nsys', environment);
  if (nsys === null) {
    const message = `${name} is a report of Nsight Systems, which only its own nsys reads, and nsys is not on the PATH.`;
    throw traceFileError('trace-file.nsys-report', message);
  }
  return inPrivateFolder(path, 'report.nsys-rep', async (report, { path: folder, signal }) => {
    const database = join(folder, 'report.sqlite');
    const options = ['export', '--type=sqlite', '--force-overwrite=true', `--output=${database}`, report];
    try {
      const how = { timeout: patienceMs, windowsHide: true, env: environment, signal, killSignal: 'SIGKILL' } as const;
      await run(nsys, options, how);
      await access(database);
    } catch (cause) {
      const said = String((cause as { stderr?: unknown }).stderr ?? '')
        .trim()
        .slice(-500);
      const message = `nsys could not export ${name}${said === '' ? '' : `: ${said.replace(/\.$/, '')}`}.`;
      throw traceFileError('trace-file.nsys-report', message, { cause });
    }
    return use(database);
  });
}

/** Returns its absolute path. Relative folders in PATH are skipped, since they would depend on the current folder. */
async function programOnPath(name: string, environment: NodeJS.ProcessEnv): Promise<string | null> {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  for (const folder of (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const path = join(folder, file);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}
