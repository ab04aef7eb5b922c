/** What the supervisor and the engine process say to each other, over birpc. */
import type { Measured, Measurement } from '../../core/calibrate/measurement.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { DeviceReport, RunProgress } from '../../core/program/engine.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import type { Figures } from '../../core/sweep/metrics.ts';
import type { RunInfo } from '../../core/trace/run.ts';

export interface EngineRunRequest {
  /** Already validated by requireExperiment(). */
  readonly experiment: Experiment;
  readonly engine: EngineKind;
  /** The simulator's profile, read by the host: the engine process opens no files of ours. */
  readonly profile?: { readonly name: string; readonly json: unknown } | undefined;
  /** Whether the simulator counts in what recording costs. */
  readonly whileRecording?: boolean | undefined;
  /** What whoever asks calls the machine of this process, where it is another one than theirs. */
  readonly host?: string | undefined;
  /** Whether the figures of a sweep's point are wanted beside the run. */
  readonly withFigures?: boolean | undefined;
}

export interface EngineRunResult {
  readonly info: RunInfo;
  /** The run as an Arrow file, encoded in the engine process so that the host stays free. */
  readonly file: Uint8Array;
  /** Where they were asked for: counted in the engine process, which has the run decoded. */
  readonly figures?: Figures;
}

/** What the supervisor may ask of the engine process. */
export interface EngineProcessFunctions {
  report(): Promise<DeviceReport>;
  run(id: string, request: EngineRunRequest): Promise<EngineRunResult>;
  /** One measurement of a benchmark. */
  measure(id: string, measurement: Measurement): Promise<Measured>;
  /** Without an answer: what becomes of the run says whether it was obeyed. */
  cancel(id: string): void;
  ping(): Promise<void>;
}

/** What the engine process tells the supervisor. */
export interface SupervisorFunctions {
  progress(id: string, progress: RunProgress): void;
  /** What a run has recorded so far; the last before it rejects is all that it recorded. */
  partial(id: string, run: EngineRunResult): void;
}
