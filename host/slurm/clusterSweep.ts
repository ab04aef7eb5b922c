/**
 * A sweep whose points Slurm runs. It is kept in the library as every sweep is, point by point as results come; the same
 * command goes on with it, be it in progress, cancelled, or ended with points that nodes and time limits took.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { SweepOutcome } from '../../core/service/service.ts';
import type { SweepPlan } from '../../core/sweep/plan.ts';
import { doneOutcome, type KeptSweep } from '../service/keptSweep.ts';
import type { SweepStore } from '../service/sweepStore.ts';
import type { Cluster } from './cluster.ts';
import { hasEnded } from './jobs.ts';
import type { JobState, Submission, WorkState } from './protocol.ts';
import { readResult } from './result.ts';
import type { SlurmSettings } from './settings.ts';
import { forgottenPoint, lostCode, lostPoint } from './words.ts';
import { type Work, workId } from './work.ts';

export interface ClusterSweepOptions {
  readonly cluster: Cluster;
  readonly host: string | null;
  readonly plan: SweepPlan;
  readonly work: Work;
  readonly settings: SlurmSettings;
  readonly store: SweepStore;
  /** Points that each job runs. */
  readonly pointsPerJob: number;
  /** Whether points that failed by themselves are run again. */
  readonly again: boolean;
  readonly signal: AbortSignal;
  /** How long a disk that several machines share may take to show what a job wrote before it ended well. */
  readonly settleMs?: number;
  /** What is about to be submitted: sbatch's command line and the script. */
  readonly onSubmit: (text: string, points: number) => void;
  readonly onProgress: (progress: ClusterProgress) => void;
}

export interface ClusterProgress {
  readonly done: number;
  readonly failed: number;
  readonly all: number;
  readonly running: number;
  readonly waiting: number;
  /** Why those that wait do so, in Slurm's word. */
  readonly reason: string;
}

/** How often results are looked for on the disk, and Slurm is asked: less often while nothing changes. */
const lookMs = 1000;
const [leastAskMs, mostAskMs] = [2000, 15_000];
const standardSettleMs = 120_000;

/** Resolves with the sweep once nothing of it is in progress. Rejects with `slurm.*`, `host.*`, or the signal's abort. */
export async function runOnCluster(options: ClusterSweepOptions): Promise<KeptSweep> {
  const sweep = new ClusterSweep(options);
  return sweep.run();
}

class ClusterSweep {
  readonly #options: ClusterSweepOptions;
  readonly #id: string;
  readonly #outcomes = new Map<number, SweepOutcome>();
  /** Points of jobs that were submitted, without a result yet. */
  readonly #open = new Set<number>();
  /** When a job was first seen to have ended well without a result of a point. */
  readonly #unsettled = new Map<number, number>();
  #kept: KeptSweep | null = null;
  /** The last output that was asked for: a job may have had many points. */
  #said: { readonly job: string; readonly said: string } | null = null;

  constructor(options: ClusterSweepOptions) {
    this.#options = options;
    this.#id = workId(options.work);
  }

  async run(): Promise<KeptSweep> {
    const { cluster, work, store } = this.#options;
    let state = await this.#ask(cluster.slurmOpen(this.#id, work));
    await this.#find();
    await this.#takeIn(state, (point) => this.#outcomes.get(point)?.status !== 'done');
    const isActive = activeJobs(state);
    const wanted = this.#wanted();
    const toSubmit = wanted.filter((point) => !isActive(point));
    for (const point of wanted) this.#open.add(point);
    if (toSubmit.length > 0) state = await this.#submit(state, toSubmit);
    await this.#watch(state);
    const kept = await store.read(await this.#keptId());
    // All that it was for is in the library.
    if (kept.outcomes.length === kept.points && !kept.outcomes.some(isLost)) await cluster.slurmDrop(this.#id);
    return kept;
  }

  /** The library's sweep that goes on, where there is one. */
  async #find(): Promise<void> {
    const { store, host, again } = this.#options;
    const found = await store.onCluster(host, this.#id);
    const isOpen = (one: SweepOutcome): boolean => isLost(one) || (again && one.status === 'failed');
    if (found === null || (found.outcomes.length === found.points && !found.outcomes.some(isOpen))) return;
    this.#kept = found;
    for (const outcome of found.outcomes) this.#outcomes.set(outcome.point, outcome);
  }

  /** Of the library's sweep. Another one is made once there is something to keep in it: jobs, or results. */
  async #keptId(): Promise<string> {
    const { store, host, plan, work } = this.#options;
    this.#kept ??= await store.create({
      createdAt: new Date().toISOString(),
      engine: work.engine,
      profile: work.profile?.name ?? null,
      iterations: work.iterations,
      device: work.profile?.name ?? (work.engine === 'cpu' ? 'CPU' : 'GPU'),
      points: plan.count,
      slurm: { host, work: this.#id },
      sweep: plan.document,
    });
    return this.#kept.id;
  }

