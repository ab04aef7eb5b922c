/** Calibrates the machine of an engine: runs the probes, and makes the profile. */
import { calibrationPlan, standardOptions } from '../../core/apps/calibrate/calibration.ts';
import { type Derived, deriveProfile, type Provenance } from '../../core/apps/calibrate/derive.ts';
import type { PlanOptions } from '../../core/apps/calibrate/plan.ts';
import { CopyscopeError } from '../../core/errors.ts';
import { parseProfile } from '../../core/machine/profile/profile.ts';
import type { DeviceReport } from '../../core/program/engine.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import type { EngineSupervisor } from '../engine/supervisor.ts';
import type { Assets } from '../library/assets.ts';
import { prepareRun } from '../service/prepareRun.ts';
import { type Calibrated, type CalibrateTools, calibrate } from './calibrate.ts';

export interface CalibrationRequest {
  readonly engine: 'cuda' | 'sim';
  /** Profile of the simulator. */
  readonly profile?: string | undefined;
  /** The profile for values that no probe measures, as read from its file. */
  readonly base: unknown;
  readonly quick: boolean;
  /** Name of the machine, if it isn't this one. */
  readonly host?: string | undefined;
}

export interface EngineTools extends Pick<CalibrateTools, 'signal' | 'onProgress'> {
  readonly engine: EngineSupervisor;
  readonly assets: Pick<Assets, 'readProfile'>;
}

export interface Calibration extends Derived, Pick<Calibrated, 'failed'> {
  /** The measured GPU, or null. */
  readonly device: string | null;
}

const quickOptions = { largestBytes: 16 * 2 ** 20, iterations: 5 };
/** Name of the profile until keepProfile() gives it another. */
const unnamed = 'calibrated';

/** Rejects with `engine.unavailable`, and as calibrate() does. */
export async function calibrateEngine(
  request: CalibrationRequest,
  { engine, assets, signal, onProgress }: EngineTools,
): Promise<Calibration> {
  const { engine: kind, profile } = request;
  const report = await engine.report();
  requireEngine(report, request);
  const base = parseProfile(request.base);
  const plan = calibrationPlan(planOptions(request, report));
  const { results, failed } = await calibrate(plan, {
    signal,
    onProgress,
    run: async (experiment, cancel) => {
      const prepared = await prepareRun({ experiment, engine: kind, profile }, assets);
      return decodeRun((await engine.run(prepared, { signal: cancel })).file);
    },
    measure: kind === 'cuda' ? (measurement, cancel) => engine.measure(measurement, cancel) : null,
  });
  const device = kind === 'cuda' ? (report.devices[0]?.name ?? null) : null;
  return { ...deriveProfile(plan, results, base, provenance(request, report)), failed, device };
}

/** Throws `engine.unavailable` if the engine can't measure here. */
export function requireEngine(
  { engines, devices }: DeviceReport,
  { engine }: Pick<CalibrationRequest, 'engine'>,
): void {
  const status = engines.find(({ kind }) => kind === engine);
  if (status?.available === true && (engine !== 'cuda' || devices.length > 0)) return;
  const problem = status?.problem;
  throw new CopyscopeError({
    code: 'engine.unavailable',
    message: `There is nothing to calibrate here with engine ${engine}: ${problem?.message ?? 'no device was found.'}`,
    remedy: 'Calibrate on a machine with an NVIDIA GPU and its driver, or use a profile that ships with Copyscope.',
  });
}

const planOptions = ({ quick, engine }: CalibrationRequest, { devices }: DeviceReport): PlanOptions => ({
  ...standardOptions,
  devices: engine === 'cuda' ? devices.length : 1,
  ...(quick ? quickOptions : {}),
});

function provenance({ engine, profile, host }: CalibrationRequest, report: DeviceReport): Provenance {
  const { driverVersion: driver, runtimeVersion: runtime, devices } = report;
  const of = { name: unnamed, host, date: new Date().toISOString().slice(0, 10) };
  if (engine === 'cuda') return { ...of, device: devices[0] ?? null, driver, runtime, how: 'measured' };
  const subject = `the profile "${profile ?? ''}"`;
  return { ...of, device: null, subject, driver: null, runtime: null, how: 'simulated' };
}
