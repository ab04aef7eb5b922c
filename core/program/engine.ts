/** The asynchronous interface of all engines: the same program in, the same trace format out. */
import { CopyscopeError, type ErrorInfo } from '../errors.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { DeviceInfo, Run } from '../trace/run.ts';
import type { EngineKind } from './engineKind.ts';
import type { Program } from './program.ts';

export type RunPhase = 'preparing' | 'warming-up' | 'timing' | 'recording' | 'verifying';

export interface RunProgress {
  readonly phase: RunPhase;
  readonly done: number;
  readonly total: number;
}

/** The part of AbortSignal that an engine needs; core has neither the DOM's nor Node's types. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface RunHooks {
  readonly onProgress?: (progress: RunProgress) => void;
  /** Called at intervals during a long run with the rows recorded so far, in case the engine dies. */
  readonly onPartial?: (run: Run) => void;
  readonly signal?: CancelSignal;
}

export interface EngineRequest {
  readonly experiment: Experiment;
  readonly program: Program;
  /** Profile name for the simulator; ignored by the others. */
  readonly profile?: string | undefined;
  /** Whether the simulator includes the cost of a recorder. The other engines record anyway. */
  readonly whileRecording?: boolean | undefined;
}

/** Why a run ended early, with the rows recorded by then. */
export class RunError extends CopyscopeError {
  /** Has status failed or cancelled. Undefined if nothing was recorded. */
  readonly partial: Run | undefined;

  constructor(info: ErrorInfo, partial: Run | undefined, options?: { cause?: unknown }) {
    super(info, options);
    this.partial = partial;
  }
}

export interface Engine {
  readonly kind: EngineKind;
  /**
   * Runs the program and returns its trace. Rejects with a CopyscopeError: `run.cancelled` if the signal fired,
   * `engine.*` if the engine failed. A RunError also has the rows recorded by then.
   */
  run(request: EngineRequest, hooks?: RunHooks): Promise<Run>;
}

export interface EngineStatus {
  readonly kind: EngineKind;
  readonly available: boolean;
  /** Why it isn't available, with the remedy. */
  readonly problem?: ErrorInfo;
}

export interface CuptiStatus {
  readonly found: boolean;
  /** Path of the library, or the reason why there is none. */
  readonly detail: string;
  readonly version: number | null;
}

export interface DeviceReport {
  readonly devices: readonly DeviceInfo[];
  /** For example '13.0'; null if there is none. */
  readonly driverVersion: string | null;
  readonly runtimeVersion: string | null;
  readonly cupti: CuptiStatus;
  readonly engines: readonly EngineStatus[];
}

/**
 * Transfers per second of a lane, and the share of bits that carry data, by generation. PCI Express Base Specification:
 * 1 and 2 encode 8 bits in 10, 3 to 5 encode 128 in 130, 6 sends 236 bytes of data in a flit of 256.
 */
const lanes: Readonly<Record<number, readonly [transfers: number, share: number]>> = {
  1: [2.5e9, 8 / 10],
  2: [5e9, 8 / 10],
  3: [8e9, 128 / 130],
  4: [16e9, 128 / 130],
  5: [32e9, 128 / 130],
  6: [64e9, 236 / 256],
};

/** Returns bytes per second of a PCI Express link in one direction, before packet overhead; null if it is unknown. */
export function linkBytesPerSecond(device: Pick<DeviceInfo, 'linkGeneration' | 'linkWidth'> | null): number | null {
  const lane = lanes[device?.linkGeneration ?? 0];
  if (lane === undefined || device?.linkWidth == null) return null;
  return (lane[0] * lane[1] * device.linkWidth) / 8;
}
