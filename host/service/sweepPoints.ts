/** Runs the points of a sweep, one after another. An error at a point is its outcome, and the next one runs. */

import type { Figures } from '../../core/apps/sweep/metrics.ts';
import type { SweepPlan } from '../../core/apps/sweep/plan.ts';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { CancelSignal, RunProgress } from '../../core/program/engine.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import type { EngineSupervisor } from '../engine/supervisor.ts';
import type { Assets } from '../library/assets.ts';
import { prepareRun } from './prepareRun.ts';

export interface SweepSettings {
  readonly engine: EngineKind;
  readonly profile?: string | undefined;
  readonly iterations?: number | undefined;
}

export type PointResult =
  | {
      readonly point: number;
      readonly status: 'done';
      readonly info: RunInfo;
      readonly file: Uint8Array;
      readonly figures: Figures;
    }
  | { readonly point: number; readonly status: 'failed'; readonly error: ErrorInfo };

export interface SweepTools {
  readonly engine: EngineSupervisor;
  readonly assets: Pick<Assets, 'readProfile'>;
  readonly signal: CancelSignal;
  readonly onProgress?: (progress: RunProgress) => void;
}

/** Errors that every point would have. They end the sweep. */
const endsAll = /^(run\.cancelled|engine\.(unavailable|closed)|host\.|profile\.)/;

/** Yields each point's result as it comes. Rejects with `run.cancelled`, or an error that all points would have. */
export async function* runPoints(
  plan: SweepPlan,
  points: readonly number[],
  settings: SweepSettings,
  tools: SweepTools,
): AsyncGenerator<PointResult> {
  for (const point of points) {
    if (tools.signal.aborted) throw new CopyscopeError({ code: 'run.cancelled', message: 'The sweep was cancelled.' });
    yield await runPoint(plan, point, settings, tools);
  }
}

async function runPoint(
  plan: SweepPlan,
  point: number,
  settings: SweepSettings,
  { engine, assets, signal, onProgress }: SweepTools,
): Promise<PointResult> {
  const planned = plan.at(point);
  if (!planned.ok) return { point, status: 'failed', error: planned.problem };
  try {
    const request = await prepareRun({ experiment: planned.experiment, ...settings }, assets);
    const { info, file, figures } = await engine.run(
      { ...request, withFigures: true },
      { signal, ...(onProgress === undefined ? {} : { onProgress }) },
    );
    return { point, status: 'done', info, file, figures: figures ?? {} };
  } catch (thrown) {
    const error = toErrorInfo(thrown);
    // A run that ends while the sweep is being cancelled says nothing about its point.
    if (signal.aborted || endsAll.test(error.code)) throw thrown;
    return { point, status: 'failed', error };
  }
}
