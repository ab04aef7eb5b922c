/** One command of Copyscope as a Slurm job. Its output arrives while it runs, and its files are written on the node. */
import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SlurmSettings } from '../../core/apps/slurm/settings.ts';
import type { JobCounts } from '../../core/apps/slurm/submission.ts';
import { CopyscopeError } from '../../core/errors.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import { type JobState, jobCounts, lostPoint } from './jobs.ts';
import { settleMs } from './sweepJobs.ts';
import { exitName } from './task.ts';
import { isActive, lastJobs, type SlurmContext, SlurmWork } from './work.ts';

export interface CommandJobOptions {
  /** Words after `copyscope`. */
  readonly words: readonly string[];
  /** Parent of the job's folder, which the nodes see by the same path. */
  readonly folder: string;
  readonly engine: EngineKind;
  readonly context: SlurmContext;
  readonly settings: SlurmSettings;
  /** Fires at Ctrl-C. */
  readonly signal: AbortSignal;
  /** Asks whether the job is cancelled. It goes on if not. */
  mayCancel(): Promise<boolean>;
  readonly onSubmit: (text: string) => void;
  readonly onPrinted: (text: string, isStderr: boolean) => void;
  readonly onJobs: (jobs: JobCounts) => void;
}

const lookMs = 1000;
const askMs = 3000;

/** Resolves with the command's exit code. Rejects with `slurm.*`, or with `slurm.left` if the job goes on. */
export async function runCommandJob(options: CommandJobOptions): Promise<number> {
  const { words, engine, context, settings, signal } = options;
  const work = new SlurmWork(join(options.folder, `job-${randomBytes(4).toString('hex')}`), context);
  let isLeft = false;
  try {
    const begun = await work.begin({ words: [...words], folder: process.cwd() });
    const state = await work.submit(begun, [[0]], engine, settings, options.onSubmit);
    const printers = [printer(work, 'txt', options.onPrinted), printer(work, 'out', options.onPrinted)];
    let job: JobState | null = null;
    let [askedAt, seenAt, isCancelled] = [0, Date.now(), false];
    for (;;) {
      const code = await exitCode(work.folder);
      if (Date.now() - askedAt >= askMs) {
        const jobs = await work.jobs(state);
        options.onJobs(jobCounts(jobs));
        job = lastJobs(state, jobs)(0);
        askedAt = Date.now();
        if (isActive(job)) seenAt = askedAt;
      }
      if (job !== null || code !== null) {
        for (const print of printers) await print(`${state.submissions[0]?.job}_0`);
      }
      if (code !== null) return code;
      const isOver = !isActive(job) && (isCancelled || Date.now() - seenAt > waitMs(job));
      if (isOver && isCancelled) throw new CopyscopeError({ code: 'run.cancelled', message: 'Its job was cancelled.' });
      if (isOver) throw new CopyscopeError(lostPoint(job, job === null ? '' : await work.said(job.job)));
      if (signal.aborted && !isCancelled) {
        isLeft = !(await options.mayCancel());
        if (isLeft) throw left(work.folder);
        await work.cancel();
        isCancelled = true;
        askedAt = 0;
      }
      await pause(lookMs);
    }
  } finally {
    if (!isLeft) await rm(work.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Returns the time that a result may be missing after the job has ended, since a shared disk may show it late. */
const waitMs = (job: JobState | null): number =>
  job === null || job.state === 'COMPLETED' || job.state === 'FAILED' ? settleMs : 0;

function printer(
  work: SlurmWork,
  what: 'out' | 'txt',
  onPrinted: CommandJobOptions['onPrinted'],
): (job: string) => Promise<void> {
  const decoder = new TextDecoder();
  let from = 0;
  return async (job) => {
    for (;;) {
      const bytes = await work.printed(job, from, what);
      if (bytes.byteLength === 0) return;
      from += bytes.byteLength;
      onPrinted(decoder.decode(bytes, { stream: true }), what === 'txt');
    }
  };
}

async function exitCode(folder: string): Promise<number | null> {
  const text = await readFile(join(folder, exitName), 'utf8').catch(() => '');
  return /^\d{1,3}$/.test(text) ? Number(text) : null;
}

const left = (folder: string): CopyscopeError =>
  new CopyscopeError({
    code: 'slurm.left',
    message: 'Its job goes on.',
    remedy: `Its output is in ${folder}/output. squeue and scancel show and end it.`,
  });
