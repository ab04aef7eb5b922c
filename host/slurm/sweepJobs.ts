/** A sweep whose points are jobs of Slurm. It is an ordinary sweep of the library, to which jobs add their results. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SlurmSettings } from '../../core/apps/slurm/settings.ts';
import type { JobCounts } from '../../core/apps/slurm/submission.ts';
import type { SweepOutcome } from '../../core/service/service.ts';
import { readBoundedText } from '../files/files.ts';
import { type KeptSweep, openPoints, outcomeIn } from '../library/keptSweep.ts';
import type { SweepStore } from '../library/sweepStore.ts';
import { type JobState, jobCounts, lostPoint } from './jobs.ts';
import { isActive, lastJobs, type SlurmContext, SlurmWork, type Work } from './work.ts';

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

/** Intervals for looking at results and for asking Slurm, longer while nothing changes. */
const lookMs = 1000;
const [leastAskMs, mostAskMs] = [2000, 15_000];
/** Time in which a shared disk shows everything that a job wrote before its end. */
export const settleMs = 120_000;
const maxResultBytes = 8 * 2 ** 20;

export const resultName = (point: number): string => `result-${point}.json`;

/** Submits points that have no result and no job, and waits for all. Rejects with `slurm.*` or the signal's abort. */
export const runSweepJobs = (options: SweepJobsOptions): Promise<void> => new SweepJobs(options).run();

class SweepJobs {
  readonly #options: SweepJobsOptions;
  readonly #open: Set<number>;
  /** Times at which jobs were first seen ended without the result of a point, by point. */
  readonly #unsettled = new Map<number, number>();

  constructor(options: SweepJobsOptions) {
    const { kept, again } = options;
    this.#options = options;
    this.#open = new Set(openPoints(kept.points, kept.outcomes, again));
  }

  async run(): Promise<void> {
    const { store, kept, context, signal, onJobs } = this.#options;
    const work = new SlurmWork(await store.folder(kept.id), context);
    let state = await work.read();
    let jobs = state.submissions.length === 0 ? [] : await work.jobs(state);
    await this.#collect(work);
    const jobOf = lastJobs(state, jobs);
    const missing = [...this.#open].filter((point) => !isActive(jobOf(point)));
    if (missing.length > 0) {
      state = await this.#submit(work, state, missing);
      jobs = await work.jobs(state);
    }
    let [askMs, askedAt, told] = [leastAskMs, Date.now(), ''];
    for (let isNew = true; ; ) {
      await this.#collect(work);
      if (isNew) {
        const counts = jobCounts(jobs);
        onJobs(counts);
        askMs = JSON.stringify(counts) === told ? Math.min(mostAskMs, askMs * 1.5) : leastAskMs;
        told = JSON.stringify(counts);
        await this.#settle(work, state, jobs);
      }
      if (this.#open.size === 0) return;
      await pause(lookMs, undefined, { signal });
      isNew = Date.now() - askedAt >= askMs;
      if (isNew) [jobs, askedAt] = [await work.jobs(state), Date.now()];
    }
  }

  async #submit(work: SlurmWork, state: Work, points: readonly number[]): Promise<Work> {
    const { kept, settings, pointsPerJob, onSubmit } = this.#options;
    const tasks = Array.from({ length: Math.ceil(points.length / pointsPerJob) }, (_, task) =>
      points.slice(task * pointsPerJob, (task + 1) * pointsPerJob),
    );
    return work.submit(state, tasks, kept.engine, settings, (text) => onSubmit?.(text, points.length));
  }

  /** Moves results that jobs have written into the sweep. */
  async #collect({ folder }: SlurmWork): Promise<void> {
    for (const name of await readdir(folder)) {
      const point = Number(/^result-(\d{1,4})\.json$/.exec(name)?.[1] ?? Number.NaN);
      if (!this.#open.has(point)) continue;
      const path = join(folder, name);
      const outcome = outcomeIn(await readBoundedText(path, maxResultBytes));
      await this.#keep(outcome?.point === point ? outcome : damaged(point, path));
      await rm(path, { force: true });
    }
  }

  /** Marks points as failed, for now, if their job has ended without a result. */
  async #settle(work: SlurmWork, state: Work, jobs: readonly JobState[]): Promise<void> {
    const jobOf = lastJobs(state, jobs);
    for (const point of [...this.#open]) {
      const job = jobOf(point);
      if (isActive(job)) {
        this.#unsettled.delete(point);
        continue;
      }
      if (job === null || job.state === 'COMPLETED') {
        const since = this.#unsettled.get(point) ?? Date.now();
        this.#unsettled.set(point, since);
        if (Date.now() - since < settleMs) continue;
      }
      const said = job === null ? '' : await work.said(job.job);
      await this.#keep({ point, status: 'failed', error: lostPoint(job, said) });
    }
  }

  async #keep(outcome: SweepOutcome): Promise<void> {
    const { store, kept, onOutcome } = this.#options;
    await store.addOutcome(kept.id, outcome);
    this.#open.delete(outcome.point);
    onOutcome?.(outcome);
  }
}

const damaged = (point: number, path: string): SweepOutcome => ({
  ...{ point, status: 'failed' },
  error: { code: 'slurm.damaged', message: `${path} can't be read.`, remedy: 'Run the point again.' },
});
