/** One thing that a job of Slurm's does: a calibration, or a program that is recorded. What it prints comes while it runs. */
import { CopyscopeError, type ErrorInfo } from '../../core/errors.ts';
import type { JobCounts } from '../../core/slurm/jobWords.ts';
import { hasEnded } from './jobs.ts';
import type { PointFiles, WorkState } from './protocol.ts';
import { jobCounts, lastJobs, type WatchOptions, WorkWatch } from './watch.ts';
import { endedWords } from './words.ts';
import type { CalibrationWork, RecordingWork } from './work.ts';

export interface ClusterOneOptions<Result>
  extends Pick<WatchOptions, 'cluster' | 'settings' | 'signal' | 'settleMs' | 'onSubmit'> {
  readonly work: CalibrationWork | RecordingWork;
  /** Cancels its job; what that leaves is waited for. */
  readonly stop: AbortSignal;
  /** Checks what the job left; throws what it failed with. */
  readonly read: (files: PointFiles) => Result;
  /** Only then is it deleted there. */
  readonly keep: (result: Result) => Promise<void>;
  readonly onJobs: (counts: JobCounts) => void;
  readonly onPrinted: (text: string) => void;
}

export interface OneEnded<Result> {
  readonly result: Result;
  /** How Slurm ended its job, where the job says that it did. */
  readonly ended: string | null;
}

/**
 * Whoever asks for the same again goes on with it. Rejects with `run.cancelled` where it was stopped and left nothing, with
 * `slurm.*`, with what read() throws and keep() rejects with, or with the signal's abort: then its job goes on.
 */
export async function runOne<Result>(
  options: ClusterOneOptions<Result>,
  wasStopped: (result: Result) => boolean = () => false,
): Promise<OneEnded<Result>> {
  const { cluster, work, settings, signal, settleMs, stop, read, keep, onSubmit, onJobs, onPrinted } = options;
  const printed = new Printed(options, onPrinted);
  const came: { files?: PointFiles; lost?: ErrorInfo; read?: Result } = {};
  const watch = new WorkWatch({
    ...{ cluster, work, settings, signal, settleMs, onSubmit },
    onSubmitted: async () => {
      if (stop.aborted) await watch.ask(cluster.slurmCancel(watch.id));
    },
    onFiles: async (found) => {
      came.files = found;
    },
    onLost: async (_, error) => {
      came.lost = error;
    },
    onJobs: (jobs) => {
      const counts = jobCounts(jobs);
      onJobs(counts);
      return counts;
    },
    onLook: (state) => printed.next(watch, state),
  });
  const cancel = (): void => void cluster.slurmCancel(watch.id).catch(() => {});
  stop.addEventListener('abort', cancel);
  try {
    const state = await watch.open();
    await watch.takeIn(state, () => true);
    if (came.files === undefined) await watch.run(state, [0], 1);
    await printed.next(watch, await watch.ask(cluster.slurmLook(watch.id, false)));
    if (came.files === undefined) throw whyNothing(came.lost, stop);
    const result = read(came.files);
    came.read = result;
    await keep(result);
    const ended = wasStopped(result) ? await howEnded(options, watch) : null;
    await watch.drop();
    return { result, ended };
  } catch (thrown) {
    // Of a job that left nothing that can be used there is nothing to go on with.
    const isOver = came.lost !== undefined || (came.files !== undefined && came.read === undefined);
    if (isOver && !signal.aborted) await watch.drop().catch(() => {});
    throw thrown;
  } finally {
    stop.removeEventListener('abort', cancel);
  }
}

function whyNothing(lost: ErrorInfo | undefined, stop: AbortSignal): CopyscopeError {
  if (stop.aborted || lost === undefined) {
    return new CopyscopeError({ code: 'run.cancelled', message: 'Its job was cancelled, and left no result.' });
  }
  return new CopyscopeError(lost);
}

/** In Slurm's words, once it calls the job ended: a job keeps its result before that. */
async function howEnded(
  { cluster }: Pick<ClusterOneOptions<unknown>, 'cluster'>,
  watch: WorkWatch,
): Promise<string | null> {
  for (let asked = 0; asked < mostAsked; asked += 1) {
    const job = lastJobs(await watch.ask(cluster.slurmLook(watch.id, true)))(0);
    if (job === null) return null;
    if (job !== 'submitting' && hasEnded(job)) return endedWords(job);
    await watch.pause();
  }
  return null;
}

/** A job whose program has ended ends soon. Where Slurm takes longer, its word is done without. */
const mostAsked = 60;

/** The output of the last job, from where it was read last. */
class Printed {
  readonly #cluster: ClusterOneOptions<unknown>['cluster'];
  readonly #onPrinted: (text: string) => void;
  #decoder = new TextDecoder();
  #job: string | null = null;
  #from = 0;

  constructor({ cluster }: Pick<ClusterOneOptions<unknown>, 'cluster'>, onPrinted: (text: string) => void) {
    this.#cluster = cluster;
    this.#onPrinted = onPrinted;
  }

  async next(watch: WorkWatch, { submissions }: WorkState): Promise<void> {
    const array = submissions.at(-1)?.job ?? '';
    if (array === '') return;
    const job = `${array}_0`;
    if (job !== this.#job) {
      this.#decoder = new TextDecoder();
      this.#from = 0;
    }
    this.#job = job;
    for (;;) {
      const bytes = await watch.ask(this.#cluster.slurmPrinted(watch.id, job, this.#from));
      if (bytes.byteLength === 0) return;
      this.#from += bytes.byteLength;
      this.#onPrinted(this.#decoder.decode(bytes, { stream: true }));
    }
  }
}
