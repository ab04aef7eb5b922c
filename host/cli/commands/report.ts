/** `copyscope report`: a run, two compared runs, or a sweep, as one HTML file. */
import { join } from 'node:path';
import { requireSweep } from '../../../core/apps/sweep/parse.ts';
import { CopyscopeError } from '../../../core/errors.ts';
import { maxExperimentCharacters } from '../../../core/experiment/parse.ts';
import { fileNameOf } from '../../../core/export/formats.ts';
import type { ChangeWord } from '../../../core/lift/changes/words.ts';
import type { ReportPoint } from '../../../core/present/document.ts';
import { type ReportedRun, type ReportOptions, runReport, sweepReport } from '../../../core/present/make.ts';
import { dataPlace, type ReportFile, reportPieces } from '../../../core/present/page.ts';
import { linkBytesPerSecond } from '../../../core/program/engine.ts';
import { isTraced, runOrigin } from '../../../core/trace/run.ts';
import { formatBytes } from '../../../core/units.ts';
import { readBoundedText, requireNew, writeNewPieces } from '../../files/files.ts';
import { programVersion } from '../../paths.ts';
import { type PointResult, runPoints } from '../../service/sweepPoints.ts';
import { attainableFor } from '../attainable.ts';
import { isSweepFile, readInputFile, refuseUnused } from '../inputFile.ts';
import { statusLine } from '../progress.ts';
import { type StepsOption, traceProfile } from '../traceAnswers.ts';
import { ofRun, type RunOptions, refuseProfile, simulated, type Tools, withEngine } from './run.ts';

export interface ReportCommandOptions extends Pick<RunOptions, 'engine' | 'profile' | 'iterations'> {
  readonly out?: string | undefined;
  readonly steps?: StepsOption | undefined;
  readonly stepMs?: number | undefined;
  readonly try?: readonly ChangeWord[] | undefined;
  readonly withPaths: boolean;
}

type StatusLine = ReturnType<typeof statusLine>;

/** Writes the report of `file`, compared with `other` if given; Ctrl-C leaves no partial file. */
export async function report(
  tools: Tools,
  file: string,
  other: string | undefined,
  options: ReportCommandOptions,
): Promise<void> {
  const { terminal, signal, program } = tools.context;
  if (options.out !== undefined) await requireNew(options.out);
  const line = statusLine(terminal);
  try {
    const made = await make(tools, file, other, options, line);
    const page = await readPage(program);
    const path = options.out ?? fileNameOf(made.document.title, '.html');
    signal.throwIfAborted();
    const onPacked = (bytes: number, of: number): void =>
      line.show(`Packing: ${formatBytes(bytes)} of ${formatBytes(of)}`);
    await writeNewPieces(path, reportPieces(page, made, onPacked), signal);
    line.clear();
    terminal.err(`Written to ${path}.`);
  } catch (thrown) {
    throw signal.aborted ? cancelled() : thrown;
  } finally {
    line.clear();
  }
}

const mostPageBytes = 16 * 1024 * 1024;

/** Returns the data of a report as the page has them; an empty text if they are longer than `most`. */
export async function reportData(
  tools: Tools,
  file: string,
  options: ReportCommandOptions,
  most: number,
): Promise<string> {
  const made = await make(tools, file, undefined, options, statusLine(tools.context.terminal));
  let data = '';
  for await (const piece of reportPieces(dataPlace, made)) {
    data += Buffer.from(piece).toString('latin1');
    if (data.length > most) return '';
  }
  return data;
}

/** Reads the page without data, which is built with the window. */
export const readPage = (program: string): Promise<string> =>
  readBoundedText(join(program, 'dist/renderer/report.html'), mostPageBytes).catch((cause: unknown) => {
    throw new CopyscopeError(
      { code: 'report.no-page', message: 'The page of reports is not built.', remedy: 'Run npm run build.' },
      { cause },
    );
  });

const cancelled = (): CopyscopeError =>
  new CopyscopeError({ code: 'run.cancelled', message: 'The report was cancelled; nothing of it was kept.' });

