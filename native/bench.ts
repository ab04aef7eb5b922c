/** The addon's benchmarks behind core's measurements. */

import {
  type Measured,
  type Measurement,
  measuredDirections,
  measuredMemories,
  measurementKinds,
} from '../core/apps/calibrate/measurement.ts';
import { CopyscopeError } from '../core/errors.ts';
import { blockStrategies } from '../core/experiment/operations.ts';
import type { CancelSignal } from '../core/program/engine.ts';
import { type Addon, loadAddon } from './addon.ts';
import { fromAddon } from './engine.ts';

interface NativeBench {
  benchMeasure(request: Readonly<Record<string, number>>): Promise<Measured>;
  benchCancel(): void;
  benchEnd(): void;
  /** Throws unless the environment allows it: see native/src/addon/addon_bench.cpp. */
  __fault(prepareOnly: boolean): void;
}

const addon = (): Addon & NativeBench => loadAddon() as Addon & NativeBench;

/** Takes one measurement. Rejects with the engine's error, or `run.cancelled`. */
export async function measure(measurement: Measurement, signal?: CancelSignal): Promise<Measured> {
  if (signal?.aborted === true)
    throw new CopyscopeError({ code: 'run.cancelled', message: 'The benchmark was cancelled.' });
  const cancel = (): void => addon().benchCancel();
  signal?.addEventListener('abort', cancel);
  try {
    return await addon().benchMeasure(numbers(measurement));
  } catch (thrown) {
    throw fromAddon(thrown);
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

/** Frees the memory that measurements share. */
export const endMeasuring = (): void => addon().benchEnd();

/** Makes a kernel fault, or only prepares it. Needs COPYSCOPE_TEST_FAULTS=1 in the environment. */
export const fault = (prepareOnly: boolean): void => addon().__fault(prepareOnly);

const numbers = (measurement: Measurement): Record<string, number> => ({
  kind: measurementKinds.indexOf(measurement.kind),
  direction: measuredDirections.indexOf(measurement.direction),
  memory: measuredMemories.indexOf(measurement.memory),
  strategy: blockStrategies.indexOf(measurement.strategy ?? 'loop'),
  device: measurement.device,
  bytes: measurement.bytes,
  capacity: measurement.capacity,
  count: measurement.count,
  samples: measurement.samples,
  warmups: measurement.warmups,
});
