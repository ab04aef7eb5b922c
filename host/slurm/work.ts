/**
 * A folder of work for Slurm jobs, on the disk that login node and nodes share. `slurm.json` lists the submissions,
 * `output` has the jobs' output. A sweep uses its folder in the library; one command has a folder for itself.
 */
import { createHash } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { SlurmSettings } from '../../core/apps/slurm/settings.ts';
import { type ArrayPlan, jobName, sbatchWords, scriptName, scriptText } from '../../core/apps/slurm/submission.ts';
import { mostPoints } from '../../core/apps/sweep/document.ts';
import { CopyscopeError } from '../../core/errors.ts';
import { shellWord } from '../../core/media.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import { privately, readPart, writeWhole } from '../files/files.ts';
import { readShape, readTextIfThere } from '../files/stored.ts';
import { accountedJobs, hasEnded, type JobState, mostJobs, queuedJobs } from './jobs.ts';
import { slurmPrograms } from './programs.ts';

const maxBytes = 128 * 2 ** 20;
/** Limit of a job's output that is read at once. */
const maxPartBytes = 2 ** 20;
const workSchema = z.object({
  format: z.literal('copyscope/slurm'),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  /** Words after `copyscope`, and the folder in which they run; null for a sweep. */
  command: z.object({ words: z.array(z.string().max(131_072)).max(4096), folder: z.string().max(4096) }).nullable(),
  submissions: z
    .array(
      z.object({
        /** Slurm's number of the array. */
        job: z.string().regex(/^\d{1,12}$/),
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
  readonly #start: readonly string[];
  readonly #programs: ReturnType<typeof slurmPrograms>;

  constructor(folder: string, { program, environment }: SlurmContext) {
    this.folder = folder;
    this.#start = [process.execPath, join(program, 'dist/host/cli.js')];
    this.#programs = slurmPrograms(environment);
  }

  /** Rejects with `slurm.damaged`. A sweep that was never submitted has no submissions. */
  async read(): Promise<Work> {
    const path = this.#at('slurm.json');
    const text = await readTextIfThere(path, maxBytes);
    return text === null ? newWork(null) : parseWork(text, path);
  }

  /** Submits one array, after passing sbatch's command line and the script to `show`. Rejects with `slurm.*`. */
  async submit(
    work: Work,
    tasks: readonly (readonly number[])[],
    engine: EngineKind,
    settings: SlurmSettings,
    show: (text: string) => void,
  ): Promise<Work> {
    const number = work.submissions.length;
    const plan: ArrayPlan = {
      ...{ id: this.#id, number, jobs: tasks.length, engine, settings },
      ...{ folder: this.folder, start: this.#start },
    };
    const most = await mostJobs(this.#programs);
    if (most !== null && tasks.length > most) throw tooMany(tasks, most);
    show(`sbatch ${sbatchWords(plan).map(shellWord).join(' ')}\n\n${scriptText(plan)}`);
    await mkdir(this.#at('output'), { recursive: true, mode: privately.folder });
    await writeWhole(this.#at(scriptName(number)), scriptText(plan), privately);
    const withJob = (job: string): Work => ({
      ...work,
      submissions: [...work.submissions, { job, tasks: tasks.map((points) => [...points]) }],
    });
    // Written before the first job can begin.
    await this.#write(withJob(unnumbered));
    try {
      const printed = await this.#programs.run('sbatch', sbatchWords(plan), this.folder);
      const submitted = withJob(/^(\d{1,12})(;|\s*$)/.exec(printed.trim())?.[1] ?? unnumbered);
      await this.#write(submitted);
      return submitted;
    } catch (error) {
      await this.#write(work);
      throw error;
    }
  }

  /** Asks squeue, and sacct for jobs that squeue has forgotten. */
  async jobs({ submissions, createdAt }: Work): Promise<JobState[]> {
    // A sweep of the same name may have had jobs before.
    const isOwn = ({ submission, job }: JobState): boolean => {
      const array = submissions[submission]?.job;
      return array === unnumbered || job.startsWith(`${array}_`);
    };
    const listed = (await queuedJobs(this.#programs, this.#id, submissions.length)).filter(isOwn);
    const all = submissions.reduce((sum, { tasks }) => sum + tasks.length, 0);
    if (listed.length === all) return listed;
    const known = new Set(listed.map(({ job }) => job));
    const since = new Date(createdAt);
    const accounted = await accountedJobs(this.#programs, this.#id, submissions.length, since);
    return [...listed, ...accounted.filter((job) => isOwn(job) && !known.has(job.job))];
  }

  async cancel(): Promise<void> {
    const { submissions } = await this.read();
    for (const number of submissions.keys()) {
      await this.#programs.run('scancel', ['--quiet', `--name=${jobName(this.#id, number)}`]);
    }
  }

  /** Reads a job's stdout (`out`) or all else it printed from a byte on; empty if there is no more, or it has not begun. */
  printed(job: string, from: number, what: 'out' | 'txt' = 'txt'): Promise<Uint8Array> {
    return readPart(this.#output(job, what), from, maxPartBytes).catch(() => new Uint8Array());
  }

  /** Reads the end of a job's output. */
  async said(job: string): Promise<string> {
    const { size } = await stat(this.#output(job, 'txt')).catch(() => ({ size: 0 }));
    return new TextDecoder().decode(await this.printed(job, Math.max(0, size - 2000)));
  }

  /** Begins a folder for one command. */
  async begin(command: NonNullable<Work['command']>): Promise<Work> {
    const work = newWork(command);
    await mkdir(this.folder, { recursive: true, mode: privately.folder });
    await this.#write(work);
    return work;
  }

  readonly #output = (job: string, what: 'out' | 'txt'): string => this.#at(`output/${job}.${what}`);

  #write(work: Work): Promise<void> {
    return writeWhole(this.#at('slurm.json'), JSON.stringify(work), privately);
  }

  get #id(): string {
    return createHash('sha256').update(this.folder).digest('hex').slice(0, 16);
  }

  #at(name: string): string {
    return join(this.folder, name);
  }
}

/** Stands for an array's number until sbatch has printed it. */
const unnumbered = '0';

/** Throws `slurm.damaged`. */
export const parseWork = (text: string, path: string): Work =>
  readShape(workSchema, text, { code: 'slurm.damaged', what: path });

const newWork = (command: Work['command']): Work => ({
  ...{ format: 'copyscope/slurm', version: 1, createdAt: new Date().toISOString(), command, submissions: [] },
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

export const isActive = (job: JobState | null): boolean => job !== null && !hasEnded(job);

function tooMany(tasks: readonly (readonly number[])[], most: number): CopyscopeError {
  const points = tasks.flat().length;
  return new CopyscopeError({
    code: 'slurm.array-size',
    field: '--points-per-job',
    message: `An array of this cluster has at most ${most} jobs (MaxArraySize), and this one has ${tasks.length}.`,
    remedy: `Give each job several points: --points-per-job ${Math.ceil(points / most)}`,
  });
}
