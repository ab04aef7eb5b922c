/** `copyscope run`, `copyscope predict` and `copyscope explain`. */
import { CopyscopeError, describeError } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { withEvidence } from '../../../core/explain/hazards/evidence.ts';
import { type HazardReport, hazardsFormat, hazardsVersion } from '../../../core/explain/hazards/hazard.ts';
import { checkExperiment } from '../../../core/explain/hazards/repair.ts';
import type { CapturedProgram } from '../../../core/import/nsight/captured.ts';
import { looksLikeDatabase } from '../../../core/import/sniff.ts';
import { hazardBlocks } from '../../../core/present/verdicts.ts';
import type { EngineKind } from '../../../core/program/engineKind.ts';
import { lower } from '../../../core/program/lower.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import { PartialRunError } from '../../engine/partialRun.ts';
import type { EngineRunResult } from '../../engine/protocol.ts';
import type { EngineSupervisor } from '../../engine/supervisor.ts';
import { writeWhole } from '../../files/files.ts';
import type { Assets } from '../../library/assets.ts';
import { readCaptured } from '../../library/imports/nsightFile.ts';
import { prepareParsed } from '../../service/prepareRun.ts';
import {
  experimentIn,
  head,
  type InputFile,
  readExperimentOf,
  readInputFile,
  refuseUnused,
  requireWritableAsRun,
} from '../inputFile.ts';
import type { Context, Terminal } from '../io.ts';
import { printRun } from '../printRun.ts';
import { progressLine } from '../progress.ts';
import { mergedInput, tracesIn } from '../rankFiles.ts';
import { drawBlocks } from '../render/blocks.ts';
import { answersOf, type TraceQuestion } from '../traceAnswers.ts';

export interface RunOptions {
  readonly engine?: EngineKind | undefined;
  readonly profile?: string | undefined;
  readonly iterations?: number | undefined;
  readonly out?: string | undefined;
  readonly json: boolean;
}

export type ExplainOptions = RunOptions & TraceQuestion;

export type PredictOptions = Pick<RunOptions, 'profile' | 'json'>;

export interface Tools {
  readonly context: Context;
  readonly engine: EngineSupervisor;
  readonly assets: Assets;
}

/** Executes the experiment in `file`, prints the run, and writes it to `out` if given. */
export async function run(tools: Tools, file: string, options: RunOptions): Promise<void> {
  const { context, assets } = tools;
  const experiment = await readExperimentOf(file, context);
  if (options.out !== undefined) await requireWritableAsRun(options.out);
  const result = await executeOrKeep(tools, experiment, await withEngine(tools, options));
  const failure = options.out === undefined ? null : await keep(options.out, result.file);
  if (options.out !== undefined && failure === null && !options.json) {
    context.terminal.err(`Written to ${options.out}.`);
  }
  context.leaveAtOnce();
  await printRun(decoded(result), assets, context.terminal, { json: options.json, madeHere: true });
  if (failure !== null) throw failure;
}

/** Writes the run. Returns an error instead of throwing, so that the measured run is still printed. */
async function keep(path: string, file: Uint8Array): Promise<unknown> {
  try {
    await writeWhole(path, file);
    return null;
  } catch (thrown) {
    return thrown;
  }
}

/** Simulates the experiment in `file` and prints the predicted run. */
export const predict = (tools: Tools, file: string, { profile, json }: PredictOptions): Promise<void> =>
  run(tools, file, { engine: 'sim', profile, json });

/** Prints the content of a run file, a trace, or the traces of a job's ranks; an experiment is simulated first. */
export async function explain(tools: Tools, paths: readonly string[], options: ExplainOptions): Promise<void> {
  const { context } = tools;
  context.leaveAtOnce();
  const files = await tracesIn(paths);
  const [first = ''] = files;
  const input =
    files.length === 1
      ? await readInputFile(first, context)
      : await mergedInput(files, (path, place) =>
          readInputFile(path, { ...context, terminal: counted(context.terminal, place, files.length) }),
        );
  return explainInput(tools, input, options);
}

/** Adds to each status which of several files it is about. */
const counted = (terminal: Terminal, place: number, of: number): Terminal => ({
  ...terminal,
  status: (text) => terminal.status(text === '' ? '' : `File ${place + 1} of ${of}. ${text}`),
});

async function explainInput(tools: Tools, input: InputFile, options: ExplainOptions): Promise<void> {
  const { context, assets } = tools;
  const print = { json: options.json, madeHere: false };
  if (input.kind === 'experiment' || input.run.info.imported === undefined) {
    refuseUnused({ '--steps': options.steps, '--try': options.try, '--step-ms': options.stepMs }, 'a trace');
  }
  if (input.kind === 'run') {
    if (input.run.info.imported === undefined) {
      refuseProfile(options.profile, ofRun);
      return printRun(input.run, assets, context.terminal, print);
    }
    const answers = await answersOf(input.run, assets, context.terminal, options);
    return printRun(input.run, assets, context.terminal, { ...print, answers });
  }
  return printRun(await simulated(tools, input.experiment, options.profile), assets, context.terminal, print);
}

