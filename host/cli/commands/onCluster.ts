/** Calibrations and recordings as one job of a cluster, watched from here: Ctrl-C cancels it, and what it left comes all the same. */
import { CopyscopeError } from '../../../core/errors.ts';
import { jobWords } from '../../../core/slurm/jobWords.ts';
import type { Calibration } from '../../calibrate/calibrateEngine.ts';
import { dataFolder } from '../../paths.ts';
import { type ClusterOneOptions, type OneEnded, runOne } from '../../slurm/clusterOne.ts';
import { type RecordedThere, readCalibrated, readRecorded } from '../../slurm/oneResult.ts';
import { calibrationWork, type ProgramAsJob, recordingWork } from '../../slurm/oneWork.ts';
import { SlurmSettingsStore } from '../../slurm/settingsStore.ts';
import { clusterOf } from '../clusterOf.ts';
import type { Context } from '../io.ts';
import { statusLine } from '../progress.ts';
import type { CalibrateOptions } from './calibrate.ts';
import type { Tools } from './run.ts';

/** `copyscope record --slurm`. What the program prints comes to stdout, as Slurm writes both of its outputs into one. */
export function recordedOnCluster(
  context: Context,
  host: string | null,
  program: ProgramAsJob,
  keep: (recorded: RecordedThere) => Promise<void>,
): Promise<OneEnded<RecordedThere>> {
  const work = recordingWork(host, program);
  const print = (text: string): void => context.terminal.printed(text, false);
  return oneOnCluster(context, host, { work, read: readRecorded, keep, wasStopped: ({ stopped }) => stopped, print });
}

/** `copyscope calibrate --slurm`. */
export async function calibrateOnCluster(
  { context, assets }: Tools,
  options: CalibrateOptions,
  keep: (calibration: Calibration) => Promise<void>,
): Promise<void> {
  const host = options.host ?? null;
  const work = await calibrationWork(assets, host, options);
  await oneOnCluster(context, host, {
    work,
    read: readCalibrated,
    keep,
    print: options.json ? () => {} : (text) => context.terminal.printed(text, true),
  });
}

interface One<Result> extends Pick<ClusterOneOptions<Result>, 'work' | 'read' | 'keep'> {
  readonly wasStopped?: (result: Result) => boolean;
  readonly print: (text: string) => void;
}

/** Rejects with `host.left` where its job goes on, and else as runOne() does. */
async function oneOnCluster<Result>(
  context: Context,
  host: string | null,
  { work, read, keep, wasStopped, print }: One<Result>,
): Promise<OneEnded<Result>> {
  const { terminal, environment, signal: stop } = context;
  const settings = await new SlurmSettingsStore(dataFolder(environment)).get(host);
  const left = new AbortController();
  let [isUp, wasUp] = [host === null, host === null];
  const cluster = await clusterOf(host ?? undefined, context, {
    signal: left.signal,
    onLine: (state) => {
      isUp = state === 'up';
      wasUp ||= isUp;
    },
  });
  const line = statusLine(terminal);
  // Without a line nothing there can be cancelled, and whoever stops it doesn't wait for one.
  const stopped = (): void => (isUp ? line.show('Cancelling its job') : left.abort());
  stop.addEventListener('abort', stopped);
  try {
    return await runOne(
      {
        ...{ cluster, work, settings, stop, read, keep, signal: left.signal },
        onSubmit: (text) => terminal.err(['A job is submitted with', '', ...text.split('\n')]),
        onJobs: (counts) => line.show(jobWords(counts)),
        onPrinted: (text) => {
          line.clear();
          print(text);
        },
      },
      wasStopped,
    );
  } catch (thrown) {
    throw left.signal.aborted ? (wasUp ? goesOn() : notBegun()) : thrown;
  } finally {
    line.clear();
    stop.removeEventListener('abort', stopped);
    cluster.close();
  }
}

const notBegun = (): CopyscopeError =>
  new CopyscopeError({ code: 'run.cancelled', message: 'There was no line yet, and nothing was submitted.' });

const goesOn = (): CopyscopeError =>
  new CopyscopeError({
    code: 'host.left',
    message: 'There is no line to its job, which goes on.',
    remedy: 'The same command watches it again, or fetches what it left.',
  });
