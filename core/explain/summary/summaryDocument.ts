/**
 * Output of `copyscope run --json` and `copyscope explain --json`. docs/reference/summary.md follows from it.
 * Plain JSON: times in nanoseconds, sizes in bytes, rates in bytes per second, shares from 0 to 1, and null if a value
 * has no meaning. A field is never removed or changed within a version; new ones may be added.
 */
import type { ErrorInfo } from '../../errors.ts';
import type { EngineKind } from '../../program/engineKind.ts';
import type { Spread } from '../../statistics.ts';
import type { AllocatorState, DeviceInfo, ImportedFrom, RunInfo, TimingSource, Verification } from '../../trace/run.ts';
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
import type { PlannedChanges } from '../remedies/plan.ts';
import type { Remedy } from '../remedies/remedy.ts';
import type { VerdictSum } from '../verdicts/groups.ts';
import type { Verdict } from '../verdicts/verdict.ts';
import type { PredictedIntervals } from './predictedIntervals.ts';

export const summaryFormat = 'copyscope/summary';
export const summaryVersion = 2;

export interface IterationSummary {
  readonly recorded: number;
  /** Iteration that is described. */
  readonly representative: number;
  /** From start to the last activity's end; null if none was recorded. */
  readonly recordedMakespanNs: Spread | null;
  readonly recordedWallNs: Spread | null;
  /** Without recording. */
  readonly plainWallNs: Spread | null;
  /** recordedWallNs.median - plainWallNs.median; null unless both are known. */
  readonly recordingOverheadNs: number | null;
}

export interface PredictedWith {
  readonly profile: string;
  /** Parameters that were replaced by values from the run's own rows (core/machine/cost/runCosts.ts). */
  readonly fromRun: readonly string[];
}

export interface SummaryDocument extends PredictedIntervals {
  readonly format: typeof summaryFormat;
  readonly version: typeof summaryVersion;
  readonly name: string;
  /** Tool and file of a trace; null for a run. */
  readonly imported: ImportedFrom | null;
  readonly engine: EngineKind;
  readonly status: RunInfo['status'];
  /** Null if the run didn't fail. */
  readonly error: ErrorInfo | null;
  readonly createdAt: string;
  readonly device: DeviceInfo | null;
  /** Null on other engines than the simulator. */
  readonly profile: string | null;
  readonly machine: RunInfo['machine'];
  /** Remote host or node; null if it was this machine. */
  readonly ranOn: string | null;
  readonly versions: RunInfo['versions'];
  readonly timing: TimingSource;
  /** Null if nothing was recorded. */
  readonly makespanNs: number | null;
  readonly iterations: IterationSummary;
  readonly overlap: Overlap;
  readonly engines: readonly EngineUse[];
  readonly link: LinkUse;
  readonly host: readonly HostTime[];
  readonly temporal: readonly TemporalBreakdown[];
  /** Host activity while devices were idle. */
  readonly deviceIdle: readonly DeviceIdle[];
  /** Host time by thread and CUDA call. */
  readonly calls: readonly CallTime[];
  /** Delays from call to device, by CUDA call. */
  readonly launches: readonly LaunchStatistics[];
  /** Work issued but not begun. */
  readonly queues: readonly QueueUse[];
  /** Why each stream was idle. */
  readonly idle: readonly StreamIdle[];
  /** Throughput of copies and memsets. */
  readonly bandwidth: readonly BandwidthUse[];
  /** Peak of allocated memory, by place. */
  readonly memory: readonly Omit<MemorySeries, 'timeNs' | 'bytes'>[];
  /** Bytes in pools and caching allocators. */
  readonly allocators: readonly Omit<AllocatorState, 'reservedSteps'>[];
  /** Chain of work that decided the makespan; null if nothing was recorded. */
  readonly criticalPath: Omit<CriticalPath, 'rows'> | null;
  readonly operations: readonly OperationRow[];
  readonly verdicts: readonly Verdict[];
  /** Groups of equal verdicts. */
  readonly verdictSums: readonly VerdictSum[];
  /** Tested verdicts; empty without a profile of the device. */
  readonly remedies: readonly Remedy[];
  /** Sets of changes, the recommended one first. */
  readonly plan: readonly PlannedChanges[];
  /** Profile of remedies and plan; null without both. */
  readonly predictedWith: PredictedWith | null;
  readonly verification: Verification;
  readonly notes: readonly string[];
}
