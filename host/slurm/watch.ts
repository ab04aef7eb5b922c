/**
 * Jobs of one work from here: submitted where they are not under way already, looked at until none of what is wanted is
 * left, and what they leave handed on as it comes. Whatever watches jobs watches them with this.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ErrorInfo } from '../../core/errors.ts';
import type { JobCounts } from '../../core/slurm/jobWords.ts';
import type { SlurmSettings } from '../../core/slurm/settings.ts';
import { Awaited } from './awaited.ts';
import type { Cluster } from './cluster.ts';
import { hasEnded } from './jobs.ts';
import type { JobState, PointFiles, Submission, WorkState } from './protocol.ts';
import { forgottenPoint, lostPoint } from './words.ts';
import { type Work, workId } from './work.ts';

export interface WatchOptions {
  readonly cluster: Cluster;
  readonly work: Work;
  /** What the work is called there, where that was another one's name. */
  readonly id?: string | undefined;
  readonly settings: SlurmSettings;
  /** Ends the watching; the jobs go on. */
  readonly signal: AbortSignal;
  /** How long a disk that several machines share may take to show what a job wrote before it ended well. */
  readonly settleMs?: number | undefined;
  /** What is about to be submitted: sbatch's command line and the script. */
  readonly onSubmit: (text: string, points: number) => void;
  /** Something was submitted now; where it isn't ours, another one submits at this moment, and may be refused. */
  readonly onSubmitted?: (isOurs: boolean) => Promise<void>;
  /** What a job left of a point. */
  readonly onFiles: (files: PointFiles) => Promise<void>;
  /** The job of a point ended without one. */
  readonly onLost: (point: number, error: ErrorInfo, job: JobState | null) => Promise<void>;
  /** Slurm was asked. What is given back stands for how it is: it is asked less often while that stays the same. */
  readonly onJobs: (jobs: readonly JobState[]) => unknown;
  /** After each look, whether Slurm was asked or not. */
  readonly onLook?: (state: WorkState) => Promise<void>;
}

export function jobCounts(jobs: readonly JobState[]): JobCounts {
  const active = jobs.filter((job) => !hasEnded(job));
  const waiting = active.filter((job) => job.state === 'PENDING');
  return {
    running: active.length - waiting.length,
    waiting: waiting.length,
    reason: waiting.find(({ reason }) => reason !== '')?.reason ?? '',
  };
}

/** How often results are looked for on the disk, and Slurm is asked: less often while nothing changes. */
const lookMs = 1000;
const [leastAskMs, mostAskMs] = [2000, 15_000];
const standardSettleMs = 120_000;

