/** A program that is recorded from the window: what is asked for, and what is told of it while it runs. */
import type { ErrorInfo } from '../errors.ts';

export interface StartRecording {
  /** The program and its words, as it gets them: no shell comes between. */
  readonly command: readonly [string, ...string[]];
  /** Where it runs, absolute; '~' is the user's own. */
  readonly folder: string;
  /** Beside what the host itself has. */
  readonly environment: Readonly<Record<string, string>>;
  /** Without kernels, which cost the most. */
  readonly light: boolean;
  /** With the Python stack of each copy and waiting call. */
  readonly lines: boolean;
  /** Seconds from when CUDA is initialised, and from then on. */
  readonly delayS?: number | undefined;
  readonly durationS?: number | undefined;
  /** Counted from 1. */
  readonly steps?: { readonly from: number; readonly to: number } | undefined;
  /** Name of the NVTX range that is a step. */
  readonly stepRange?: string | undefined;
}

export interface RecordedSoFar {
  readonly processes: number;
  /** Of the files that they have written. */
  readonly bytes: number;
  readonly copies: number;
  readonly kernels: number;
  readonly waits: number;
  readonly dropped: number;
}

export const nothingRecorded: RecordedSoFar = { processes: 0, bytes: 0, copies: 0, kernels: 0, waits: 0, dropped: 0 };

export interface RecordingStatus {
  readonly id: string;
  /** What its run is called. */
  readonly name: string;
  /** reading: the program has ended, and its run is made. */
  readonly phase: 'recording' | 'reading' | 'done' | 'failed';
  readonly startedAt: string;
  /** It was asked to end before it ended by itself. */
  readonly isStopped: boolean;
  readonly counts: RecordedSoFar;
  /** What the program printed last, without what only a terminal shows. */
  readonly output: string;
  /** The program's own; 128 and the signal's number where it was killed. Null while it runs, or where it never did. */
  readonly exitCode: number | null;
  /** Of a recording that is done. */
  readonly run: string | null;
  /** Of one that failed. */
  readonly error: ErrorInfo | null;
}

export const isUnderWay = ({ phase }: RecordingStatus): boolean => phase === 'recording' || phase === 'reading';
