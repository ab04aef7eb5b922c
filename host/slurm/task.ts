/** What a job of an array runs on its node: its points, one after another, each kept as it is done; or the one thing it is for. */
import { join } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import { requireSweep } from '../../core/sweep/parse.ts';
import { forkEngine } from '../engine/child.ts';
import { EngineSupervisor } from '../engine/supervisor.ts';
import { runPoints } from '../service/sweepPoints.ts';
import { calibrateTask, recordTask } from './oneTask.ts';
import type { SweepWork } from './work.ts';
import { WorkFolder } from './workFolder.ts';

export interface TaskOptions {
  readonly folder: string;
  /** Which submission, and which of its jobs. */
  readonly submission: number;
  readonly task: number;
  /** Of the program: where its engine process is. */
  readonly program: string;
  /** As Slurm calls it. */
  readonly node: string;
  /** Fires where Slurm ends the job. */
  readonly signal: AbortSignal;
}

/** The job's exit code. Rejects where it should count as failed: with what would fail at every point, or `run.cancelled`. */
export async function runTask({ folder, submission, task, program, node, signal }: TaskOptions): Promise<number> {
  const place = new WorkFolder(folder);
  const [work, { tasks }, reached] = await Promise.all([place.work(), place.submission(submission), place.reached()]);
  const points = tasks[task];
  if (points === undefined) throw new CopyscopeError({ code: 'slurm.unknown', message: `There is no job ${task}.` });
  // Slurm starts a job again where its node failed.
  const open = points.filter((point) => !reached.includes(point));
  if (open.length === 0) return 0;
  const host = work.host === null ? node : `${node} of ${work.host}`;
  if (work.format === 'copyscope/slurm-recording') return recordTask(work, { place, host, signal });
  const engine = new EngineSupervisor({
    spawn: () => forkEngine(join(program, 'dist/host/engine-process.js')),
    host,
  });
  try {
    if (work.format === 'copyscope/slurm-calibration') await calibrateTask(work, { place, host, signal }, engine);
    else await sweepTask(work, open, { place, engine, signal });
    return 0;
  } finally {
    engine.close();
  }
}

interface SweepTools {
  readonly place: WorkFolder;
  readonly engine: EngineSupervisor;
  readonly signal: AbortSignal;
}

async function sweepTask(
  { engine: kind, profile, iterations, sweep }: SweepWork,
  points: readonly number[],
  { place, engine, signal }: SweepTools,
): Promise<void> {
  const settings = { engine: kind, profile: profile?.name, iterations: iterations ?? undefined };
  const assets = { readProfile: async () => profile?.json };
  for await (const result of runPoints(requireSweep(sweep), points, settings, { engine, assets, signal })) {
    await place.keep(result);
  }
}
