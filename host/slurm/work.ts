/**
 * A folder of work for Slurm jobs, on the disk that login node and nodes share. `slurm.json` lists the submissions,
 * `output` has the jobs' output. A sweep uses its folder in the library; one command has a folder for itself.
 */
import { createHash } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { SlurmSettings } from '../../core/apps/slurm/settings.ts';
import {
  type ArrayPlan,
  type JobCounts,
  jobName,
  sbatchWords,
  scriptName,
  scriptText,
} from '../../core/apps/slurm/submission.ts';
import { mostPoints } from '../../core/apps/sweep/document.ts';
import type { ErrorInfo } from '../../core/errors.ts';
import { shellWord } from '../../core/media.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import { privately, readPart, writeWhole } from '../files/files.ts';
import { readShape, readTextIfThere } from '../files/stored.ts';
import { isActive, type JobState, jobCounts, jobsOf, lostPoint } from './jobs.ts';
import { runSlurm } from './programs.ts';

const maxBytes = 128 * 2 ** 20;
/** Limit of a job's output that is read at once. */
const maxPartBytes = 2 ** 20;
const workSchema = z.object({
  format: z.literal('copyscope/slurm'),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  submissions: z
    .array(
      z.object({
        /** Points of each job; a command has one job with point 0. */
        tasks: z
          .array(z.array(z.number().int().min(0).max(mostPoints)).min(1))
          .min(1)
          .max(mostPoints),
      }),
    )
    .max(1000),
});
export type Work = z.infer<typeof workSchema>;

/** The part of the host's context that Slurm needs. */
export interface SlurmContext {
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
}

export class SlurmWork {
  readonly folder: string;
  readonly #context: SlurmContext;

  constructor(folder: string, context: SlurmContext) {
    this.folder = folder;
    this.#context = context;
  }

  /** Rejects with `slurm.damaged`. A sweep that was never submitted has no submissions. */
  async read(): Promise<Work> {
    const path = this.#at('slurm.json');
    const text = await readTextIfThere(path, maxBytes);
    return text === null ? newWork() : parseWork(text, path);
  }

