/**
 * Runs every shipped example of a verdict's cause, and the overlap cases and races, on this machine's GPU: whether the cause
 * is seen, whether its remedy removes it, and the error of the predicted gain. Prints a line for each in the table of
 * run.sh, and writes all figures to $OUT/gains.json and the runs to $OUT/runs/gains. Only the examples of causes count; the
 * overlap cases and races have another purpose and are listed separately.
 *
 *   node dist/gpu/gains.js [--profile FILE.json] [--seconds 150] [--rounds 4] [--iterations 15] [--only NAME]
 *   node dist/gpu/gains.js --runs FOLDER --profile FILE.json     judges stored runs, and runs the missing ones
 *
 * Without FILE, uses the profile that `copyscope explain` takes for a run of this device. Reports whatever didn't fit into
 * the time as not measured. COPYSCOPE_TRIAL=cpu tries the script without a GPU.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeError, toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { profileCosts } from '../../core/machine/cost/profileCosts.ts';
import { defaultProfile } from '../../core/machine/cost/simEngine.ts';
import { type DeviceProfile, parseProfile } from '../../core/machine/profile/profile.ts';
import { simulate } from '../../core/machine/simulate.ts';
import { lower } from '../../core/program/lower.ts';
import { encodeRun } from '../../core/trace/arrow.ts';
import type { Run } from '../../core/trace/run.ts';
import { attainableFor } from '../../host/cli/attainable.ts';
import { Assets } from '../../host/library/assets.ts';
import { engineKind, example, native, report, runOnGpu } from '../../test/gpu/support.ts';
import { type Gain, gainsOf } from './gain.ts';
import { gainLine, gainSummary, isExample, measuringRule } from './gainLines.ts';
import { KeptRuns } from './keptRuns.ts';

const { values: options } = parseArgs({
  options: {
    profile: { type: 'string' },
    runs: { type: 'string' },
    seconds: { type: 'string', default: '150' },
    iterations: { type: 'string', default: '15' },
    rounds: { type: 'string', default: '4' },
    only: { type: 'string', default: '' },
  },
});
const out = process.env['OUT'] ?? '.';
const endsAt = performance.now() + Number(options.seconds) * 1000;
/** One that hangs must not cost the others their time. */
const mostMsForOne = 30_000;
/** Runs of more rows are recorded with fewer iterations, so that the kept files stay small. */
const mostRows = 1000;
const fewIterations = 5;
/** The first iterations on fresh buffers are slower than all that follow. */
const warmups = 20;

/** Experiments that need more GPUs than exist are left out. */
const gpus = engineKind === 'cuda' ? native.report().devices.length : Number.POSITIVE_INFINITY;
const names = ['verdicts', 'overlap', 'races'].flatMap((folder) =>
  readdirSync(join('assets/examples', folder))
    .map((file) => `${folder}/${file.replace('.json', '')}`)
    .filter((name) => name.includes(options.only))
    .filter((name) => example(name).devices.length <= Math.max(1, gpus))
    .sort(),
);
const kept = options.runs === undefined ? null : new KeptRuns(options.runs);

interface Result {
  readonly experiment: string;
  readonly gains: Gain[];
  /** Why not all of it was measured. */
  problem?: string;
}

const results: Result[] = [];
const say = (text: string): void => {
  console.log(text);
  report(text);
};

// The clocks of a GPU that has just been idle are low, and the first run makes the context.
const warm = kept?.first ?? (await execute(repeated(example('verdicts/same-stream'))).catch(giveUp));
const profile = await profileFor(warm);
if (profile === null) say(`gains: not measured (there is no profile for ${warm.info.device?.name ?? 'this machine'})`);
else {
  say(`gains predicted with the profile ${profile.name}${kept === null ? '' : `, and recorded in ${options.runs}`}`);
  say(measuringRule);
  for (const name of names) await examine(name, profile);
  for (const line of gainSummary(results)) say(line);
}
const examples = results.filter(({ experiment }) => isExample(experiment));
const allHeld =
  profile !== null && examples.every(({ gains, problem }) => problem === undefined && gains.every(({ held }) => held));
if (!allHeld && engineKind === 'cuda') process.exitCode = 1;

function giveUp(thrown: unknown): never {
  say(`gains: not measured (${describeError(toErrorInfo(thrown))})`);
  process.exit(1);
}

async function examine(experiment: string, used: DeviceProfile): Promise<void> {
  const result: Result = { experiment, gains: [] };
  results.push(result);
  let made = 0;
  const run = async (wanted: Experiment): Promise<Run> => {
    const ran = await execute(wanted);
    if (kept === null) {
      made += 1;
      const path = join(out, 'runs/gains', `${experiment}.${String(made).padStart(2, '0')}.arrow`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, encodeRun(ran));
    }
    return ran;
  };
  try {
    if (performance.now() >= endsAt) throw new Error('no time left');
    const tools = { run, profile: used, rounds: Number(options.rounds) };
    for await (const gain of gainsOf(repeated(example(experiment), used), tools)) {
      result.gains.push(gain);
      say(gainLine(experiment, gain));
    }
    if (result.gains.length === 0) say(`${experiment}: the simulator has no cause to take away`);
  } catch (thrown) {
    result.problem = describeError(toErrorInfo(thrown));
    say(`${experiment}: not measured (${result.problem})`);
  }
  save(used);
}

/** After each experiment, so that nothing is lost with the process. */
function save({ name, source }: DeviceProfile): void {
  const { engine, device, versions, machine, createdAt } = warm.info;
  const about = { profile: { name, source }, engine, device, versions, machine, createdAt };
  const file = kept === null ? 'gains.json' : `gains-${name}.json`;
  writeFileSync(join(out, file), JSON.stringify({ ...about, results }, null, 1));
}

function repeated(experiment: Experiment, used?: DeviceProfile): Experiment {
  const rows = used === undefined ? 0 : simulate(lower(experiment), profileCosts(used)).trace.count;
  const iterations = rows > mostRows ? fewIterations : Number(options.iterations);
  return { ...experiment, environment: { ...experiment.environment, iterations, warmups } };
}

async function execute(experiment: Experiment): Promise<Run> {
  const found = kept?.of(experiment);
  if (found !== undefined) return found;
  const problem = native.report().engines.find(({ kind }) => kind === engineKind)?.problem;
  if (kept !== null && problem !== undefined) throw new Error('none of the kept runs is of this change');
  const leftMs = Math.min(mostMsForOne, Math.round(endsAt - performance.now()));
  return runOnGpu(experiment, { signal: AbortSignal.timeout(Math.max(1, leftMs)) });
}

/** The one given, or the one that explains a run of this device. */
async function profileFor({ info }: Run): Promise<DeviceProfile | null> {
  if (options.profile !== undefined) return parseProfile(JSON.parse(readFileSync(options.profile, 'utf8')));
  const assets = new Assets('assets');
  if (info.engine === 'cpu') return parseProfile(await assets.readProfile(defaultProfile));
  const { profile: known = null } = await attainableFor(info, assets, (text) => process.stderr.write(text));
  return known;
}