  /** Points that are to be run, or run already. */
  #wanted(): number[] {
    const { plan, again } = this.#options;
    return Array.from({ length: plan.count }, (_, point) => point).filter((point) => {
      const outcome = this.#outcomes.get(point);
      return outcome === undefined || isLost(outcome) || (again && outcome.status === 'failed');
    });
  }

  async #submit(state: WorkState, points: readonly number[]): Promise<WorkState> {
    const { cluster, settings, pointsPerJob, onSubmit } = this.#options;
    const number = (state.submissions.at(-1)?.number ?? -1) + 1;
    const tasks = inParts(points, pointsPerJob);
    onSubmit(await this.#ask(cluster.slurmShow(this.#id, number, tasks.length, settings)), points.length);
    try {
      // Where it is not ours, somebody else has submitted the same at the same moment.
      await this.#ask(cluster.slurmSubmit(this.#id, number, tasks, settings));
    } catch (error) {
      if (number === 0 && !this.#options.signal.aborted) await cluster.slurmDrop(this.#id).catch(() => {});
      throw error;
    }
    await this.#keptId();
    return this.#ask(cluster.slurmLook(this.#id, true));
  }

  async #watch(first: WorkState): Promise<void> {
    const { cluster, signal } = this.#options;
    let [askMs, askedAt, told] = [leastAskMs, Date.now(), ''];
    for (let state = first; ; ) {
      await this.#takeIn(state, (point) => this.#open.has(point));
      if (state.jobs !== null) {
        const now = this.#tell(state);
        askMs = now === told ? Math.min(mostAskMs, askMs * 1.5) : leastAskMs;
        [told, askedAt] = [now, Date.now()];
        await this.#settle(state);
      }
      if (this.#open.size === 0) return;
      await pause(lookMs, undefined, { signal });
      state = await this.#ask(cluster.slurmLook(this.#id, Date.now() - askedAt >= askMs));
    }
  }

  /** Fetches results and keeps them here. */
  async #takeIn({ reached }: WorkState, isWanted: (point: number) => boolean): Promise<void> {
    const { cluster } = this.#options;
    let left = reached.filter(isWanted);
    while (left.length > 0) {
      const files = await this.#ask(cluster.slurmTake(this.#id, left));
      const id = await this.#keptId();
      for (const file of files) await this.#keep(outcomeOf(id, file), file.run);
      left = left.slice(files.length);
    }
  }

  async #keep(outcome: SweepOutcome, run: Uint8Array | null): Promise<void> {
    const { store } = this.#options;
    const before = this.#outcomes.get(outcome.point);
    this.#open.delete(outcome.point);
    // What failed before and is to be run again is not told anew.
    if (outcome.status === 'failed' && before?.status === 'failed' && !isLost(before) && !this.#options.again) return;
    const id = await this.#keptId();
    if (outcome.status === 'done' && run !== null) await store.addRun(id, outcome.point, run);
    await store.addOutcome(id, outcome);
    this.#outcomes.set(outcome.point, outcome);
  }

  /** Points whose job has ended without them are done with, for now. */
  async #settle(state: WorkState): Promise<void> {
    const { settleMs = standardSettleMs } = this.#options;
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
      await this.#keep({ point, status: 'failed', error: await this.#whyLost(job) }, null);
    }
  }

  async #whyLost(job: JobState | null): Promise<ErrorInfo> {
    if (job === null) return forgottenPoint();
    if (this.#said?.job !== job.job) {
      const said = await this.#ask(this.#options.cluster.slurmSaid(this.#id, job.job));
      this.#said = { job: job.job, said };
    }
    return lostPoint(job, this.#said.said);
  }

  /** Says how it stands, and gives that as one text: what has changed if it is another one. */
  #tell(state: WorkState): string {
    const { plan, onProgress } = this.#options;
    const active = (state.jobs ?? []).filter((job) => !hasEnded(job));
    const waiting = active.filter((job) => job.state === 'PENDING');
    const failed = [...this.#outcomes.values()].filter((outcome) => outcome.status === 'failed').length;
    const progress = {
      done: this.#outcomes.size - failed,
      failed,
      all: plan.count,
      running: active.length - waiting.length,
      waiting: waiting.length,
      reason: waiting.find(({ reason }) => reason !== '')?.reason ?? '',
    };
    onProgress(progress);
    return JSON.stringify(progress);
  }

  /** Ctrl-C doesn't wait for an answer. */
  async #ask<Answer>(answer: Promise<Answer>): Promise<Answer> {
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
}

const isLost = (outcome: SweepOutcome): boolean => outcome.status === 'failed' && outcome.error.code === lostCode;

/** What comes back is checked as any file from elsewhere; what can't be read is that point's failure. */
function outcomeOf(id: string, file: Parameters<typeof readResult>[0]): SweepOutcome {
  try {
    const result = readResult(file);
    return result.status === 'done' ? doneOutcome(id, result.point, { ...result, madeHere: true }) : result;
  } catch (error) {
    return { point: file.point, status: 'failed', error: toErrorInfo(error) };
  }
}

const inParts = (points: readonly number[], size: number): number[][] =>
  Array.from({ length: Math.ceil(points.length / size) }, (_, part) => points.slice(part * size, (part + 1) * size));

/** The job that was last submitted for each point: null where Slurm knows it no more. */
function lastJobs({ submissions, jobs }: WorkState): (point: number) => JobState | null | 'submitting' {
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
