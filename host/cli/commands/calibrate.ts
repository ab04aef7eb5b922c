/** `copyscope calibrate`: measures this machine and writes a device profile for the simulator. */

import { measureBlocks } from '../../../core/apps/calibrate/blocks.ts';
import type { Measured, Measurement } from '../../../core/apps/calibrate/measurement.ts';
import { CopyscopeError, describeError } from '../../../core/errors.ts';
import { defaultProfile } from '../../../core/machine/cost/simEngine.ts';
import type { DeviceProfile } from '../../../core/machine/profile/profile.ts';
import { type Calibration, calibrateEngine, requireEngine } from '../../calibrate/calibrateEngine.ts';
import { type KeptProfile, keepProfile, requireFreeName } from '../../calibrate/keepProfile.ts';
import { writeWhole } from '../../files/files.ts';
import { dataFolder } from '../../paths.ts';
import type { Terminal } from '../io.ts';
import { statusLine } from '../progress.ts';
import { limited, wrap } from '../render/text.ts';
import type { Tools } from './run.ts';

export interface CalibrateOptions {
  readonly engine: 'cuda' | 'sim';
  readonly profile?: string | undefined;
  readonly name?: string | undefined;
  readonly base: string;
  readonly out?: string | undefined;
  readonly quick: boolean;
  /** File for the table of block copies, which is written instead of a profile. */
  readonly blocks?: string | undefined;
  readonly json: boolean;
}

export async function calibrateMachine(tools: Tools, options: CalibrateOptions): Promise<void> {
  refuseProfile(options);
  if (options.blocks !== undefined) return calibrateBlocks(tools, options.blocks, options.json);
  await requireFreeName(tools.assets, options.name ?? 'unnamed');
  // A job of Slurm names the node that it measures.
  const host = tools.context.environment['COPYSCOPE_NODE'];
  await keep(tools, { ...options, host }, await calibrateHere(tools, { ...options, host }));
}

/** Measures copies of blocks on the first GPU, and writes which strategy is the fastest for which shape. */
async function calibrateBlocks({ context, engine }: Tools, path: string, json: boolean): Promise<void> {
  const { terminal, signal } = context;
  const report = await engine.report();
  requireEngine(report, { engine: 'cuda' });
  const line = statusLine(terminal);
  const about = { device: report.devices[0]?.name ?? '', date: new Date().toISOString().slice(0, 10) };
  const measure = (measurement: Measurement): Promise<Measured> => engine.measure(measurement, signal);
  const show = (done: number, total: number, what: string): void => line.show(`Measuring ${done}/${total}: ${what}`);
  const table = await measureBlocks(measure, about, show).finally(line.clear);
  await writeWhole(path, `${JSON.stringify(table, null, 1)}\n`);
  if (json) await terminal.json(table);
  else terminal.out([`Measured ${table.rows.length} shapes of block copies on ${table.device}. Written to ${path}.`]);
}

type OfNode = CalibrateOptions & { readonly host: string | undefined };

async function calibrateHere({ context, engine, assets }: Tools, options: OfNode): Promise<Calibration> {
  const line = statusLine(context.terminal);
  const base = await assets.readProfile(options.base);
  const request = { ...options, profile: options.profile ?? defaultProfile, base };
  const onProgress = (done: number, total: number, what: string): void =>
    line.show(`Calibrating ${done}/${total}: ${what}`);
  const tools = { engine, assets, signal: context.signal, onProgress };
  return calibrateEngine(request, tools).finally(line.clear);
}

/** Names the profile, writes it among the user's own, and prints its figures. */
async function keep({ context, assets }: Tools, options: OfNode, found: Calibration): Promise<void> {
  const { terminal, environment } = context;
  const to = { assets, dataFolder: dataFolder(environment), out: options.out };
  const kept = await keepProfile(to, options, found);
  const problems = found.failed.map(({ probe, error }) => `${probe}: ${describeError(error)}`);
  if (options.json) await terminal.json(kept.profile);
  else terminal.out(describe(kept, problems, terminal));
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

function describe({ profile, assumed, path }: KeptProfile, problems: readonly string[], terminal: Terminal): string[] {
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
