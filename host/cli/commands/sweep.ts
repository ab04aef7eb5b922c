/** `copyscope sweep`: runs every point of a sweep, and prints a figure for each. */
import { join } from 'node:path';
import { requireSweep } from '../../../core/apps/sweep/parse.ts';
import type { SweepPlan } from '../../../core/apps/sweep/plan.ts';
import type { PointResults } from '../../../core/apps/sweep/results.ts';
import { CopyscopeError } from '../../../core/errors.ts';
import { maxExperimentCharacters } from '../../../core/experiment/parse.ts';
import type { EngineKind } from '../../../core/program/engineKind.ts';
import { readBoundedText, writeWhole } from '../../files/files.ts';
import { type PointResult, runPoints } from '../../service/sweepPoints.ts';
import type { Terminal } from '../io.ts';
import { printSweep, type Ran } from '../printSweep.ts';
import { statusLine } from '../progress.ts';
import { type RunOptions, type Tools, withEngine } from './run.ts';
import { sweepAsJobs } from './slurm.ts';

export type SweepOptions = Omit<RunOptions, 'out'> & {
  /** Folder for the run of each point. */
  readonly out?: string | undefined;
  /** Submits the points as Slurm jobs. */
  readonly slurm: boolean;
  readonly pointsPerJob?: number | undefined;
  readonly again: boolean;
};

/** Rejects, after printing, with `run.cancelled`, `sweep.failed-points`, or `sweep.invalid` if no point is valid. */
export async function sweep(tools: Tools, file: string, options: SweepOptions): Promise<void> {
  const plan = requireSweep(await readBoundedText(file, maxExperimentCharacters));
  if (options.slurm) return sweepAsJobs(tools, plan, options);
  refuseOfSlurm(options);
  const settings = await withEngine(tools, options);
  const createdAt = new Date().toISOString();
  const ran = await runAll(tools, plan, settings, options.out);
  await printSweep(tools.context.terminal, plan, { createdAt, engine: settings.engine, json: options.json, ...ran });
}

function refuseOfSlurm({ pointsPerJob, again }: SweepOptions): void {
  if (pointsPerJob === undefined && !again) return;
  const field = again ? '--again' : '--points-per-job';
  throw new CopyscopeError({ code: 'usage.invalid', field, message: 'this needs --slurm.' });
}

async function runAll(
  { context, engine, assets }: Tools,
  plan: SweepPlan,
  settings: {
    readonly engine: EngineKind;
    readonly profile?: string | undefined;
    readonly iterations?: number | undefined;
  },
  out: string | undefined,
): Promise<Ran> {
  const progress = pointLine(context.terminal, plan);
  const outcomes: Omit<PointResults, 'values'>[] = [];
  let device = settings.profile ?? settings.engine;
  const points = Array.from({ length: plan.count }, (_, point) => point);
  try {
    progress.show(0);
    for await (const result of runPoints(plan, points, settings, { engine, assets, signal: context.signal })) {
      if (result.status === 'done') device = result.info.device?.name ?? result.info.machine?.cpu ?? device;
      outcomes.push(await kept(result, out));
      progress.show(result.point + 1);
    }
    return { outcomes, device, failure: null };
  } catch (failure) {
    return { outcomes, device, failure };
  } finally {
    progress.clear();
  }
}

/** Returns the result without the run, after writing that to a file in `out` if given. */
async function kept(result: PointResult, out: string | undefined): Promise<Omit<PointResults, 'values'>> {
  const { point } = result;
  if (result.status === 'failed') return { point, status: 'failed', error: result.error };
  if (out !== undefined) await writeWhole(join(out, `${String(point).padStart(4, '0')}.arrow`), result.file);
  const { makespanInterval = null, bandwidthIntervals = null } = result.info;
  return { point, status: 'done', figures: result.figures, makespanInterval, bandwidthIntervals };
}

function pointLine(terminal: Terminal, plan: SweepPlan) {
  const { show, clear } = statusLine(terminal);
  return {
    show: (done: number) => show(`${done}/${plan.count}${done < plan.count ? ` ${plan.nameOf(done)}` : ''}`),
    clear,
  };
}
