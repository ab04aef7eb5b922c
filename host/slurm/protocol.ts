/** What is asked of a cluster's login node, be it this machine or one behind ssh. All that is known of a work lies on its disk. */
import type { WorkSummary } from '../../core/service/machines.ts';
import type { SlurmSettings } from '../../core/slurm/settings.ts';
import type { Work } from './work.ts';

/** Jobs of one array: which points each of them runs, one after another. */
export interface Submission {
  /** Counted from 0, within the work. */
  readonly number: number;
  readonly tasks: readonly (readonly number[])[];
  /** As Slurm numbers it; null while it is being submitted, empty where that was cut off. */
  readonly job: string | null;
}

/** One job of an array, as Slurm tells of it. */
export interface JobState {
  readonly submission: number;
  readonly task: number;
  /** As '4711_12'. */
  readonly job: string;
  /** Slurm's own word, as 'PENDING' or 'TIMEOUT'. */
  readonly state: string;
  readonly node: string;
  /** Why it waits, or why it ended; empty where Slurm has no word for it. */
  readonly reason: string;
}

export interface WorkState {
  /** Points whose result is there. */
  readonly reached: readonly number[];
  readonly submissions: readonly Submission[];
  /** Null where Slurm was not asked. */
  readonly jobs: readonly JobState[] | null;
}

export interface OpenedWork extends WorkState {
  /** When it was asked for first there: the same for all who watch it. */
  readonly begunAt: string;
}

/** What a job left of a point. */
export interface PointFiles {
  readonly point: number;
  /** JSON: see result.ts. */
  readonly result: string;
  /** The run as an Arrow file, where there is one. */
  readonly run: Uint8Array | null;
}

export interface SlurmFunctions {
  /** Keeps what is to be done, unless it is there already. */
  slurmOpen(id: string, work: Work): Promise<OpenedWork>;
  /** sbatch's command line and the script, as slurmSubmit() would use them. */
  slurmShow(id: string, number: number, jobs: number, settings: SlurmSettings): Promise<string>;
  /**
   * False where somebody else submits one of that number, which Slurm may refuse. Rejects with `slurm.*` in Slurm's words;
   * where it was the first, nothing is left of the work.
   */
  slurmSubmit(
    id: string,
    number: number,
    tasks: readonly (readonly number[])[],
    settings: SlurmSettings,
  ): Promise<boolean>;
  slurmLook(id: string, withJobs: boolean): Promise<WorkState>;
  /** Of these in order, as many as one message should hold, and at least one; but none of those that are gone. */
  slurmTake(id: string, points: readonly number[]): Promise<readonly PointFiles[]>;
  /** The last that a job wrote to its output. */
  slurmSaid(id: string, job: string): Promise<string>;
  /** What a job has written to its output from that byte on, as much of it as one message should hold. */
  slurmPrinted(id: string, job: string, from: number): Promise<Uint8Array>;
  slurmCancel(id: string): Promise<void>;
  slurmDrop(id: string): Promise<void>;
  slurmList(): Promise<readonly WorkSummary[]>;
}
