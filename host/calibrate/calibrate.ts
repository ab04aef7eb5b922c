/** Runs the probes of a calibration. One that fails costs only the parameters that it would have told. */
import type { Measured, Measurement } from '../../core/bench/measurement.ts';
import type { ProbeResults } from '../../core/calibrate/derive.ts';
import type { Finding, Plan } from '../../core/calibrate/plan.ts';
import { type Recorded, readings } from '../../core/calibrate/reading.ts';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { Run } from '../../core/trace/run.ts';

export interface CalibrateTools {
  run(experiment: Experiment, signal: AbortSignal): Promise<Run>;
  /** Measures without a recorder; null where the engine can't. */
  readonly measure: ((measurement: Measurement, signal: AbortSignal) => Promise<Measured>) | null;
  readonly onProgress: (done: number, total: number, what: string) => void;
  readonly signal: AbortSignal;
  /** Longest that one probe may take. */
  readonly limitMs?: number;
}

export interface Calibrated {
  readonly results: ProbeResults;
  readonly failed: readonly { readonly probe: string; readonly error: ErrorInfo }[];
}

const defaultLimitMs = 120_000;

/** Rejects with `run.cancelled` where it was cancelled, and with `calibrate.failed` where no probe at all came through. */
export async function calibrate(plan: Plan, tools: CalibrateTools): Promise<Calibrated> {
  const failed: { probe: string; error: ErrorInfo }[] = [];
  const found = new Map<string, Recorded[]>();
  const benched = new Map<Finding, readonly number[]>();
  /** By what was measured: several findings may need the same. */
  const taken = new Map<string, Measured>();
  const measured = tools.measure === null ? [] : plan.findings.filter(({ bench }) => bench !== undefined);
  const total = plan.probes.length + measured.length;
  const attempt = async (
    probe: string,
    done: number,
    action: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> => {
    requireGoingOn(tools.signal);
    tools.onProgress(done, total, probe);
    try {
      await limited(tools, action);
    } catch (thrown) {
      requireGoingOn(tools.signal);
      failed.push({ probe, error: toErrorInfo(thrown) });
    }
  };
  for (const [index, { id, experiment }] of plan.probes.entries()) {
    await attempt(id, index, async (signal) => void found.set(id, readings(await tools.run(experiment, signal))));
  }
  for (const [index, finding] of measured.entries()) {
    const { bench, probe } = finding;
    if (bench === undefined || tools.measure === null) continue;
    const { measure } = tools;
    await attempt(`${probe}, without a recorder`, plan.probes.length + index, async (signal) => {
      const key = JSON.stringify(bench.measurement);
      const known = taken.get(key) ?? (await measure(bench.measurement, signal));
      taken.set(key, known);
      benched.set(finding, bench.read(known));
    });
  }
  requireGoingOn(tools.signal);
  if (found.size === 0) throw allFailed(failed[0]?.error);
  return { results: { readings: found, benched }, failed };
}

async function limited(
  { signal, limitMs = defaultLimitMs }: CalibrateTools,
  action: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const limit = AbortSignal.timeout(limitMs);
  try {
    await action(AbortSignal.any([signal, limit]));
  } catch (thrown) {
    if (!limit.aborted || signal.aborted) throw thrown;
    const message = `It was not done within ${limitMs / 1000} s.`;
    throw new CopyscopeError({ code: 'calibrate.too-slow', message }, { cause: thrown });
  }
}

function requireGoingOn(signal: AbortSignal): void {
  if (signal.aborted) throw new CopyscopeError({ code: 'run.cancelled', message: 'The calibration was cancelled.' });
}

const allFailed = (first: ErrorInfo | undefined): CopyscopeError =>
  new CopyscopeError({
    code: 'calibrate.failed',
    message: `Nothing could be measured${first === undefined ? '.' : `: ${first.message}`}`,
    remedy: first?.remedy ?? 'See what copyscope devices says of the engine.',
  });
