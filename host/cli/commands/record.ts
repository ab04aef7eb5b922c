/** `copyscope record`: a program's own run on the GPU, as a trace. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { CopyscopeError, describeError, toErrorInfo } from '../../../core/errors.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import { programVersion } from '../../paths.ts';
import {
  isSetUserId,
  readRecordingFolder,
  recordProgram,
  removeRecordingFolder,
  requireDriver,
} from '../../record/recordProgram.ts';
import type { StepSpan } from '../../record/recordSettings.ts';
import { writeWhole } from '../../service/files.ts';
import { requireWritableAsRun } from '../inputFile.ts';
import type { Context } from '../io.ts';
import { statusLine } from '../progress.ts';

export interface RecordOptions {
  readonly light: boolean;
  readonly lines: boolean;
  readonly delay?: number | undefined;
  readonly duration?: number | undefined;
  readonly steps?: readonly StepSpan[] | undefined;
  readonly stepRange?: string | undefined;
  readonly out?: string | undefined;
}

/** Resolves with the program's own exit code. What went wrong with the recording alone is told, where that code isn't 0. */
export async function record(context: Context, program: readonly string[], options: RecordOptions): Promise<number> {
  const { terminal, environment, signal } = context;
  const [file, ...args] = program;
  if (file === undefined) throw noProgram();
  requireDriver(environment);
  const out = options.out ?? unusedName();
  await requireWritableAsRun(out);
  const folder = `${out}.parts`;
  if (existsSync(folder)) throw partsThere(folder);
  if (await isSetUserId(file, environment)) {
    terminal.err(`${file} runs with another user's rights (set-user-id): CUDA loads no recorder into it.\n`);
  }
  const line = statusLine(terminal);
  const exitCode = await recordProgram({
    command: [file, ...args],
    settings: {
      light: options.light,
      lines: options.lines,
      delayS: options.delay,
      durationS: options.duration,
      steps: options.steps,
      stepRange: options.stepRange,
    },
    environment,
    folder,
    signal,
    onCounts: ({ copies, kernels, waits }) =>
      line.show(`Recording: ${copies} copies, ${kernels} kernels, ${waits} waits`),
  });
  line.clear();
  try {
    const run = await readRecordingFolder(
      folder,
      basename(out).replace(/\.arrow$/i, ''),
      programVersion(context.program),
    );
    await writeWhole(out, encodeRun(run));
    tellEnd(context, run, out);
    await removeRecordingFolder(folder);
  } catch (thrown) {
    const error = toErrorInfo(thrown);
    // Without anything to read there is nothing to keep.
    if (/^(record\.nothing|engine\.unavailable)$/.test(error.code)) await removeRecordingFolder(folder);
    else terminal.err(`What was recorded is kept in ${folder}.\n`);
    if (exitCode === 0) throw thrown;
    terminal.err(`${describeError(error)}\n`);
  }
  return exitCode;
}

function tellEnd({ terminal }: Context, { info }: Run, out: string): void {
  for (const note of info.notes.filter((one) => !one.startsWith('Data was not checked'))) terminal.err(`${note}\n`);
  if (info.error !== undefined) terminal.err(`${describeError(info.error)}\n`);
  terminal.err(`Written to ${out}. copyscope explain ${out} says what held its steps.\n`);
}

function unusedName(): string {
  for (let number = 1; ; number += 1) {
    const name = `recording${number === 1 ? '' : `-${number}`}.arrow`;
    if (!existsSync(name) && !existsSync(`${name}.parts`)) return name;
  }
}

const noProgram = (): CopyscopeError =>
  new CopyscopeError({
    code: 'usage.program',
    field: 'program',
    message: 'no program is named.',
    remedy: 'Name it behind --, as in: copyscope record -- python train.py',
  });

const partsThere = (folder: string): CopyscopeError =>
  new CopyscopeError({
    code: 'file.exists',
    field: '--out',
    message: `${folder} is there: what an earlier recording left, or one that is under way.`,
    remedy: 'copyscope explain reads the files in it, one at a time. Choose another name, or delete it.',
  });
