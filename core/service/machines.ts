/** Other machines, as windows see them: what is known of each, and what is done with it. */
import type { ErrorInfo } from '../errors.ts';
import type { DeviceReport } from '../program/engine.ts';
import type { JobCounts } from '../slurm/jobWords.ts';
import type { SlurmSettings } from '../slurm/settings.ts';

/** A calibration that a job of a cluster makes. */
export interface ClusterCalibration {
  readonly isUnderWay: boolean;
  /** Null until Slurm has told. */
  readonly jobs: JobCounts | null;
  /** What it said last of how far it is; empty where it has not begun. */
  readonly said: string;
  /** What the profile is called that came of it. */
  readonly profile: string | null;
  /** Why none came. */
  readonly error: ErrorInfo | null;
}

/** A cluster's login node: another machine, or this one. */
export interface ClusterState {
  /** What Slurm is told with every job; null where nobody has said that it is a cluster's login node. */
  readonly slurm: SlurmSettings | null;
  /** The one under way, or the last one; null where there was none. */
  readonly calibration: ClusterCalibration | null;
}

export interface MachineState extends ClusterState {
  /** As ssh knows it. */
  readonly name: string;
  /** As 'Linux x86_64'; empty until it has said so. */
  readonly system: string;
  /** Of Copyscope there; null where it is being set up for the first time, or could not be. */
  readonly version: string | null;
  /** unasked: nothing was asked of it yet. connecting, with a problem: there was a line, and it is tried again. */
  readonly line: 'unasked' | 'connecting' | 'up' | 'lost';
  /** What it last said of its devices and engines. */
  readonly report: DeviceReport | null;
  /** Why it could not be reached or set up, or what could not be fetched. */
  readonly problem: ErrorInfo | null;
  /** What is done with it just now. */
  readonly work: MachineWork | null;
  /** What the last look for results found; null where nobody has looked. */
  readonly fetched: FetchedResults | null;
}

/** What jobs of a cluster do for this user: a sweep, a calibration or a recording. */
export interface WorkSummary {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly points: number;
  readonly reached: number;
  /** Jobs that wait or run. */
  readonly active: number;
}

export interface MachineWork {
  readonly what: 'adding' | 'fetching' | 'removing';
  readonly doneBytes: number;
  /** Null where it isn't known. */
  readonly totalBytes: number | null;
}

export interface FetchedResults {
  readonly runs: number;
  /** How many go on there. */
  readonly running: number;
}

/** What setting a machine up will do, said before it is done. */
export interface MachinePlan {
  readonly ticket: string;
  readonly name: string;
  /** A sentence for each thing that was found or will be done. */
  readonly says: readonly string[];
}

export interface RemoveMachine {
  /** Also what is in progress there, and results that nobody has fetched. */
  readonly discard: boolean;
  /** Only here: what is there stays. */
  readonly forget: boolean;
}
