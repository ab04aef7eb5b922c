/**
 * The object that `copyscope run --json` and `copyscope explain --json` print. docs/summary-format.md describes it for
 * people. Plain JSON: times in nanoseconds, sizes in bytes, rates in bytes per second, shares from 0 to 1, and null
 * where a value has no meaning. A field is never removed or changed within a version; new ones may be added.
 */
import type { ErrorInfo } from '../errors.ts';
import type { CallTime } from '../figures/calls.ts';
import type { BandwidthUse } from '../figures/copyBandwidth.ts';
import type { CriticalPath } from '../figures/criticalPath.ts';
import type { EngineUse, LinkUse } from '../figures/engines.ts';
import type { HostTime } from '../figures/hostTime.ts';
import type { StreamIdle } from '../figures/idle.ts';
import type { DeviceIdle } from '../figures/idleCauses.ts';
import type { LaunchStatistics } from '../figures/launches.ts';
import type { MemorySeries } from '../figures/memory.ts';
import type { OperationRow } from '../figures/operations.ts';
import type { Overlap } from '../figures/overlap.ts';
import type { QueueUse } from '../figures/queue.ts';
import type { TemporalBreakdown } from '../figures/temporal.ts';
import type { DeviceInfo } from '../program/engine.ts';
import type { EngineKind } from '../program/engineKind.ts';
import type { Remedy } from '../remedies/remedy.ts';
import type { Spread } from '../statistics.ts';
import type { ImportedFrom, RunInfo, TimingSource, Verification } from '../trace/run.ts';
import type { VerdictSum } from '../verdicts/groups.ts';
import type { Verdict } from '../verdicts/verdict.ts';
import type { PredictedIntervals } from './predictedIntervals.ts';

export const summaryFormat = 'copyscope/summary';
export const summaryVersion = 1;

export interface IterationSummary {
  /** Iterations whose rows the run holds. */
  readonly recorded: number;
  /** The one that makespan, overlap, engines, operations and verdicts describe. */
  readonly representative: number;
  /** From an iteration's start to its last activity's end. Null where none was recorded. */
  readonly recordedMakespanNs: Spread | null;
  /** The host's clock around a whole iteration, recording on. */
  readonly recordedWallNs: Spread | null;
  /** The same with recording off. */
  readonly plainWallNs: Spread | null;
  /** What recording costs an iteration: recordedWallNs.median - plainWallNs.median. Null unless both are known. */
  readonly recordingOverheadNs: number | null;
}

export interface PredictedWith {
  readonly profile: string;
  /** Its parameters in whose place the run's own are: what its rows told (core/cost/runCosts.ts). */
  readonly fromRun: readonly string[];
}

export interface SummaryDocument extends PredictedIntervals {
  readonly format: typeof summaryFormat;
  readonly version: typeof summaryVersion;
  /** The experiment's name; the file's for an imported trace. */
  readonly name: string;
  /** The tool and file that a trace without an experiment was read from; null for a run. */
  readonly imported: ImportedFrom | null;
  readonly engine: EngineKind;
  readonly status: RunInfo['status'];
  /** Why the run failed; null where it didn't. */
  readonly error: ErrorInfo | null;
  readonly createdAt: string;
  readonly device: DeviceInfo | null;
  /** The simulator's profile; null on other engines. */
  readonly profile: string | null;
  readonly machine: RunInfo['machine'];
  /** What its user calls the other machine that it was run on; null where it was this one. */
  readonly ranOn: string | null;
  readonly versions: RunInfo['versions'];
  readonly timing: TimingSource;
  /** Of the representative iteration; null where nothing was recorded. */
  readonly makespanNs: number | null;
  readonly iterations: IterationSummary;
  readonly overlap: Overlap;
  readonly engines: readonly EngineUse[];
  readonly link: LinkUse;
  readonly host: readonly HostTime[];
  /** What each device did with its time. */
  readonly temporal: readonly TemporalBreakdown[];
  /** What the host did while a device was idle, one for each device. */
  readonly deviceIdle: readonly DeviceIdle[];
  /** Host time by thread and CUDA call. */
  readonly calls: readonly CallTime[];
  /** From call to device, by CUDA call. */
  readonly launches: readonly LaunchStatistics[];
  /** Issued and not begun, by stream. */
  readonly queues: readonly QueueUse[];
  /** Why each stream stood idle. */
  readonly idle: readonly StreamIdle[];
  /** Of copies and memsets, by kind. */
  readonly bandwidth: readonly BandwidthUse[];
  /** The most that was allocated, by place; only places where something is allocated or freed. */
  readonly memory: readonly Omit<MemorySeries, 'timeNs' | 'bytes'>[];
  /** What decided the makespan; null where nothing was recorded. */
  readonly criticalPath: Omit<CriticalPath, 'rows'> | null;
  readonly operations: readonly OperationRow[];
  readonly verdicts: readonly Verdict[];
  /** Verdicts that say the same, taken together. */
  readonly verdictSums: readonly VerdictSum[];
  /** Verdicts put to the test in a simulation; empty where no profile of the device is at hand. */
  readonly remedies: readonly Remedy[];
  /** What they are predicted with; null without remedies. */
  readonly predictedWith: PredictedWith | null;
  readonly verification: Verification;
  readonly notes: readonly string[];
}
