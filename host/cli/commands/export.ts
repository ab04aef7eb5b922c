/** `copyscope export`: a run in the format of another viewer. */
import { CopyscopeError } from '../../../core/errors.ts';
import { exportRun } from '../../../core/export/exportRun.ts';
import { type ExportFormat, exportFileName } from '../../../core/export/formats.ts';
import { requireNew, writeNewPieces } from '../../files/files.ts';
import { readInputFile } from '../inputFile.ts';
import { statusLine } from '../progress.ts';
import { ofRun, refuseProfile, simulated, type Tools } from './run.ts';

export interface ExportRunOptions {
  readonly format: ExportFormat;
  readonly out?: string | undefined;
  readonly iteration?: number | undefined;
  readonly profile?: string | undefined;
}

/** Writes the run, trace or simulated experiment in `file`; Ctrl-C leaves no partial file. */
export async function exportFile(tools: Tools, file: string, options: ExportRunOptions): Promise<void> {
  const { context } = tools;
  const { terminal, signal } = context;
  if (options.out !== undefined) await requireNew(options.out);
  const input = await readInputFile(file, context);
  if (input.kind === 'run') refuseProfile(options.profile, ofRun);
  const run = input.kind === 'run' ? input.run : await simulated(tools, input.experiment, options.profile);
  const path = options.out ?? exportFileName(run.info, options.format);
  const line = statusLine(terminal);
  const onProgress = (rows: number, of: number): void => line.show(`Exporting: ${rows} of ${of} rows`);
  try {
    await writeNewPieces(path, exportRun(run, options.format, { iteration: options.iteration, onProgress }), signal);
  } catch (thrown) {
    throw signal.aborted ? cancelled() : thrown;
  } finally {
    line.clear();
  }
  terminal.err(`Written to ${path}.`);
}

const cancelled = (): CopyscopeError =>
  new CopyscopeError({ code: 'run.cancelled', message: 'The export was cancelled; nothing of it was kept.' });
