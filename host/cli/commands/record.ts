/** `copyscope record`: a program's own run on the GPU, as a trace. */
import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { CopyscopeError, describeError, toErrorInfo } from '../../../core/errors.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import { formatBytes } from '../../../core/units.ts';
import type { ProgramRecorded } from '../../machines/protocol.ts';
import { recordThere } from '../../machines/recordThere.ts';
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
import { writeWhole } from '../../service/files.ts';
import { requireWritableAsRun } from '../inputFile.ts';
import type { Context } from '../io.ts';
import { statusLine } from '../progress.ts';
import { machineOptions } from '../remoteEngine.ts';
import { recordedOnCluster } from './onCluster.ts';

export interface RecordOptions extends Pick<RecordSettings, 'light' | 'lines' | 'steps' | 'stepRange'> {
  readonly delay?: number | undefined;
  readonly duration?: number | undefined;
  readonly out?: string | undefined;
  /** The machine that the program and its folder are on. */
  readonly host?: string | undefined;
  /** As a job of Slurm, of that machine. */
  readonly slurm: boolean;
  readonly folder?: string | undefined;
}

/** Resolves with the program's own exit code. What went wrong with the recording alone is told, where that code isn't 0. */
export async function record(context: Context, program: readonly string[], options: RecordOptions): Promise<number> {
  const { terminal, environment, signal } = context;
  const [file, ...args] = program;
  if (file === undefined || file === '') throw noProgram();
  if (options.slurm) return recordOnCluster(context, [file, ...args], options);
  if (options.host !== undefined) return recordOnMachine(context, options.host, [file, ...args], options);
  if (options.folder !== undefined) throw folderHere();
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
    const run = await readRecordingFolder(folder, nameOf(out), programVersion(context.program));
    await writeWhole(out, encodeRun(run));
    tellEnd(context, run, out);
    await removeRecordingFolder(folder);
  } catch (thrown) {
    const error = toErrorInfo(thrown);
    // Without anything to read there is nothing to keep.
    if (/^(record\.nothing|engine\.unavailable)$/.test(error.code)) await removeRecordingFolder(folder);
    else terminal.err(`What was recorded is kept in ${folder}.`);
    if (exitCode === 0) throw thrown;
    terminal.err(describeError(error));
  }
  return exitCode;
}

/** The same as a job of a cluster. */
async function recordOnCluster(
  context: Context,
  command: readonly [string, ...string[]],
  options: RecordOptions,
): Promise<number> {
  const { host = null, folder } = options;
  if (host === null && folder !== undefined) throw folderHere();
  const out = options.out ?? unusedName();
  await requireWritableAsRun(out);
  const work = {
    name: nameOf(out),
    command: [...command] as [string, ...string[]],
    folder: folder ?? (host === null ? process.cwd() : ''),
    settings: settingsOf(options),
  };
  const { result, ended } = await recordedOnCluster(context, host, work, async (recorded) => {
    if (recorded.file !== null) await writeWhole(out, recorded.file);
  });
  if (ended !== null) context.terminal.err(`Slurm ended it: ${ended}.`);
  return tellRecorded(context, result, out);
}

/** Throws what went wrong with the recording alone, where the program did well. */
function tellRecorded(context: Context, { exitCode, file, problem }: ProgramRecorded, out: string): number {
  if (file !== null) tellEnd(context, decodeRun(file), out);
  else if (problem !== null) {
    if (exitCode === 0) throw new CopyscopeError(problem);
    context.terminal.err(describeError(problem));
  }
  return exitCode;
}

const settingsOf = ({ light, lines, delay, duration, steps, stepRange }: RecordOptions): RecordSettings => ({
  light,
  lines,
  delayS: delay,
  durationS: duration,
  steps,
  stepRange,
});

/** The same on another machine: what the program prints comes here, and so does its run. */
async function recordOnMachine(
  context: Context,
  host: string,
  command: readonly [string, ...string[]],
  options: RecordOptions,
): Promise<number> {
  const { terminal, signal } = context;
  const out = options.out ?? unusedName();
  await requireWritableAsRun(out);
  const line = statusLine(terminal);
  const onReceived = (received: number, total: number): void =>
    line.show(`Fetching: ${formatBytes(received)} of ${formatBytes(total)}`);
  const machine = await machineOptions(host, context);
  const program = {
    name: nameOf(out),
    command,
    folder: options.folder ?? '',
    environment: {},
    settings: settingsOf(options),
  };
  const recorded = await recordThere({ ...machine, onReceived }, program, {
    stop: signal,
    leavesWithoutLine: true,
    onCounts: ({ copies, kernels, waits }) =>
      line.show(`Recording on ${host}: ${copies} copies, ${kernels} kernels, ${waits} waits`),
    onOutput: (text, isError) => {
      line.clear();
      terminal.printed(text, isError);
    },
  }).finally(line.clear);
  if (recorded.file !== null) await writeWhole(out, recorded.file);
  return tellRecorded(context, recorded, out);
}

/** A link that leads nowhere is there too. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const nameOf = (out: string): string => basename(out).replace(/\.arrow$/i, '');

function tellEnd({ terminal }: Context, { info }: Run, out: string): void {
  for (const note of info.notes.filter((one) => !one.startsWith('Data was not checked'))) terminal.err(note);
  if (info.error !== undefined) terminal.err(describeError(info.error));
  terminal.err(`Written to ${out}. copyscope explain ${out} says what held its steps.`);
}

function unusedName(): string {
  for (let number = 1; ; number += 1) {
    const name = `recording${number === 1 ? '' : `-${number}`}.arrow`;
    if (!isThere(name) && !isThere(`${name}.parts`)) return name;
  }
}

const folderHere = (): CopyscopeError =>
  new CopyscopeError({
    code: 'usage.folder',
    field: '--folder',
    message: 'it names a folder of another machine.',
    remedy: 'Here, go to the folder first; or name the machine with --host.',
  });

const partsThere = (folder: string): CopyscopeError =>
  new CopyscopeError({
    code: 'file.exists',
    field: '--out',
    message: `${folder} is there: what an earlier recording left, or one that is under way.`,
    remedy: 'copyscope explain reads the files in it, one at a time. Choose another name, or delete it.',
  });
