/** What a job of an array runs on its node: its points, one after another, each kept as it is done. */
import { join } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import { requireSweep } from '../../core/sweep/parse.ts';
import { forkEngine } from '../engine/child.ts';
import { EngineSupervisor } from '../engine/supervisor.ts';
import { runPoints } from '../service/sweepPoints.ts';
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

/** Rejects where the job should count as failed: with what would fail at every point, or `run.cancelled`. */
export async function runTask({ folder, submission, task, program, node, signal }: TaskOptions): Promise<void> {
  const place = new WorkFolder(folder);
  const [work, { tasks }, reached] = await Promise.all([place.work(), place.submission(submission), place.reached()]);
  const points = tasks[task];
  if (points === undefined) throw new CopyscopeError({ code: 'slurm.unknown', message: `There is no job ${task}.` });
  // Slurm starts a job again where its node failed.
  const open = points.filter((point) => !reached.includes(point));
  const { engine: kind, profile, iterations, host } = work;
  const settings = { engine: kind, profile: profile?.name, iterations: iterations ?? undefined };
  const engine = new EngineSupervisor({
    spawn: () => forkEngine(join(program, 'dist/host/engine-process.js')),
    host: host === null ? node : `${node} of ${host}`,
  });
  try {
    const assets = { readProfile: async () => profile?.json };
    for await (const result of runPoints(requireSweep(work.sweep), open, settings, { engine, assets, signal })) {
      await place.keep(result);
    }
  } finally {
    engine.close();
  }
}
