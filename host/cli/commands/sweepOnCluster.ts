/** `copyscope sweep --slurm`: the points as jobs of a cluster, watched from here. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultProfile } from '../../../core/cost/simEngine.ts';
import { CopyscopeError } from '../../../core/errors.ts';
import type { EngineKind } from '../../../core/program/engineKind.ts';
import type { SweepOutcome } from '../../../core/service/service.ts';
import { waitingWords } from '../../../core/slurm/jobWords.ts';
import type { SweepPlan } from '../../../core/sweep/plan.ts';
import type { PointResults } from '../../../core/sweep/results.ts';
import { decodeRun, maxRunFileBytes } from '../../../core/trace/arrow.ts';
import { dataFolder } from '../../paths.ts';
import { readBounded } from '../../service/files.ts';
import { type KeptSweep, sweepSummary } from '../../service/keptSweep.ts';
import { SweepStore } from '../../service/sweepStore.ts';
import type { Cluster } from '../../slurm/cluster.ts';
import { type ClusterProgress, runOnCluster } from '../../slurm/clusterSweep.ts';
import { SlurmSettingsStore } from '../../slurm/settingsStore.ts';
import { type SweepWork, workId } from '../../slurm/work.ts';
import { clusterOf } from '../clusterOf.ts';
import type { Context } from '../io.ts';
import { printSweep } from '../printSweep.ts';
import { statusLine } from '../progress.ts';
import type { Tools } from './run.ts';
import type { SweepOptions } from './sweep.ts';

/** Rejects as sweep() does, with `slurm.*`, and with `host.left` where jobs go on. */
export async function sweepOnCluster(tools: Tools, plan: SweepPlan, options: SweepOptions): Promise<void> {
  const { context } = tools;
  const data = dataFolder(context.environment);
  const host = options.host ?? null;
  const work = await workOf(tools, plan, options);
  const store = new SweepStore(join(data, 'sweeps'));
  const settings = await new SlurmSettingsStore(data).get(host);
  const cluster = await clusterOf(options.host, context);
  const line = statusLine(context.terminal);
  try {
    const kept = await runOnCluster({
      cluster,
      host,
      plan,
      work,
      settings,
      store,
      pointsPerJob: options.pointsPerJob ?? 1,
      again: options.again,
      signal: context.signal,
      onSubmit: (text, points) => say(context, options, `${submitting(points, plan.count)}\n\n${text}`),
      onProgress: (progress) => line.show(progressText(progress)),
    }).finally(line.clear);
    await print(tools, plan, store, kept, options, null);
  } catch (thrown) {
    if (!context.signal.aborted) throw thrown;
    const left = await store.onCluster(host, workId(work));
    const failure = await leave(context, cluster, work, options);
    if (left === null) throw failure;
    await print(tools, plan, store, left, options, failure);
  } finally {
    cluster.close();
  }
}

const say = ({ terminal }: Context, { json }: SweepOptions, text: string): void => {
  if (!json) terminal.err(text.split('\n'));
};

/** The login node tells nothing of the nodes: they have a GPU where nothing else is said. */
async function workOf({ assets }: Tools, plan: SweepPlan, options: SweepOptions): Promise<SweepWork> {
  const engine: EngineKind = options.engine ?? (options.profile === undefined ? 'cuda' : 'sim');
  const name = options.profile ?? defaultProfile;
  return {
    format: 'copyscope/slurm-work',
    version: 1,
    createdAt: new Date().toISOString(),
    host: options.host ?? null,
    engine,
    profile: engine === 'sim' ? { name, json: await assets.readProfile(name) } : null,
    iterations: options.iterations ?? null,
    points: plan.count,
    sweep: plan.document,
  };
}

const submitting = (points: number, all: number): string =>
  points === all ? `${all} points are submitted with` : `${points} of ${all} points are submitted with`;

const progressText = ({ done, failed, all, running, waiting, reason }: ClusterProgress): string =>
  [
    `${done}/${all} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    `${running} jobs running`,
    waitingWords({ waiting, reason }),
  ].join(', ');

/** After Ctrl-C. Jobs go on unless somebody says otherwise. */
async function leave(
  { terminal }: Context,
  cluster: Cluster,
  work: SweepWork,
  { host }: SweepOptions,
): Promise<CopyscopeError> {
  const there = host === undefined ? '' : ` --host ${host}`;
  if ((await terminal.ask?.('\nCancel its jobs too? [y/N] ')) === true) {
    await cluster.slurmCancel(workId(work));
    return new CopyscopeError({
      code: 'run.cancelled',
      message: 'Its jobs were cancelled.',
      remedy: 'The same command goes on with it.',
    });
  }
  return new CopyscopeError({
    code: 'host.left',
    message: 'Its jobs go on.',
    remedy: `The same command watches them again. To cancel them: copyscope slurm cancel ${workId(work)}${there}`,
  });
}

async function print(
  { context }: Tools,
  plan: SweepPlan,
  store: SweepStore,
  kept: KeptSweep,
  { out, json }: SweepOptions,
  failure: CopyscopeError | null,
): Promise<void> {
  const outcomes = [...kept.outcomes].sort((one, other) => one.point - other.point);
  const points = await Promise.all(outcomes.map((outcome) => pointResults(store, kept, outcome)));
  if (out !== undefined) await copyRuns(store, outcomes, out);
  const { createdAt, engine } = kept;
  const { device } = sweepSummary(kept, false);
  await printSweep(context.terminal, plan, { createdAt, engine, json, device, outcomes: points, failure });
}

async function pointResults(
  store: SweepStore,
  { engine }: KeptSweep,
  outcome: SweepOutcome,
): Promise<Omit<PointResults, 'values'>> {
  const { point } = outcome;
  if (outcome.status === 'failed') return { point, status: 'failed', error: outcome.error };
  const of = { point, status: 'done' as const, figures: outcome.figures };
  // Only what is predicted has them.
  if (engine !== 'sim') return { ...of, makespanInterval: null, bandwidthIntervals: null };
  const { path } = await store.runFile(outcome.run.id);
  const { makespanInterval = null, bandwidthIntervals = null } = decodeRun(
    await readBounded(path, maxRunFileBytes),
  ).info;
  return { ...of, makespanInterval, bandwidthIntervals };
}

async function copyRuns(store: SweepStore, outcomes: readonly SweepOutcome[], out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  for (const outcome of outcomes) {
    if (outcome.status !== 'done') continue;
    const { path } = await store.runFile(outcome.run.id);
    await copyFile(path, join(out, `${String(outcome.point).padStart(4, '0')}.arrow`));
  }
}
