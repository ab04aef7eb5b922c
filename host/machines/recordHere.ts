/** What the keeper does to record a program. Comes when one is asked for: nothing else there needs any of it. */
import { toErrorInfo } from '../../core/errors.ts';
import type { RecordedSoFar } from '../../core/service/recording.ts';
import { encodeRun } from '../../core/trace/arrow.ts';
import { programFolder, programVersion } from '../paths.ts';
import { checkProgram, withEnd } from '../record/ownProgram.ts';
import { readRecordingFolder, recordProgram, removeRecordingFolder } from '../record/recordProgram.ts';
import type { ProgramRecorded, ProgramThere } from './protocol.ts';
import { partsIn } from './recordingFolder.ts';

export interface RecordHereHooks {
  /** An empty folder for what is recorded, which goes when it is read. */
  readonly within: string;
  readonly signal: AbortSignal;
  readonly killed: AbortSignal;
  /** Who ends the program where a signal does, as its run says it. */
  readonly stopper?: string;
  readonly onCounts: (counts: RecordedSoFar) => void;
  readonly onOutput: (text: string, isError: boolean) => void;
  /** Hears where what is recorded goes, and which process is recorded: whoever ends before it can be followed by another. */
  readonly onStarted: (parts: string, pid: number) => void;
}

/** A program may save something when it is asked to end. */
const patienceMs = 10_000;

/** Rejects with `engine.unavailable` or `usage.*` where it can't be started. */
export async function recordHere(
  { name, host, settings, ...program }: ProgramThere,
  { within, signal, killed, stopper = 'the machine that asked for it', onCounts, onOutput, onStarted }: RecordHereHooks,
): Promise<ProgramRecorded> {
  const parts = partsIn(within);
  try {
    const { environment, folder } = await checkProgram(program, settings, process.env);
    const exitCode = await recordProgram({
      command: program.command,
      settings,
      environment,
      folder: parts,
      signal,
      patienceMs,
      onCounts,
      own: { folder, killed, onOutput, onStarted: (pid) => onStarted(parts, pid) },
    });
    try {
      const recorded = await readRecordingFolder(parts, name, programVersion(programFolder()));
      const stoppedFrom = signal.aborted || killed.aborted ? stopper : null;
      return { exitCode, file: encodeRun(withEnd(recorded, { exitCode, stoppedFrom, host })), problem: null };
    } catch (thrown) {
      return { exitCode, file: null, problem: toErrorInfo(thrown) };
    }
  } finally {
    await removeRecordingFolder(within);
  }
}
