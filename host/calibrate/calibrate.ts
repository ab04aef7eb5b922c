/** Runs the probes of a calibration. A failed probe only costs its own parameters. */

import type { ProbeResults } from '../../core/apps/calibrate/derive.ts';
import type { Measured, Measurement } from '../../core/apps/calibrate/measurement.ts';
import type { Bench, Comparison, Finding, Plan } from '../../core/apps/calibrate/plan.ts';
import { type Recorded, readings } from '../../core/apps/calibrate/reading.ts';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { append } from '../../core/groupBy.ts';
import type { ParameterName } from '../../core/machine/profile/registry.ts';
import type { Run } from '../../core/trace/run.ts';

export interface CalibrateTools {
  run(experiment: Experiment, signal: AbortSignal): Promise<Run>;
  /** Measures without a recorder; null if the engine can't. */
  readonly measure: ((measurement: Measurement, signal: AbortSignal) => Promise<Measured>) | null;
  readonly onProgress: (done: number, total: number, what: string) => void;
  readonly signal: AbortSignal;
  /** Time limit of one probe in milliseconds. */
  readonly limitMs?: number;
}

export interface Calibrated {
  readonly results: ProbeResults;
  readonly failed: readonly { readonly probe: string; readonly error: ErrorInfo }[];
}

const defaultLimitMs = 120_000;
/** Rounds over all probes, so that a processor that is slow for a second spoils only one round. */
const rounds = 5;

/** Rejects with `run.cancelled` if cancelled, and with `calibrate.failed` if no probe succeeded. */
export async function calibrate(plan: Plan, tools: CalibrateTools): Promise<Calibrated> {
  const failed: { probe: string; error: ErrorInfo }[] = [];
  const found = new Map<string, Recorded[]>();
  const benched = new Map<Finding, readonly number[]>();
  const added = new Map<ParameterName, number[]>();
  /** Results by measurement: several findings may need the same one, and comparisons repeat it in each round. */
  const taken = new Map<string, Measured[]>();
  const { measure } = tools;
  const measured = measure === null ? [] : plan.findings.filter(({ bench }) => bench !== undefined);
  const compared = measure === null ? [] : plan.comparisons;
  const total = plan.probes.length + measured.length + rounds * compared.length;
  let done = 0;
  const attempt = async (probe: string, action: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    requireGoingOn(tools.signal);
    tools.onProgress(done, total, probe);
    done += 1;
    try {
      await limited(tools, action);
    } catch (thrown) {
      requireGoingOn(tools.signal);
      if (!failed.some((one) => one.probe === probe)) failed.push({ probe, error: toErrorInfo(thrown) });
    }
  };
  const benchedNow = async ({ measurement }: Bench, signal: AbortSignal): Promise<Measured | undefined> => {
    const now = await measure?.(measurement, signal);
    if (now !== undefined) append(taken, JSON.stringify(measurement), now);
    return now;
  };
  const compare = (comparison: Comparison): Promise<void> => {
    const { path, probe, bench } = comparison;
    return attempt(`${probe.id}, with a recorder and without`, async (signal) => {
      const run = readings(await tools.run(probe.experiment, signal));
      const without = await benchedNow(bench, signal);
      if (without !== undefined) append(added, path, addedNs(comparison, run, without));
    });
  };
  for (const [index, { id, experiment }] of plan.probes.entries()) {
    await attempt(id, async (signal) => void found.set(id, readings(await tools.run(experiment, signal))));
    const roundsBy = (probes: number): number => Math.floor((rounds * probes) / plan.probes.length);
    if (roundsBy(index + 1) === roundsBy(index)) continue;
    for (const comparison of compared) await compare(comparison);
  }
  for (const finding of measured) {
    const { bench, probe } = finding;
    if (bench === undefined) continue;
    await attempt(`${probe}, without a recorder`, async (signal) => {
      const key = JSON.stringify(bench.measurement);
      if (!taken.has(key)) await benchedNow(bench, signal);
      benched.set(finding, taken.get(key)?.flatMap(bench.read) ?? []);
    });
  }
  requireGoingOn(tools.signal);
  if (found.size === 0) throw allFailed(failed[0]?.error);
  return { results: { readings: found, benched, added }, failed };
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
    const message = `It did not end within ${limitMs / 1000} s.`;
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
    remedy: first?.remedy ?? 'Run copyscope devices to see the state of the engine.',
  });

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns what recording adds to a call: the smallest mean of a series with it, minus the smallest without. */
function addedNs({ read, bench }: Comparison, recorded: readonly Recorded[], measured: Measured): number {
  const rows = recorded.map(read).filter(({ length }) => length > 0);
  return Math.max(0, Math.min(...rows.map(mean)) - Math.min(...bench.read(measured)));
}
