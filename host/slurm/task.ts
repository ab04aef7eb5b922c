/** The work of a Slurm job on its node: points of a sweep, one after another. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { requireSweep } from '../../core/apps/sweep/parse.ts';
import { CopyscopeError } from '../../core/errors.ts';
import type { SpawnEngine } from '../engine/child.ts';
import { EngineSupervisor } from '../engine/supervisor.ts';
import { privately, writeWhole } from '../files/files.ts';
import type { Assets } from '../library/assets.ts';
import { doneOutcome } from '../library/keptSweep.ts';
import { SweepStore } from '../library/sweepStore.ts';
import { runPoints } from '../service/sweepPoints.ts';
import { resultName } from './sweepJobs.ts';
import { type SlurmContext, SlurmWork } from './work.ts';

export interface TaskOptions {
  readonly folder: string;
  /** Number of the array, and of the job in it. */
  readonly submission: number;
  readonly task: number;
  readonly context: SlurmContext & { readonly spawnEngine: SpawnEngine };
  readonly assets: Assets;
  /** Fires if Slurm ends the job. */
  readonly signal: AbortSignal;
}

/** Rejects with an error that every point would have. */
export async function runTask(options: TaskOptions): Promise<void> {
  const { folder, submission, task, context, assets, signal } = options;
  const { submissions } = await new SlurmWork(folder, context).read();
  const points = submissions[submission]?.tasks[task];
  if (points === undefined) throw new CopyscopeError({ code: 'slurm.unknown', message: `${folder} has no such job.` });
  const store = new SweepStore(dirname(folder));
  const { id, sweep, profile, iterations, engine: kind, outcomes } = await store.read(basename(folder));
  const done = new Set(outcomes.flatMap(({ point, status }) => (status === 'done' ? point : [])));
  const resultOf = (point: number): string => join(folder, resultName(point));
  // Slurm starts a job again if its node failed.
  const open = points.filter((point) => !done.has(point) && !existsSync(resultOf(point)));
  const engine = new EngineSupervisor({
    spawn: context.spawnEngine,
    host: context.environment['SLURMD_NODENAME'] ?? hostname(),
  });
  const settings = { engine: kind, profile: profile ?? undefined, iterations: iterations ?? undefined };
  try {
    for await (const result of runPoints(requireSweep(sweep), open, settings, { engine, assets, signal })) {
      if (result.status === 'done') await store.addRun(id, result.point, result.file);
      const outcome =
        result.status === 'failed' ? result : doneOutcome(id, result.point, { ...result, madeHere: true });
      await writeWhole(resultOf(result.point), JSON.stringify(outcome), privately);
    }
  } finally {
    engine.close();
  }
}
