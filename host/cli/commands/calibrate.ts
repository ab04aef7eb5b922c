/** `copyscope calibrate`: measures this machine and writes a device profile for the simulator. */
import { join } from 'node:path';
import { defaultProfile } from '../../../core/cost/simEngine.ts';
import { CopyscopeError, describeError } from '../../../core/errors.ts';
import type { DeviceProfile } from '../../../core/profile/profile.ts';
import { type Calibration, calibrateEngine } from '../../calibrate/calibrateEngine.ts';
import { dataFolder, ownProfilesFolder } from '../../paths.ts';
import type { Assets } from '../../service/assets.ts';
import { privately, writeWhole } from '../../service/files.ts';
import type { Terminal } from '../io.ts';
import { clearLine } from '../legible.ts';
import { limited, wrap } from '../render/text.ts';
import { calibrateOnCluster } from './onCluster.ts';
import type { Tools } from './run.ts';

export interface CalibrateOptions {
  readonly engine: 'cuda' | 'sim';
  readonly profile?: string | undefined;
  readonly name?: string | undefined;
  readonly base: string;
  readonly host?: string | undefined;
  /** As a job of Slurm, of that machine. */
  readonly slurm: boolean;
  readonly out?: string | undefined;
  readonly quick: boolean;
  readonly json: boolean;
}

export async function calibrateMachine(tools: Tools, options: CalibrateOptions): Promise<void> {
  refuseProfile(options);
  await requireFreeName(tools.assets, options.name ?? 'unnamed');
  const kept = (calibration: Calibration): Promise<void> => keep(tools, options, calibration);
  if (options.slurm) await calibrateOnCluster(tools, options, kept);
  else await kept(await calibrateHere(tools, options));
}

async function calibrateHere({ context, engine, assets }: Tools, options: CalibrateOptions): Promise<Calibration> {
  const line = calibrationLine(context.terminal);
  const base = await assets.readProfile(options.base);
  const request = { ...options, profile: options.profile ?? defaultProfile, base };
  const tools = { engine, assets, signal: context.signal, onProgress: line.show };
  return calibrateEngine(request, tools).finally(line.clear);
}

/** Names the profile, writes it among the user's own, and tells of it. */
async function keep({ context, assets }: Tools, options: CalibrateOptions, found: Calibration): Promise<void> {
  const { terminal, environment } = context;
  const name = await newName(assets, options, found);
  const derived = { ...found, profile: { ...found.profile, name } };
  const json = `${JSON.stringify(derived.profile, null, 2)}\n`;
  const path = options.out ?? join(ownProfilesFolder(dataFolder(environment)), `${name}.json`);
  await writeWhole(path, json, options.out === undefined ? privately : undefined);
  const problems = found.failed.map(({ probe, error }) => `${probe}: ${describeError(error)}`);
  terminal.out(options.json ? json : `${describe(derived, path, problems, terminal).join('\n')}\n`);
}

function refuseProfile({ engine, profile }: CalibrateOptions): void {
  if (engine === 'sim' || profile === undefined) return;
  throw new CopyscopeError({
    code: 'usage.profile',
    field: '--profile',
    message: `a profile is for the simulator, and engine ${engine} measures.`,
    remedy: 'Leave --profile out.',
  });
}

/** Of another machine with its name: two machines may have the same GPU, and not the same host memory. */
function newName(
  assets: Assets,
  { name, engine, host }: CalibrateOptions,
  { device }: Pick<Calibration, 'device'>,
): Promise<string> {
  const what = engine === 'cuda' ? (device ?? 'gpu') : engine;
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
  { profile, assumed }: Pick<Calibration, 'profile' | 'assumed'>,
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
