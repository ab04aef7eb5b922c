/** What a job runs on its node that is no sweep: a calibration, or a program that is recorded. Its result is kept as point 0. */
import { toErrorInfo } from '../../core/errors.ts';
import { calibrateEngine } from '../calibrate/calibrateEngine.ts';
import type { EngineSupervisor } from '../engine/supervisor.ts';
import { recordHere } from '../machines/recordHere.ts';
import { lastingFolder } from '../service/temporaryFolder.ts';
import { calibratedText, failedText, recordedText } from './oneResult.ts';
import type { CalibrationWork, RecordingWork } from './work.ts';
import type { WorkFolder } from './workFolder.ts';

export interface OneTask {
  readonly place: WorkFolder;
  /** As whoever reads the result knows the node. */
  readonly host: string;
  /** Fires where Slurm ends the job. */
  readonly signal: AbortSignal;
}

/** Gives the program's own exit code. What it prints goes to the job's output. */
export async function recordTask(work: RecordingWork, { place, host, signal }: OneTask): Promise<number> {
  const { name, command, folder, settings } = work;
  try {
    const { file, exitCode, problem } = await recordHere(
      { name, host, command: [...command], folder, environment: {}, settings },
      {
        // Slurm's signal ends the program, and what was recorded by then is read.
        within: lastingFolder(),
        signal,
        killed: new AbortController().signal,
        stopper: 'Slurm',
        onCounts: () => {},
        onStarted: () => {},
        onOutput: (text, isError) => void (isError ? process.stderr : process.stdout).write(text),
      },
    );
    await place.keepTexts(0, recordedText({ exitCode, problem, stopped: signal.aborted }), file);
    return exitCode;
  } catch (thrown) {
    await place.keepTexts(0, failedText(toErrorInfo(thrown)), null);
    return 1;
  }
}

/** Rejects with `run.cancelled` where Slurm ends it: then there is nothing to keep. */
export async function calibrateTask(
  { engine: kind, profile, base, quick }: CalibrationWork,
  { place, host, signal }: OneTask,
  engine: EngineSupervisor,
): Promise<void> {
  const request = { engine: kind, profile: profile?.name, base, quick, host };
  const assets = { readProfile: async () => profile?.json };
  const onProgress = (done: number, total: number, what: string): void =>
    void process.stdout.write(`Calibrating ${done}/${total}: ${what}\n`);
  try {
    const calibration = await calibrateEngine(request, { engine, assets, signal, onProgress });
    await place.keepTexts(0, calibratedText(calibration), null);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    await place.keepTexts(0, failedText(toErrorInfo(thrown)), null);
  }
}