export class WorkWatch {
  readonly id: string;
  /** When the work was asked for first there. */
  begunAt: string;
  /** The last submission's answer. */
  submitted: Promise<unknown> = Promise.resolve();
  readonly #options: WatchOptions;
  /** Points of jobs that were submitted, without a result yet. */
  readonly #open = new Set<number>();
  readonly #awaited = new Awaited();
  /** When a job was first seen to have ended well without a result of a point. */
  readonly #unsettled = new Map<number, number>();
  /** The last output that was asked for: a job may have had many points. */
  #said: { readonly job: string; readonly said: string } | null = null;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.id = options.id ?? workId(options.work);
    this.begunAt = options.work.createdAt;
  }

  async open(): Promise<WorkState> {
    const { cluster, work } = this.#options;
    const opened = await this.ask(cluster.slurmOpen(this.id, work));
    this.begunAt = opened.begunAt;
    return opened;
  }

  /** Until each of these points has come or was lost. Rejects with `slurm.*`, `host.*`, or the signal's abort. */
  async run(first: WorkState, points: readonly number[], pointsPerJob: number): Promise<void> {
    const isActive = activeJobs(first);
    const toSubmit = points.filter((point) => !isActive(point));
    for (const point of points) this.#open.add(point);
    const state = toSubmit.length > 0 ? await this.#submit(first, inParts(toSubmit, pointsPerJob)) : first;
    await this.#watch(state, pointsPerJob);
  }

  /** Fetches results that are there, and hands them on. */
  async takeIn({ reached }: WorkState, isWanted: (point: number) => boolean): Promise<void> {
    const { cluster, onFiles } = this.#options;
    let left = reached.filter(isWanted);
    while (left.length > 0) {
      const files = await this.ask(cluster.slurmTake(this.id, left));
      for (const file of files) {
        this.#open.delete(file.point);
        await onFiles(file);
      }
      // What was passed over is gone: another watcher has it, and the next looks find out what became of it.
      const last = files.at(-1)?.point;
      left = last === undefined ? [] : left.slice(left.indexOf(last) + 1);
    }
  }

  /** Between two looks. */
  pause = (): Promise<void> => pause(lookMs, undefined, { signal: this.#options.signal });

  drop = (): Promise<void> => this.#options.cluster.slurmDrop(this.id);

  /** Who leaves doesn't wait for an answer. */
  async ask<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const { signal } = this.#options;
    answer.catch(() => {});
    signal.throwIfAborted();
    let stop = (): void => {};
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
    });
    return Promise.race([answer, aborted]).finally(() => signal.removeEventListener('abort', stop));
  }

  async #submit({ submissions }: WorkState, tasks: readonly (readonly number[])[]): Promise<WorkState> {
    const { cluster, settings, onSubmit, onSubmitted } = this.#options;
    const number = (submissions.at(-1)?.number ?? -1) + 1;
    onSubmit(await this.ask(cluster.slurmShow(this.id, number, tasks.length, settings)), tasks.flat().length);
    const submitted = cluster.slurmSubmit(this.id, number, tasks, settings);
    this.submitted = submitted;
    const isOurs = await this.ask(submitted);
    if (!isOurs) this.#awaited.add(tasks.flat(), number);
    await onSubmitted?.(isOurs);
    return this.ask(cluster.slurmLook(this.id, true));
  }

  async #watch(first: WorkState, pointsPerJob: number): Promise<void> {
    const { cluster, onJobs, onLook } = this.#options;
    let [askMs, askedAt, told] = [leastAskMs, Date.now(), ''];
    for (let state = first; ; ) {
      const left = this.#awaited.takeLeft(state).filter((point) => this.#open.has(point));
      // Who was refused has dropped the work, if it was all of it.
      if (left.length > 0) state = await this.#submit(await this.open(), inParts(left, pointsPerJob));
      await onLook?.(state);
      await this.takeIn(state, (point) => this.#open.has(point));
      if (state.jobs !== null) {
        const now = JSON.stringify(onJobs(state.jobs));
        askMs = now === told ? Math.min(mostAskMs, askMs * 1.5) : leastAskMs;
        [told, askedAt] = [now, Date.now()];
        await this.#settle(state);
      }
      if (this.#open.size === 0) return;
      await this.pause();
      state = await this.ask(cluster.slurmLook(this.id, Date.now() - askedAt >= askMs));
    }
  }

  /** Points whose job has ended without them are done with, for now. */
  async #settle(state: WorkState): Promise<void> {
    const { settleMs = standardSettleMs, onLost } = this.#options;
    const jobOf = lastJobs(state);
    for (const point of [...this.#open]) {
      const job = jobOf(point);
      if (job === 'submitting' || (job !== null && !hasEnded(job))) {
        this.#unsettled.delete(point);
        continue;
      }
      if (job === null || job.state === 'COMPLETED') {
        const since = this.#unsettled.get(point) ?? Date.now();
        this.#unsettled.set(point, since);
        if (Date.now() - since < settleMs) continue;
      }
      const error = await this.#whyLost(job);
      this.#open.delete(point);
      await onLost(point, error, job);
    }
  }

  async #whyLost(job: JobState | null): Promise<ErrorInfo> {
    if (job === null) return forgottenPoint();
    if (this.#said?.job !== job.job) {
      const said = await this.ask(this.#options.cluster.slurmSaid(this.id, job.job));
      this.#said = { job: job.job, said };
    }
    return lostPoint(job, this.#said.said);
  }
}

const inParts = (points: readonly number[], size: number): number[][] =>
  Array.from({ length: Math.ceil(points.length / size) }, (_, part) => points.slice(part * size, (part + 1) * size));

/** The job that was last submitted for each point: null where Slurm knows it no more. */
export function lastJobs({ submissions, jobs }: WorkState): (point: number) => JobState | null | 'submitting' {
  const byKey = new Map((jobs ?? []).map((job) => [`${job.submission} ${job.task}`, job]));
  const last = new Map<number, { readonly submission: Submission; readonly task: number }>();
  for (const submission of submissions) {
    for (const [task, points] of submission.tasks.entries()) {
      for (const point of points) last.set(point, { submission, task });
    }
  }
  return (point) => {
    const found = last.get(point);
    if (found === undefined) return null;
    const job = byKey.get(`${found.submission.number} ${found.task}`);
    return job ?? (found.submission.job === null ? 'submitting' : null);
  };
}

/** Whether a job of that point waits or runs, or is being submitted. */
function activeJobs(state: WorkState): (point: number) => boolean {
  const jobOf = lastJobs(state);
  return (point) => {
    const job = jobOf(point);
    return job === 'submitting' || (job !== null && !hasEnded(job));
  };
}
