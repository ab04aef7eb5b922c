/** Messages between the supervisor and the engine process over birpc. */
import type { Measured, Measurement } from '../../core/apps/calibrate/measurement.ts';
import type { Figures } from '../../core/apps/sweep/metrics.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { DeviceReport, RunProgress } from '../../core/program/engine.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import type { RunInfo } from '../../core/trace/run.ts';

export interface EngineRunRequest {
  /** Already validated by requireExperiment(). */
  readonly experiment: Experiment;
  readonly engine: EngineKind;
  /** Profile of the simulator, read by the host, since the engine process opens none of the user's files. */
  readonly profile?: { readonly name: string; readonly json: unknown } | undefined;
  /** True if the simulator includes the recorder's cost. */
  readonly whileRecording?: boolean | undefined;
  /** Text for the run's `changed`. */
  readonly changed?: string | undefined;
  /** Name of this process's machine, if it isn't the requester's. */
  readonly host?: string | undefined;
  /** True if the figures of a sweep's point are wanted too. */
  readonly withFigures?: boolean | undefined;
}

export interface EngineRunResult {
  readonly info: RunInfo;
  /** The run as an Arrow file, encoded in the engine process so that the host stays free. */
  readonly file: Uint8Array;
  /** Figures if requested, computed in the engine process, which has the decoded run. */
  readonly figures?: Figures;
}

/** Calls from the supervisor to the engine process. */
export interface EngineProcessFunctions {
  report(): Promise<DeviceReport>;
  run(id: string, request: EngineRunRequest): Promise<EngineRunResult>;
  /** Takes one measurement of a benchmark. */
  measure(id: string, measurement: Measurement): Promise<Measured>;
  /** Has no answer: the run's outcome shows if it was cancelled. */
  cancel(id: string): void;
  ping(): Promise<void>;
}

/** Calls from the engine process to the supervisor. */
export interface SupervisorFunctions {
  progress(id: string, progress: RunProgress): void;
  /** Sends the run recorded so far; the last one before a rejection has everything recorded. */
  partial(id: string, run: EngineRunResult): void;
}
