/** `copyscope record`: a trace of a program on the GPU. */
import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { CopyscopeError, describeError, toErrorInfo } from '../../../core/errors.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import { writeWhole } from '../../files/files.ts';
import { programVersion } from '../../paths.ts';
import {
  noProgram,
  readRecordingFolder,
  recordProgram,
  refuseSetUserId,
  removeRecordingFolder,
  requireDriver,
} from '../../record/recordProgram.ts';
import type { RecordSettings } from '../../record/recordSettings.ts';
import { refuseUnused, requireWritableAsRun } from '../inputFile.ts';
import type { Context } from '../io.ts';
import { statusLine } from '../progress.ts';

export interface RecordOptions extends Pick<RecordSettings, 'light' | 'lines' | 'steps' | 'stepRange'> {
  readonly delay?: number | undefined;
  readonly duration?: number | undefined;
  readonly out?: string | undefined;
  /** Folder of an earlier recording, to make its run without starting a program. */
  readonly parts?: string | undefined;
}

/** Resolves with the program's own exit code. If that isn't 0, errors of the recording are only printed. */
export async function record(context: Context, program: readonly string[], options: RecordOptions): Promise<number> {
  const { terminal, environment, signal } = context;
  const [file, ...args] = program;
  if (options.parts !== undefined) {
    refuseUnused({ '--parts': file === undefined ? undefined : options.parts }, 'no program');
    const out = options.out ?? unusedName();
    await requireWritableAsRun(out);
    await keepRun(context, options.parts, out);
    return 0;
  }
  if (file === undefined || file === '') throw noProgram();
  requireDriver(environment);
  const out = options.out ?? unusedName();
  await requireWritableAsRun(out);
  const folder = `${out}.parts`;
  if (isThere(folder)) throw partsThere(folder);
  await refuseSetUserId(file, environment, process.cwd());
  const line = statusLine(terminal);
  const exitCode = await recordProgram({
    command: [file, ...args],
    settings: settingsOf(options),
    environment,
    folder,
    signal,
    onCounts: ({ copies, kernels, waits }) =>
      line.show(`Recording: ${copies} copies, ${kernels} kernels, ${waits} waits`),
  });
  line.clear();
  try {
    await keepRun(context, folder, out);
  } catch (thrown) {
    if (exitCode === 0) throw thrown;
    terminal.err(describeError(toErrorInfo(thrown)));
  }
  return exitCode;
}

/** Makes the run of what processes left in `folder`, and deletes the folder. Rejects as readRecordingFolder and writeWhole do. */
export async function keepRun(context: Context, folder: string, out: string): Promise<void> {
  try {
    const { info, trace } = await readRecordingFolder(folder, nameOf(out), programVersion(context.program));
    // A job of Slurm names the node that it runs on.
    const node = context.environment['COPYSCOPE_NODE'];
    const run = { trace, info: node === undefined ? info : { ...info, host: node } };
    await writeWhole(out, encodeRun(run));
    tellEnd(context, run, out);
    await removeRecordingFolder(folder);
  } catch (thrown) {
    // Without a recording there is nothing to keep.
    const { code } = toErrorInfo(thrown);
    if (/^(record\.nothing|engine\.unavailable)$/.test(code)) await removeRecordingFolder(folder);
    else if (code !== 'record.folder-gone') context.terminal.err(`The recorded data is kept in ${folder}.`);
    throw thrown;
  }
}

const settingsOf = ({ light, lines, delay, duration, steps, stepRange }: RecordOptions): RecordSettings => ({
  light,
  lines,
  delayS: delay,
  durationS: duration,
  steps,
  stepRange,
});

/** A link to a missing file exists too. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const nameOf = (out: string): string => basename(out).replace(/\.arrow$/i, '');

function tellEnd({ terminal }: Context, { info }: Run, out: string): void {
  for (const note of info.notes.filter((one) => !one.startsWith('Data was not checked'))) terminal.err(note);
  if (info.error !== undefined) terminal.err(describeError(info.error));
  terminal.err(`Written to ${out}. copyscope explain ${out} explains its steps.`);
}

export function unusedName(): string {
  for (let number = 1; ; number += 1) {
    const name = `recording${number === 1 ? '' : `-${number}`}.arrow`;
    if (!isThere(name) && !isThere(`${name}.parts`)) return name;
  }
}

const partsThere = (folder: string): CopyscopeError =>
  new CopyscopeError({
    code: 'file.exists',
    field: '--out',
    message: `${folder} exists: an earlier recording left it, or one is running.`,
    remedy: 'copyscope explain reads the files in it, one at a time. Choose another name, or delete it.',
  });
