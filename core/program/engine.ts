/** The one asynchronous interface behind which the engines stand: same program in, same trace shape out. */
import { CopyscopeError, type ErrorInfo } from '../errors.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { Run } from '../trace/run.ts';
import type { EngineKind } from './engineKind.ts';
import type { Program } from './program.ts';

export type RunPhase = 'preparing' | 'warming-up' | 'timing' | 'recording' | 'verifying';

export interface RunProgress {
  readonly phase: RunPhase;
  readonly done: number;
  readonly total: number;
}

/** The part of AbortSignal that an engine needs; core knows neither the DOM's nor Node's globals. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface RunHooks {
  readonly onProgress?: (progress: RunProgress) => void;
  /** What has been recorded so far, now and then during a long run, for whoever outlives the engine. */
  readonly onPartial?: (run: Run) => void;
  readonly signal?: CancelSignal;
}

export interface EngineRequest {
  readonly experiment: Experiment;
  readonly program: Program;
  /** Profile name for the simulator; ignored by the others. */
  readonly profile?: string | undefined;
  /** The simulator counts in what a recorder costs, as recorded runs have it; the others record anyway. */
  readonly whileRecording?: boolean | undefined;
}

/** Why a run ended before its end, with what had been recorded by then. */
export class RunError extends CopyscopeError {
  /** Its status is failed or cancelled. Left out where nothing had been recorded. */
  readonly partial: Run | undefined;

  constructor(info: ErrorInfo, partial: Run | undefined, options?: { cause?: unknown }) {
    super(info, options);
    this.partial = partial;
  }
}

export interface Engine {
  readonly kind: EngineKind;
  /**
   * Runs the program and gives its trace. Rejects with a CopyscopeError: `run.cancelled` where the signal fired,
   * `engine.*` where the engine failed. A RunError also holds what had been recorded by then.
   */
  run(request: EngineRequest, hooks?: RunHooks): Promise<Run>;
}

export interface EngineStatus {
  readonly kind: EngineKind;
  readonly available: boolean;
  /** What stands in the way, and what to do about it, where it isn't available. */
  readonly problem?: ErrorInfo;
}

export interface DeviceInfo {
  readonly index: number;
  readonly name: string;
  /** As '9.0'. */
  readonly computeCapability: string;
  /** Null where an imported trace doesn't say. */
  readonly asyncEngineCount: number | null;
  readonly multiprocessors: number;
  readonly memoryBytes: number;
  readonly pciBusId: string;
  /** PCI Express generation and lanes in use; null where the driver doesn't say. */
  readonly linkGeneration: number | null;
  readonly linkWidth: number | null;
}

export interface CuptiStatus {
  readonly found: boolean;
  /** Path of the library, or the reason why there is none. */
  readonly detail: string;
  readonly version: number | null;
}

export interface DeviceReport {
  readonly devices: readonly DeviceInfo[];
  /** As '13.0'; null where there is none. */
  readonly driverVersion: string | null;
  readonly runtimeVersion: string | null;
  readonly cupti: CuptiStatus;
  readonly engines: readonly EngineStatus[];
}
