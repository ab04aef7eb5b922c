/** A recording from the window: its request, and its status while the program runs. */
import type { ErrorInfo } from '../errors.ts';

export interface StartRecording {
  /** The program and its arguments, passed on without a shell. */
  readonly command: readonly [string, ...string[]];
  /** Absolute path of the working folder; '~' is the user's home. */
  readonly folder: string;
  /** Variables in addition to the host's own. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether to leave out kernels, which cost the most. */
  readonly light: boolean;
  /** Whether to record the Python stack of each copy and waiting call. */
  readonly lines: boolean;
  /** Seconds from when CUDA is initialised, and duration from then on. */
  readonly delayS?: number | undefined;
  readonly durationS?: number | undefined;
  /** Counted from 1. */
  readonly steps?: { readonly from: number; readonly to: number } | undefined;
  /** Name of the NVTX range that is a step. */
  readonly stepRange?: string | undefined;
}

export interface RecordedSoFar {
  readonly processes: number;
  /** Size of the files that they have written. */
  readonly bytes: number;
  readonly copies: number;
  readonly kernels: number;
  readonly waits: number;
  readonly dropped: number;
}

export const nothingRecorded: RecordedSoFar = { processes: 0, bytes: 0, copies: 0, kernels: 0, waits: 0, dropped: 0 };

export interface RecordingStatus {
  readonly id: string;
  /** Name of its run. */
  readonly name: string;
  /** reading: the program has ended, and its run is made. */
  readonly phase: 'recording' | 'reading' | 'done' | 'failed';
  /** Whether a person asked it to end. */
  readonly isStopped: boolean;
  readonly counts: RecordedSoFar;
  /** Last output of the program, without terminal control sequences. */
  readonly output: string;
  /** Exit code of the program; 128 + signal number if it was killed. Null while it runs, or if it never did. */
  readonly exitCode: number | null;
  /** Id of the run of a finished recording. */
  readonly run: string | null;
  /** Error of a failed recording. */
  readonly error: ErrorInfo | null;
}

export const isUnderWay = ({ phase }: RecordingStatus): boolean => phase === 'recording' || phase === 'reading';
