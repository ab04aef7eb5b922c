/**
 * Every shipped example of a verdict's cause, and the overlap cases and races, on the GPU at hand: whether the cause is
 * seen, whether its remedy takes it away, and how far the predicted gain is from the measured one. A line for each in
 * the table of run.sh, all figures in $OUT/gains.json, and the runs in $OUT/runs/gains.
 *
 *   node dist/gpu/gains.js [--profile FILE.json] [--seconds 150] [--iterations 15] [--only NAME]
 *
 * The profile is the one that `copyscope explain` takes for a run of this device, unless FILE is given. What is not done
 * when the time is over is said to be not measured. COPYSCOPE_TRIAL=cpu tries the script where there is no GPU.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeError, toErrorInfo } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { lower } from '../../../core/program/lower.ts';
import { type DeviceProfile, parseProfile } from '../../../core/simulator/profile.ts';
import { simulate } from '../../../core/simulator/simulate.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { attainableFor } from '../../../host/cli/attainable.ts';
import { Assets } from '../../../host/service/assets.ts';
import { engineKind, example, native, report, runOnGpu } from '../../gpu/support.ts';
import { type Gain, gainsOf } from './gain.ts';
import { gainLine, gainSummary } from './gainLines.ts';

const { values: options } = parseArgs({
  options: {
    profile: { type: 'string' },
    seconds: { type: 'string', default: '150' },
    iterations: { type: 'string', default: '15' },
    only: { type: 'string' },
  },
});
const out = process.env['OUT'] ?? '.';
const runFolder = join(out, 'runs/gains');
const endsAt = performance.now() + Number(options.seconds) * 1000;
/** Runs of more rows are recorded with fewer iterations, so that the kept files stay small. */
const mostRows = 1000;
const fewIterations = 5;

const names = ['verdicts', 'overlap', 'races'].flatMap((folder) =>
  readdirSync(join('assets/examples', folder))
    .map((file) => `${folder}/${file.replace('.json', '')}`)
    .filter((name) => options.only === undefined || name.includes(options.only))
    .sort(),
);

const results: { experiment: string; gains: readonly Gain[]; problem?: string }[] = [];
const say = (text: string): void => {
  console.log(text);
  report(text);
};

mkdirSync(runFolder, { recursive: true });
const [first] = names;
// The clocks of a GPU that has just been idle are low, and the first run makes the context.
const warm = first === undefined ? null : await execute(repeated(example(first)));
const profile = warm === null ? null : await profileFor();
if (profile !== null) say(`gains predicted with the profile ${profile.name}`);
for (const name of names) if (profile !== null) await examine(name, profile);
for (const line of gainSummary(results)) say(line);
if (results.some(({ gains, problem }) => problem !== undefined || gains.some(({ held }) => !held))) {
  process.exitCode = engineKind === 'cpu' ? 0 : 1;
}

async function examine(name: string, used: DeviceProfile): Promise<void> {
  const kept: { path: string; bytes: Uint8Array }[] = [];
  try {
    if (performance.now() >= endsAt) throw new Error('no time left');
    const gains = await gainsOf(repeated(example(name), used), {
      run: execute,
      profile: used,
      keep: (run, cause) => {
        const what = cause === null ? 'before' : `${cause}.after`;
        kept.push({ path: join(runFolder, `${name.replace('/', '-')}.${what}.arrow`), bytes: encodeRun(run) });
      },
    });
    results.push({ experiment: name, gains });
    for (const gain of gains) say(gainLine(name, gain));
    if (gains.length === 0) say(`${name}: no cause to take away, as the simulator says too`);
  } catch (thrown) {
    const problem = describeError(toErrorInfo(thrown));
    results.push({ experiment: name, gains: [], problem });
    say(`${name}: not measured (${problem})`);
  }
  for (const { path, bytes } of kept) writeFileSync(path, bytes);
  const { devices, driverVersion } = native.report();
  const about = { engine: engineKind, device: devices[0] ?? null, driverVersion, date: new Date().toISOString() };
  writeFileSync(join(out, 'gains.json'), JSON.stringify({ ...about, profile: used.name, results }, null, 1));
}

function repeated(experiment: Experiment, used?: DeviceProfile): Experiment {
  const rows = used === undefined ? 0 : simulate(lower(experiment), used).trace.count;
  const iterations = rows > mostRows ? fewIterations : Number(options.iterations);
  return { ...experiment, environment: { ...experiment.environment, iterations, warmups: 3 } };
}

function execute(experiment: Experiment) {
  return runOnGpu(experiment, { signal: AbortSignal.timeout(Math.max(1, Math.round(endsAt - performance.now()))) });
}

/** The one given, or the one that explains a run of this device. */
async function profileFor(): Promise<DeviceProfile | null> {
  if (options.profile !== undefined) return parseProfile(JSON.parse(readFileSync(options.profile, 'utf8')));
  const assets = new Assets('assets');
  if (engineKind === 'cpu') return parseProfile(await assets.readProfile('h200'));
  const { profile: found } =
    warm === null ? {} : await attainableFor(warm.info, assets, (text) => process.stderr.write(text));
  if (found === undefined) say(`gains: not measured (no profile for ${warm?.info.device?.name ?? 'this device'})`);
  return found ?? null;
}