async function make(
  tools: Tools,
  file: string,
  other: string | undefined,
  options: ReportCommandOptions,
  line: StatusLine,
): Promise<ReportFile> {
  const { context } = tools;
  const made: ReportOptions = {
    createdAt: new Date().toISOString(),
    copyscope: programVersion(context.program),
    withPaths: options.withPaths,
    steps: options.steps,
    knownStepNs: options.stepMs === undefined ? undefined : options.stepMs * 1e6,
    tried: options.try,
    onStage: line.show,
  };
  if (await isSweepFile(file)) {
    if (other !== undefined) throw noPair();
    refuseUnused({ '--steps': options.steps, '--try': options.try }, 'a trace');
    return ofSweep(tools, file, options, made, line);
  }
  refuseUnused({ '--engine': options.engine, '--iterations': options.iterations }, 'a sweep');
  const runs = await readRuns(tools, other === undefined ? [file] : [file, other], options);
  context.signal.throwIfAborted();
  return runReport(runs, made);
}

const noPair = (): CopyscopeError =>
  new CopyscopeError({
    code: 'usage.invalid',
    field: 'other',
    message: 'a sweep has a report of its own: nothing is compared with it.',
    remedy: 'Name the sweep alone.',
  });

/** Reads runs and traces. Experiments are simulated, with the recorder's cost if the other one was recorded. */
async function readRuns(
  tools: Tools,
  files: readonly string[],
  { profile, steps, try: tried }: ReportCommandOptions,
): Promise<ReportedRun[]> {
  const { context, assets } = tools;
  const inputs = [];
  for (const file of files) inputs.push(await readInputFile(file, context));
  const isBesideRecorded = inputs.some((input) => input.kind === 'run' && isTraced(input.run));
  const hasTrace = inputs.some((input) => input.kind === 'run' && input.run.info.imported !== undefined);
  if (!hasTrace) refuseUnused({ '--steps': steps, '--try': tried }, 'a trace');
  if (!hasTrace && inputs.every(({ kind }) => kind === 'run')) refuseProfile(profile, ofRun);
  const runs: ReportedRun[] = [];
  for (const input of inputs) {
    const isRun = input.kind === 'run';
    const run = isRun ? input.run : await simulated(tools, input.experiment, profile, isBesideRecorded);
    const own = await attainableFor(run.info, assets, context.terminal.err);
    const isTrace = run.info.imported !== undefined;
    const replayWith = isTrace ? await traceProfile(run, assets, context.terminal, profile) : null;
    runs.push({ run, origin: runOrigin(run.info, false), profile: own.profile ?? null, replayWith });
  }
  return runs;
}

async function ofSweep(
  tools: Tools,
  file: string,
  options: ReportCommandOptions,
  made: ReportOptions,
  line: StatusLine,
): Promise<ReportFile> {
  const { context, engine, assets } = tools;
  const plan = requireSweep(await readBoundedText(file, maxExperimentCharacters));
  const settings = await withEngine(tools, { ...options, out: undefined, json: false });
  const all = Array.from({ length: plan.count }, (_, point) => point);
  const points: ReportPoint[] = [];
  let device = settings.profile ?? settings.engine;
  for await (const result of runPoints(plan, all, settings, { engine, assets, signal: context.signal })) {
    if (result.status === 'done') device = result.info.device?.name ?? result.info.machine?.cpu ?? device;
    points.push(pointOf(result, device));
    line.show(`Running: ${points.length} of ${plan.count} points`);
  }
  const origin = settings.engine === 'sim' ? 'simulated' : 'measured';
  return sweepReport({ document: plan.document, createdAt: made.createdAt, origin, device, points }, made);
}

/** Leaves out the run. */
function pointOf(result: PointResult, device: string): ReportPoint {
  const { point } = result;
  if (result.status === 'failed') return { point, status: 'failed', error: result.error };
  const { info, figures } = result;
  const link = linkBytesPerSecond(info.device);
  return { point, status: 'done', createdAt: info.createdAt, device, figures, linkBytesPerSecond: link };
}
