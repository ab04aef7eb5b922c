/** What is said between this machine and another one: what an engine process answers, and what was kept there. */
import type { ErrorInfo } from '../../core/errors.ts';
import type { RecordedSoFar } from '../../core/service/recording.ts';
import type { EngineProcessFunctions, SupervisorFunctions } from '../engine/protocol.ts';
import type { RecordSettings } from '../record/recordSettings.ts';
import type { SlurmFunctions } from '../slurm/protocol.ts';

/** A run that goes on, or whose result nobody has fetched. */
export interface Job {
  readonly id: string;
  /** Of its experiment. */
  readonly name: string;
  readonly engine: string;
  readonly startedAt: string;
  readonly status: 'running' | 'done';
  /** Of what can be fetched. */
  readonly bytes: number;
}

/** A program of that machine, in a folder of it. */
export interface ProgramThere {
  /** What its run is called, and what whoever asks calls the machine. */
  readonly name: string;
  readonly host: string;
  readonly command: readonly [string, ...string[]];
  /** Absolute; '~' and nothing are the user's own there. */
  readonly folder: string;
  /** Beside what a login there has. */
  readonly environment: Readonly<Record<string, string>>;
  readonly settings: RecordSettings;
}

export interface ProgramRecorded {
  readonly exitCode: number;
  /** Its run; null where nothing could be recorded, and `problem` says why. */
  readonly file: Uint8Array | null;
  readonly problem: ErrorInfo | null;
}

export interface KeeperFunctions extends EngineProcessFunctions, SlurmFunctions {
  jobs(): Promise<readonly Job[]>;
  /** The run's file. */
  job(id: string): Promise<Uint8Array>;
  dropJob(id: string): Promise<void>;
  /** Runs a program with the recorder in it; cancel() asks it to end. Rejects where it can't be started. */
  record(id: string, program: ProgramThere): Promise<ProgramRecorded>;
  /** Ends a recorded program at once. What was recorded is kept. */
  endProgram(id: string): void;
}

/** What the keeper tells beside. */
export interface KeeperEvents extends SupervisorFunctions {
  recorded(id: string, counts: RecordedSoFar): void;
  printed(id: string, text: string, isError: boolean): void;
}

/** How the program there ends where it could not connect. Above what shells and sysexits.h use. */
export const endings = { notSetUp: 93, noSession: 94 } as const;

/** What the program there says before the first frame: all that came earlier is a login script's. */
export const greeting = 'copyscope-machine 1\n';
