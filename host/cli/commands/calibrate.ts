/** `copyscope calibrate`: measures this machine and writes a device profile for the simulator. */
import { join } from 'node:path';
import { calibrationPlan, standardOptions } from '../../../core/calibrate/calibration.ts';
import { type Derived, deriveProfile, type Provenance } from '../../../core/calibrate/derive.ts';
import type { PlanOptions } from '../../../core/calibrate/plan.ts';
import { defaultProfile } from '../../../core/cost/simEngine.ts';
import { CopyscopeError, describeError } from '../../../core/errors.ts';
import { type DeviceProfile, parseProfile } from '../../../core/profile/profile.ts';
import type { DeviceReport } from '../../../core/program/engine.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { calibrate } from '../../calibrate/calibrate.ts';
import { dataFolder, ownProfilesFolder } from '../../paths.ts';
import type { Assets } from '../../service/assets.ts';
import { privately, writeWhole } from '../../service/files.ts';
import { prepareRun } from '../../service/prepareRun.ts';
import type { Terminal } from '../io.ts';
import { clearLine } from '../legible.ts';
import { limited, wrap } from '../render/text.ts';
import type { Tools } from './run.ts';

export interface CalibrateOptions {
  readonly engine: 'cuda' | 'sim';
  readonly profile?: string | undefined;
  readonly name?: string | undefined;
  readonly base: string;
  readonly host?: string | undefined;
  readonly out?: string | undefined;
  readonly quick: boolean;
  readonly json: boolean;
}

const quickOptions = { largestBytes: 16 * 2 ** 20, iterations: 5 };

export async function calibrateMachine(tools: Tools, options: CalibrateOptions): Promise<void> {
  const { context, engine, assets } = tools;
  const { terminal, signal } = context;
  const report = await engine.report();
  requireEngine(report, options);
  const base = parseProfile(await assets.readProfile(options.base));
  const name = await newName(tools, options, report);
  const plan = calibrationPlan(planOptions(options, report));
  const line = calibrationLine(terminal);
  const { results, failed } = await calibrate(plan, {
    signal,
    onProgress: line.show,
    run: async (experiment, cancel) => {
      const request = await prepareRun({ experiment, engine: options.engine, profile: options.profile }, assets);
      return decodeRun((await engine.run(request, { signal: cancel })).file);
    },
    measure: options.engine === 'cuda' ? (measurement, cancel) => engine.measure(measurement, cancel) : null,
  }).finally(line.clear);
  const derived = deriveProfile(plan, results, base, provenance(name, options, report));
  const json = `${JSON.stringify(derived.profile, null, 2)}\n`;
  const path = options.out ?? join(ownProfilesFolder(dataFolder(context.environment)), `${name}.json`);
  await writeWhole(path, json, options.out === undefined ? privately : undefined);
  const problems = failed.map(({ probe, error }) => `${probe}: ${describeError(error)}`);
  terminal.out(options.json ? json : `${describe(derived, path, problems, terminal).join('\n')}\n`);
}

function requireEngine({ engines, devices }: DeviceReport, { engine, profile }: CalibrateOptions): void {
  const status = engines.find(({ kind }) => kind === engine);
  if (engine !== 'sim' && profile !== undefined) {
    throw new CopyscopeError({
      code: 'usage.profile',
      field: '--profile',
      message: `a profile is for the simulator, and engine ${engine} measures.`,
      remedy: 'Leave --profile out.',
    });
  }
  if (status?.available === true && (engine !== 'cuda' || devices.length > 0)) return;
  const problem = status?.problem;
  throw new CopyscopeError({
    code: 'engine.unavailable',
    message: `There is nothing to calibrate here with engine ${engine}: ${problem?.message ?? 'no device was found.'}`,
    remedy: 'Calibrate on a machine with an NVIDIA GPU and its driver, or use a profile that ships with Copyscope.',
  });
}

const planOptions = ({ quick, engine }: CalibrateOptions, { devices }: DeviceReport): PlanOptions => ({
  ...standardOptions,
  devices: engine === 'cuda' ? devices.length : 1,
  ...(quick ? quickOptions : {}),
});

function provenance(name: string, { engine, profile, host }: CalibrateOptions, report: DeviceReport): Provenance {
  const { driverVersion: driver, runtimeVersion: runtime, devices } = report;
  const date = new Date().toISOString().slice(0, 10);
  if (engine === 'cuda') {
    return { name, device: devices[0] ?? null, host, date, driver, runtime, how: 'measured' };
  }
  const subject = engine === 'sim' ? `the profile "${profile ?? defaultProfile}"` : 'the CPU engine';
  return {
    name,
    device: null,
    subject,
    host,
    date,
    driver: null,
    runtime: null,
    how: engine === 'sim' ? 'simulated' : 'measured',
  };
}

/** Of another machine with its name: two machines may have the same GPU, and not the same host memory. */
function newName(
  { assets }: Tools,
  { name, engine, host }: CalibrateOptions,
  { devices }: DeviceReport,
): Promise<string> {
  const what = engine === 'cuda' ? (devices[0]?.name ?? 'gpu') : engine;
  return requireFreeName(assets, name ?? `${what} ${host === undefined ? 'calibrated' : `of ${host}`}`);
}

/** The name as a file's, which must not be that of a shipped profile: that one would go before it. */
async function requireFreeName(assets: Assets, name: string): Promise<string> {
  const made = slug(name);
  const shipped = (await assets.profiles()).some((profile) => profile.name === made && !profile.own);
  if (made !== '' && !shipped) return made;
  throw new CopyscopeError({
    code: 'usage.invalid',
    field: '--name',
    message: shipped ? `"${made}" is a profile that ships with Copyscope.` : 'a name needs letters or digits.',
    remedy: 'Choose another --name.',
  });
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);

function describe(
  { profile, assumed }: Derived,
  path: string,
  problems: readonly string[],
  terminal: Terminal,
): string[] {
  const { columns, colors } = terminal;
  const taken = assumed.length === 0 ? 'Nothing' : `${assumed.length} parameters (${assumed.join(', ')})`;
  return [
    colors.bold(`Profile ${profile.name}`),
    ...wrap(profile.source, columns, ''),
    ...figures(profile),
    ...wrap(`${taken} had to be taken from another profile.`, columns, ''),
    ...limited(problems.map((problem) => `Not measured: ${problem}`)),
    `Written to ${path}. Use it with --profile ${profile.name}.`,
  ];
}

function figures({ parameters, measurements }: DeviceProfile): string[] {
  const rate = (bytesPerSecond: number): string => `${(bytesPerSecond / 1e9).toFixed(1)} GB/s`;
  return [
    `Link: ${rate(parameters['link.bytesPerSecond'])} one way, ${rate(parameters['link.bothBytesPerSecond'])} both ways at once`,
    `A launch takes the host ${(parameters['calls.launchNs'] / 1000).toFixed(2)} µs; a stream takes ${parameters['queue.depth']} operations`,
    `${measurements?.length ?? 0} measurements, each with its spread, are in the file`,
  ];
}

function calibrationLine({ animated, err }: Terminal) {
  if (!animated) return { show: () => {}, clear: () => {} };
  return {
    show: (done: number, total: number, what: string) => err(`${clearLine}Calibrating ${done}/${total}: ${what}`),
    clear: () => err(clearLine),
  };
}
