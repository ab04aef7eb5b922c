/** One command of Copyscope as a Slurm job. Its output arrives while it runs, and its files are written on the node. */
import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SlurmSettings } from '../../core/apps/slurm/settings.ts';
import { exitName, type JobCounts } from '../../core/apps/slurm/submission.ts';
import { CopyscopeError, type ErrorInfo } from '../../core/errors.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import { type SlurmContext, SlurmWork, watchJobs } from './work.ts';

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

/** Resolves with the command's exit code. Rejects with `slurm.*`, or with `slurm.left` if the job goes on. */
export async function runCommandJob(options: CommandJobOptions): Promise<number> {
  const { words, engine, context, settings, signal, onJobs } = options;
  const work = new SlurmWork(join(options.folder, `job-${randomBytes(4).toString('hex')}`), context);
  let isLeft = false;
  try {
    const command = { words, folder: process.cwd() };
    const state = await work.submit(await work.read(), [[0]], engine, settings, options.onSubmit, command);
    const printers = [printer(work, 'txt', options.onPrinted), printer(work, 'out', options.onPrinted)];
    const open = new Set([0]);
    let exitCode = '';
    const collect = async (): Promise<void> => {
      exitCode = await readFile(join(work.folder, exitName), 'utf8').catch(() => '');
      for (const print of printers) await print();
      if (/^\d+\n$/.test(exitCode)) open.delete(0);
    };
    const watching = { work, state, open, collect, onJobs };
    const onLost = async (_: number, error: ErrorInfo): Promise<void> => {
      throw new CopyscopeError(error);
    };
    try {
      await watchJobs({ ...watching, signal, lateAfter: ['COMPLETED', 'FAILED'], onLost });
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
      isLeft = !(await options.mayCancel());
      if (isLeft) throw left(work.folder);
      await work.cancel();
      await watchJobs({ ...watching, lateAfter: [], onLost: cancelled });
    }
    return Number(exitCode);
  } finally {
    if (!isLeft) await rm(work.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function printer(work: SlurmWork, what: 'out' | 'txt', onPrinted: CommandJobOptions['onPrinted']): () => Promise<void> {
  const decoder = new TextDecoder();
  let from = 0;
  return async () => {
    for (;;) {
      const bytes = await work.printed({ submission: 0, task: 0 }, from, what);
      if (bytes.byteLength === 0) return;
      from += bytes.byteLength;
      onPrinted(decoder.decode(bytes, { stream: true }), what === 'txt');
    }
  };
}

const cancelled = async (): Promise<void> => {
  throw new CopyscopeError({ code: 'run.cancelled', message: 'Its job was cancelled.' });
};

const left = (folder: string): CopyscopeError =>
  new CopyscopeError({
    code: 'slurm.left',
    message: 'Its job goes on.',
    remedy: `Its output is in ${folder}/output. squeue and scancel show and end it.`,
  });