  /** Submits one array, after passing sbatch's command line and the script to `show`. Rejects with `slurm.*`. */
  async submit(
    work: Work,
    tasks: readonly (readonly number[])[],
    engine: EngineKind,
    settings: SlurmSettings,
    show: (text: string) => void,
    command?: ArrayPlan['command'],
  ): Promise<Work> {
    const { program, environment } = this.#context;
    const number = work.submissions.length;
    const start = [process.execPath, join(program, 'dist/host/cli.js')];
    const jobs = tasks.length;
    const plan: ArrayPlan = { id: this.#id(work), number, jobs, engine, settings, folder: this.folder, start, command };
    show(`sbatch ${sbatchWords(plan).map(shellWord).join(' ')}\n\n${scriptText(plan)}`);
    await mkdir(this.#at('output'), { recursive: true, mode: privately.folder });
    await writeWhole(this.#at(scriptName(number)), scriptText(plan), privately);
    const submitted = { ...work, submissions: [...work.submissions, { tasks: tasks.map((points) => [...points]) }] };
    // Written before the first job can begin.
    await this.#write(submitted);
    try {
      await runSlurm(environment, 'sbatch', sbatchWords(plan), this.folder);
    } catch (error) {
      await this.#write(work);
      throw error;
    }
    return submitted;
  }

  jobs(work: Work): Promise<JobState[]> {
    const { submissions, createdAt } = work;
    const tasks = submissions.reduce((sum, submission) => sum + submission.tasks.length, 0);
    const of = { submissions: submissions.length, tasks, since: new Date(createdAt) };
    return jobsOf(this.#context.environment, this.#id(work), of);
  }

  async cancel(): Promise<void> {
    const work = await this.read();
    for (const number of work.submissions.keys()) {
      const words = ['--quiet', `--name=${jobName(this.#id(work), number)}`];
      await runSlurm(this.#context.environment, 'scancel', words);
    }
  }

  /** Reads a job's stdout (`out`) or all else it printed from a byte on; empty if there is no more, or it has not begun. */
  printed({ submission, task }: Pick<JobState, 'submission' | 'task'>, from: number, what: 'out' | 'txt') {
    const path = this.#at(`output/${submission}_${task}.${what}`);
    return readPart(path, from, maxPartBytes).catch(() => new Uint8Array());
  }

  /** Reads the end of a job's output. */
  async said(job: JobState): Promise<string> {
    const { size } = await stat(this.#at(`output/${job.submission}_${job.task}.txt`)).catch(() => ({ size: 0 }));
    return new TextDecoder().decode(await this.printed(job, Math.max(0, size - 2000), 'txt'));
  }

  #write(work: Work): Promise<void> {
    return writeWhole(this.#at('slurm.json'), JSON.stringify(work), privately);
  }

  /** A sweep of the same folder may have had jobs before. */
  readonly #id = ({ createdAt }: Work): string =>
    createHash('sha256').update(`${this.folder}\n${createdAt}`).digest('hex').slice(0, 16);

  readonly #at = (name: string): string => join(this.folder, name);
}

/** Throws `slurm.damaged`. */
export const parseWork = (text: string, path: string): Work =>
  readShape(workSchema, text, { code: 'slurm.damaged', what: path });

const newWork = (): Work => ({
  ...{ format: 'copyscope/slurm', version: 1, createdAt: new Date().toISOString(), submissions: [] },
});

/** Returns each point's last job, or null if there is none, or Slurm doesn't know it any more. */
export function lastJobs({ submissions }: Work, jobs: readonly JobState[]): (point: number) => JobState | null {
  const byKey = new Map(jobs.map((job) => [`${job.submission} ${job.task}`, job]));
  const last = new Map<number, string>();
  for (const [number, { tasks }] of submissions.entries()) {
    for (const [task, points] of tasks.entries()) for (const point of points) last.set(point, `${number} ${task}`);
  }
  return (point) => byKey.get(last.get(point) ?? '') ?? null;
}

export interface Watching {
  readonly work: SlurmWork;
  readonly state: Work;
  /** Points without a result. */
  readonly open: Set<number>;
  /** Ends the watching; the jobs go on. */
  readonly signal?: AbortSignal;
  /** Takes results that jobs have written, and their points out of `open`. */
  collect(): Promise<void>;
  readonly onJobs: (jobs: JobCounts) => void;
  /** Endings after which a result may still appear, since a shared disk may show it late. */
  readonly lateAfter: readonly string[];
  /** Receives each point whose job ended without a result. */
  onLost(point: number, error: ErrorInfo): Promise<void>;
}

/** Intervals for looking at results and for asking Slurm, longer while nothing changes. */
const lookMs = 1000;
const [leastAskMs, mostAskMs] = [2000, 15_000];
/** Time in which a shared disk shows everything that a job wrote before its end. */
const settleMs = 120_000;

/** Resolves when no point is open. Rejects with `slurm.*`, the signal's abort, or as the given functions do. */
export async function watchJobs(watching: Watching): Promise<void> {
  const { work, state, open, signal, lateAfter } = watching;
  /** Times at which jobs were first seen ended without the result of a point, by point. */
  const endedAt = new Map<number, number>();
  let [askMs, askedAt, told]: [number, number, JobCounts | null] = [leastAskMs, 0, null];
  for (;;) {
    const jobs = Date.now() - askedAt >= askMs ? await work.jobs(state) : null;
    await watching.collect();
    if (jobs !== null) {
      askedAt = Date.now();
      const counts = jobCounts(jobs);
      askMs = isDeepStrictEqual(counts, told) ? Math.min(mostAskMs, askMs * 1.5) : leastAskMs;
      told = counts;
      watching.onJobs(counts);
      const jobOf = lastJobs(state, jobs);
      for (const point of [...open]) {
        const job = jobOf(point);
        if (isActive(job)) {
          endedAt.delete(point);
          continue;
        }
        const since = endedAt.get(point) ?? askedAt;
        endedAt.set(point, since);
        if ((job === null || lateAfter.includes(job.state)) && askedAt - since < settleMs) continue;
        open.delete(point);
        await watching.onLost(point, lostPoint(job, job === null ? '' : await work.said(job)));
      }
    }
    if (open.size === 0) return;
    await pause(lookMs, undefined, signal === undefined ? {} : { signal });
  }
}
