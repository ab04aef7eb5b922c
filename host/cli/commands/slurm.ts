/** `copyscope slurm`, and `--slurm` of other commands: jobs of the cluster whose login node this is. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { requireSettings } from '../../../core/apps/slurm/settings.ts';
import { describedSubmission, exitName, type JobCounts, jobsWords } from '../../../core/apps/slurm/submission.ts';
import type { SweepPlan } from '../../../core/apps/sweep/plan.ts';
import type { PointResults } from '../../../core/apps/sweep/results.ts';
import { CopyscopeError, type ErrorInfo } from '../../../core/errors.ts';
import { defaultProfile } from '../../../core/machine/cost/simEngine.ts';
import { simulatedDevice } from '../../../core/machine/profile/profile.ts';
import type { EngineKind } from '../../../core/program/engineKind.ts';
import type { SweepOutcome } from '../../../core/service/service.ts';
import { decodeRun, maxRunFileBytes } from '../../../core/trace/arrow.ts';
import { readBounded } from '../../files/files.ts';
import { type KeptSweep, openPoints, sweepSummary } from '../../library/keptSweep.ts';
import { SweepStore } from '../../library/sweepStore.ts';
import { dataFolder } from '../../paths.ts';
import { readSettings, writeSettings } from '../../slurm/programs.ts';
import { runSweepJobs } from '../../slurm/sweepJobs.ts';
import { SlurmWork, watchJobs } from '../../slurm/work.ts';
import type { Context } from '../io.ts';
import { printSweep } from '../printSweep.ts';
import { statusLine } from '../progress.ts';
import type { Tools } from './run.ts';
import type { SweepOptions } from './sweep.ts';

export interface SlurmSetOptions {
  readonly partition?: string | undefined;
  readonly account?: string | undefined;
  readonly gpus?: string | undefined;
  readonly time?: string | undefined;
  readonly atOnce?: number | undefined;
  readonly line?: readonly string[] | undefined;
  readonly option?: readonly string[] | undefined;
}

/** Changes the named settings and keeps the others. An empty text removes one. */
export async function setSlurm({ environment, terminal }: Context, options: SlurmSetOptions): Promise<void> {
  const data = dataFolder(environment);
  const { line, option, ...words } = options;
  const given = (list: readonly string[]): readonly string[] => list.filter((one) => one !== '');
  const changed = {
    ...(await readSettings(data)),
    ...words,
    ...(line && { lines: given(line) }),
    ...(option && { options: given(option) }),
  };
  const settings = requireSettings(Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== '')));
  await writeSettings(data, settings);
  terminal.out(describedSubmission(settings));
}

export async function showSlurm(context: Context, json: boolean): Promise<void> {
  const settings = await readSettings(dataFolder(context.environment));
  if (json) await context.terminal.json(settings);
  else context.terminal.out(describedSubmission(settings));
}

/**
 * Runs the words after `copyscope` as one job, whose output goes to stdout or stderr as it comes. Resolves with the exit
 * code. Rejects with `slurm.*`, or with `slurm.left` if the job goes on after Ctrl-C.
 */
