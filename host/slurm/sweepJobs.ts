/** A sweep whose points are jobs of Slurm. It is an ordinary sweep of the library, to which jobs add their results. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SlurmSettings } from '../../core/apps/slurm/settings.ts';
import type { JobCounts } from '../../core/apps/slurm/submission.ts';
import type { ErrorInfo } from '../../core/errors.ts';
import type { SweepOutcome } from '../../core/service/service.ts';
import { readBoundedText } from '../files/files.ts';
import { type KeptSweep, openPoints, outcomeIn } from '../library/keptSweep.ts';
import type { SweepStore } from '../library/sweepStore.ts';
import { isActive } from './jobs.ts';
import { lastJobs, type SlurmContext, SlurmWork, watchJobs } from './work.ts';

export interface SweepJobsOptions {
  readonly store: SweepStore;
  readonly kept: KeptSweep;
  readonly context: SlurmContext;
  readonly settings: SlurmSettings;
  /** Points that each job runs, one after another. */
  readonly pointsPerJob: number;
  /** True if points that failed by themselves run again. */
  readonly again: boolean;
  /** Ends the watching; the jobs go on. */
  readonly signal: AbortSignal;
  /** Receives sbatch's command line and the script before they are sent. */
  readonly onSubmit?: (text: string, points: number) => void;
  readonly onOutcome?: (outcome: SweepOutcome) => void;
  readonly onJobs: (jobs: JobCounts) => void;
}

const maxResultBytes = 8 * 2 ** 20;

export const resultName = (point: number): string => `result-${point}.json`;

/** Submits points that have no result and no job, and waits for all. Rejects with `slurm.*` or the signal's abort. */
export async function runSweepJobs(options: SweepJobsOptions): Promise<void> {
  const { store, kept, context, settings, pointsPerJob, again, signal, onJobs } = options;
  const work = new SlurmWork(await store.folder(kept.id), context);
  const open = new Set(openPoints(kept.points, kept.outcomes, again));
  const keep = async (outcome: SweepOutcome): Promise<void> => {
    await store.addOutcome(kept.id, outcome);
    open.delete(outcome.point);
    options.onOutcome?.(outcome);
  };
  /** Moves results that jobs have written into the sweep. */
  const collect = async (): Promise<void> => {
    for (const name of await readdir(work.folder)) {
      const point = Number(/^result-(\d{1,4})\.json$/.exec(name)?.[1] ?? Number.NaN);
      if (!open.has(point)) continue;
      const path = join(work.folder, name);
      const outcome = outcomeIn(await readBoundedText(path, maxResultBytes));
      // A job writes a result at once: anything else is not its own.
      if (outcome?.point === point) await keep(outcome);
      await rm(path, { force: true });
    }
  };

  let state = await work.read();
  const jobOf = lastJobs(state, await work.jobs(state));
  await collect();
  const missing = [...open].filter((point) => !isActive(jobOf(point)));
  if (missing.length > 0) {
    const tasks = Array.from({ length: Math.ceil(missing.length / pointsPerJob) }, (_, task) =>
      missing.slice(task * pointsPerJob, (task + 1) * pointsPerJob),
    );
    const show = (text: string): void => options.onSubmit?.(text, missing.length);
    state = await work.submit(state, tasks, kept.engine, settings, show);
  }
  const onLost = (point: number, error: ErrorInfo): Promise<void> => keep({ point, status: 'failed', error });
  await watchJobs({ work, state, open, signal, collect, onJobs, lateAfter: ['COMPLETED'], onLost });
}