/** Returns the predicted run. `whileRecording` adds the recorder's cost, for comparison with a recorded run. */
export const simulated = async (
  tools: Tools,
  experiment: Experiment,
  profile: string | undefined,
  whileRecording = false,
): Promise<Run> => decoded(await execute(tools, experiment, { engine: 'sim', profile, json: false }, whileRecording));

const decoded = ({ file, info }: EngineRunResult): Run => decodeRun(file, info.experiment);

/** Executes a run. A run that ended early is kept and printed as far as recorded; its error then ends the command. */
async function executeOrKeep(...run: Parameters<typeof execute>): Promise<EngineRunResult> {
  try {
    return await execute(...run);
  } catch (thrown) {
    if (thrown instanceof PartialRunError) return thrown.partial;
    throw thrown;
  }
}

/** Rejects as the supervisor does. */
export async function execute(
  { context, engine, assets }: Tools,
  experiment: Experiment,
  { engine: kind, profile, iterations }: RunOptions & { readonly engine: EngineKind },
  whileRecording = false,
): Promise<EngineRunResult> {
  const request = await prepareParsed({ experiment, engine: kind, profile, iterations, whileRecording }, assets);
  const progress = progressLine(context.terminal);
  try {
    return await engine.run(request, { signal: context.signal, onProgress: progress.show });
  } finally {
    progress.clear();
  }
}

/** Uses the given engine; by default the GPU if there is one, else the simulator. */
export async function withEngine(
  tools: Tools,
  options: RunOptions,
): Promise<RunOptions & { readonly engine: EngineKind }> {
  if (options.engine !== undefined) return { ...options, engine: requireFit(options.engine, options.profile) };
  if (options.profile !== undefined) return { ...options, engine: 'sim' };
  const report = await tools.engine.report();
  const cuda = report.engines.find((status) => status.kind === 'cuda');
  const say = (text: string): void => {
    if (!options.json) tools.context.terminal.err(text);
  };
  if (cuda?.available === true) {
    say(`Engine: cuda, on ${report.devices[0]?.name ?? 'the GPU'}.`);
    return { ...options, engine: 'cuda' };
  }
  say(
    `Engine: sim. cuda is not available: ${cuda?.problem === undefined ? 'no reason given.' : describeError(cuda.problem)}`,
  );
  return { ...options, engine: 'sim' };
}

function requireFit(engine: EngineKind, profile: string | undefined): EngineKind {
  if (engine !== 'sim') refuseProfile(profile, `engine ${engine} measures`);
  return engine;
}

/** Reason to refuse a profile for a run. */
export const ofRun = 'this file is a run, which needs no simulation';

export function refuseProfile(profile: string | undefined, why: string): void {
  if (profile === undefined) return;
  throw new CopyscopeError({
    code: 'usage.profile',
    field: '--profile',
    message: `a profile is for the simulator, and ${why}.`,
    remedy: 'Leave --profile out.',
  });
}

/** Rejects with `file.*`, with `trace-file.*`, and with `usage.invalid` if the file is no such export. */
export async function printCaptured({ terminal }: Context, file: string, json: boolean): Promise<void> {
  const programs = await readCaptured(await requireExport(file));
  if (json) await terminal.json({ programs });
  else
    terminal.out(
      programs.length === 0
        ? 'The export does not say.'
        : programs.flatMap((one, index) => [...(index === 0 ? [] : ['']), ...programLines(one)]),
    );
}

async function requireExport(file: string): Promise<string> {
  const first = await head(file);
  if (first === null || looksLikeDatabase(first)) return file;
  throw new CopyscopeError({
    code: 'usage.invalid',
    field: '--captured',
    message: `${file} is no export of Nsight Systems: no other file that Copyscope reads has commands or environments.`,
    remedy: 'Leave --captured out.',
  });
}

const programLines = ({ command, folder, environment }: CapturedProgram): string[] => [
  `Command: ${command.join(' ')}`,
  ...(folder === null ? [] : [`Folder: ${folder}`]),
  ...environment.map((variable) => `  ${variable}`),
];

/** Rejects with `hazards.found`, after printing, if there are any. */
export async function check(context: Context, file: string, { json }: { readonly json: boolean }): Promise<void> {
  const { terminal } = context;
  context.leaveAtOnce();
  const input = await readInputFile(file, context);
  const experiment = experimentIn(input, file);
  const found = checkExperiment(experiment);
  const report = input.kind === 'run' ? withEvidence(found, lower(experiment), input.run.info.verification) : found;
  const { name } = experiment;
  if (json) await terminal.json({ format: hazardsFormat, version: hazardsVersion, name, ...report });
  else terminal.out(drawBlocks(hazardBlocks(name, report), terminal));
  requireNone(report);
}

function requireNone({ hazards }: HazardReport): void {
  const [first] = hazards;
  if (first === undefined) return;
  throw new CopyscopeError({
    code: 'hazards.found',
    op: first.second.op,
    field: first.second.path,
    message: hazards.length === 1 ? '1 hazard found.' : `${hazards.length} hazards found.`,
    remedy: first.change?.steps[0] ?? first.remedy,
  });
}