export async function asJob(
  context: Context,
  words: readonly string[],
  engine: EngineKind,
  toStderr: boolean,
): Promise<number> {
  const { terminal, environment, signal } = context;
  const data = dataFolder(environment);
  const settings = await readSettings(data);
  const line = statusLine(terminal);
  const work = new SlurmWork(join(data, 'slurm-jobs', `job-${randomBytes(4).toString('hex')}`), context);
  let isLeft = false;
  try {
    const show = (text: string): void => terminal.err(['A job is submitted with', '', ...text.split('\n')]);
    const command = { words, folder: process.cwd() };
    const state = await work.submit(await work.read(), [[0]], engine, settings, show, command);
    const print = (text: string, isStderr: boolean): void => {
      line.clear();
      terminal.printed(text, toStderr || isStderr);
    };
    const printers = [printer(work, 'txt', print), printer(work, 'out', print)];
    const open = new Set([0]);
    let exitCode = '';
    const collect = async (): Promise<void> => {
      exitCode = await readFile(join(work.folder, exitName), 'utf8').catch(() => '');
      for (const printNew of printers) await printNew();
      if (/^\d+\n$/.test(exitCode)) open.delete(0);
    };
    const watching = { work, state, open, collect, onJobs: (jobs: JobCounts): void => line.show(jobsWords(jobs)) };
    const onLost = async (_: number, error: ErrorInfo): Promise<void> => {
      throw new CopyscopeError(error);
    };
    try {
      await watchJobs({ ...watching, signal, lateAfter: ['COMPLETED', 'FAILED'], onLost });
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      isLeft = !(await mayCancel(context));
      if (isLeft) throw left(work.folder);
      await work.cancel();
      await watchJobs({ ...watching, lateAfter: [], onLost: cancelled });
    }
    return Number(exitCode);
  } finally {
    line.clear();
    if (!isLeft) await rm(work.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Returns a function that prints what is new in a job's output. */
function printer(work: SlurmWork, what: 'out' | 'txt', print: (text: string, isStderr: boolean) => void) {
  const decoder = new TextDecoder();
  let from = 0;
  return async (): Promise<void> => {
    for (;;) {
      const bytes = await work.printed({ submission: 0, task: 0 }, from, what);
      if (bytes.byteLength === 0) return;
      from += bytes.byteLength;
      print(decoder.decode(bytes, { stream: true }), what === 'txt');
    }
  };
}

const cancelled = async (): Promise<void> => {
  throw new CopyscopeError({ code: 'run.cancelled', message: 'Its job was cancelled.' });
};

const left = (folder: string): CopyscopeError =>
  new CopyscopeError({
    code: 'slurm.left',
    message: 'Its job goes on.',
    remedy: `Its output is in ${folder}/output. squeue and scancel show and end it.`,
  });

/** Asks after Ctrl-C whether to cancel. Jobs go on unless the user says yes. */
const mayCancel = async ({ terminal }: Context): Promise<boolean> =>
  (await terminal.ask?.('\nCancel its jobs (scancel)? [y/N] ')) === true;

/** Runs `copyscope sweep --slurm`. Continues a sweep of the same settings that has points without a result. */
export async function sweepAsJobs(tools: Tools, plan: SweepPlan, options: SweepOptions): Promise<void> {
  const { context } = tools;
  const { terminal, environment, signal } = context;
  const store = new SweepStore(join(dataFolder(environment), 'sweeps'));
  const settings = await readSettings(dataFolder(context.environment));
  const kept = await begunSweep(tools, store, plan, options);
  const line = statusLine(terminal);
  let outcomes = kept.outcomes;
  let failure: unknown = null;
  try {
    await runSweepJobs({
      ...{ store, kept, context, settings, signal, again: options.again, pointsPerJob: options.pointsPerJob ?? 1 },
      onSubmit: (text, points) => {
        if (!options.json)
          terminal.err([`${points} of ${plan.count} points are submitted with`, '', ...text.split('\n')]);
      },
      onOutcome: (outcome) => {
        outcomes = [...outcomes.filter(({ point }) => point !== outcome.point), outcome];
      },
      onJobs: (jobs) => line.show(`${outcomes.length}/${plan.count} points, ${jobsWords(jobs)}`),
    }).finally(line.clear);
  } catch (thrown) {
    const folder = await store.folder(kept.id);
    // A sweep that Slurm refused at once leaves nothing.
    const isEmpty = (await new SlurmWork(folder, context).read()).submissions.length === 0;
    if (isEmpty && outcomes.length === 0) await rm(folder, { recursive: true, force: true });
    if (!signal.aborted) throw thrown;
    const isCancelled = await mayCancel(context);
    if (isCancelled) await new SlurmWork(folder, context).cancel();
    failure = interrupted(isCancelled);
  }
  await print(tools, plan, store, await store.read(kept.id), options, failure);
}

const interrupted = (isCancelled: boolean): CopyscopeError =>
  new CopyscopeError({
    code: isCancelled ? 'run.cancelled' : 'slurm.left',
    message: isCancelled ? 'Its jobs were cancelled.' : 'Its jobs go on.',
    remedy: 'Run the same command to continue.',
  });

async function begunSweep(
  { context, assets }: Tools,
  store: SweepStore,
  plan: SweepPlan,
  { engine: named, profile: given, iterations: recorded, again, json }: SweepOptions,
): Promise<KeptSweep> {
  // Only the nodes know what they have.
  const iterations = recorded ?? null;
  const engine = named ?? (given === undefined ? 'cuda' : 'sim');
  const profile = engine === 'sim' ? (given ?? defaultProfile) : null;
  for (const { id, slurm } of await store.list(new Set())) {
    const kept = slurm === undefined ? null : await store.read(id);
    const open = kept === null ? 0 : openPoints(kept.points, kept.outcomes, again).length;
    const isSame = kept?.engine === engine && kept.profile === profile && kept.iterations === iterations;
    if (kept === null || !isSame || open === 0 || JSON.stringify(kept.sweep) !== JSON.stringify(plan.document))
      continue;
    if (!json) context.terminal.err(`The sweep ${id} goes on: ${open} of ${plan.count} points have no result.`);
    return kept;
  }
  const device = profile === null ? engine.toUpperCase() : simulatedDevice(await assets.readProfile(profile));
  const createdAt = new Date().toISOString();
  const of = { createdAt, engine, profile, iterations, device };
  return store.create({ ...of, points: plan.count, slurm: {}, sweep: plan.document });
}

async function print(
  { context }: Tools,
  plan: SweepPlan,
  store: SweepStore,
  kept: KeptSweep,
  { out, json }: SweepOptions,
  failure: unknown,
): Promise<void> {
  const outcomes = [...kept.outcomes].sort((one, other) => one.point - other.point);
  if (out !== undefined) await mkdir(out, { recursive: true });
  const points = await Promise.all(outcomes.map((outcome) => pointResults(store, kept, outcome, out)));
  const { createdAt, engine } = kept;
  const { device } = sweepSummary(kept, false);
  await printSweep(context.terminal, plan, { createdAt, engine, json, device, outcomes: points, failure });
}

/** Returns the result of a point, after copying its run to `out` if given. */
async function pointResults(
  store: SweepStore,
  { engine }: KeptSweep,
  outcome: SweepOutcome,
  out: string | undefined,
): Promise<Omit<PointResults, 'values'>> {
  const { point } = outcome;
  if (outcome.status === 'failed') return { point, status: 'failed', error: outcome.error };
  const { path } = await store.runFile(outcome.run.id);
  if (out !== undefined) await copyFile(path, join(out, `${String(point).padStart(4, '0')}.arrow`));
  const of = { point, status: 'done' as const, figures: outcome.figures };
  // Only predictions have intervals.
  if (engine !== 'sim') return { ...of, makespanInterval: null, bandwidthIntervals: null };
  const { info } = decodeRun(await readBounded(path, maxRunFileBytes));
  return {
    ...of,
    makespanInterval: info.makespanInterval ?? null,
    bandwidthIntervals: info.bandwidthIntervals ?? null,
  };
}
