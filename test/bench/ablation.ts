/**
 * What each parameter of the registry buys: node test/bench/run.mjs ablation [--every N] [--profile FILE] [--set NAME=VALUE,…].
 * Each is taken away from h200 in turn, or replaced by what the registry names, and all recorded sets that it was not fitted
 * to are predicted again. A parameter stays if without it the 90th percentile of the makespan's error grows by a point or
 * more, a hundredth of the overlaps or a thousandth of the verdicts' causes turn wrong, or nothing could be predicted at all.
 */
import { readFileSync } from 'node:fs';
import { type DeviceProfile, parseProfile } from '../../core/profile/profile.ts';
import { type ParameterName, parameterNames, parameterOf } from '../../core/profile/registry.ts';
import { type Figures, figuresOf, judge, readJudged } from './support/judged.ts';
import { sets, shippedRuns, trials } from './support/recordedSets.ts';

const option = (name: string, otherwise: string): string => {
  const place = process.argv.indexOf(name);
  return place < 0 ? otherwise : (process.argv[place + 1] ?? otherwise);
};
const every = Number(option('--every', '1'));
const shipped = parseProfile(JSON.parse(readFileSync(option('--profile', 'assets/profiles/h200.json'), 'utf8')));
const changes = option('--set', '')
  .split(',')
  .filter((one) => one !== '');
const profile = changes.reduce((made, change) => {
  const [name = '', value = ''] = change.split('=');
  return withValue(made, name as ParameterName, Number(value));
}, shipped);
const fittedTo: readonly string[] = ['test/fixtures/corpus', 'test/fixtures/corpus2', shippedRuns];
const runs = [...sets.filter((set) => !fittedTo.includes(set)), ...trials]
  .flatMap(readJudged)
  .filter((_, index) => index % every === 0);
const tables = {
  all: runs,
  device: runs.filter((one) => !one.isHostBound),
  host: runs.filter((one) => one.isHostBound),
};

const before = figures(profile);
tell('as it ships', before);
for (const name of parameterNames) {
  if (profile.parameters[name] === undefined) continue;
  const without = withoutOne(name);
  if (without === null) console.log(`${name.padEnd(32)} nothing can be predicted without it`);
  else tell(name, figures(without));
}

type Kind = keyof typeof tables;

function figures(of: DeviceProfile): Record<Kind, Figures> {
  const judged = new Map(runs.map((run) => [run, judge(run, of)]));
  const told = (kind: Kind): Figures => figuresOf(tables[kind].flatMap((run) => judged.get(run) ?? []));
  return { all: told('all'), device: told('device'), host: told('host') };
}

/** Null for what has no stand-in. */
function withoutOne(name: ParameterName): DeviceProfile | null {
  const { ablated, without } = parameterOf(name);
  const value = ablated ?? without;
  if (value === undefined) return null;
  if (typeof value === 'string') return withValue(profile, name, profile.parameters[value as ParameterName]);
  return withValue(profile, name, value ?? undefined);
}

function withValue(of: DeviceProfile, name: ParameterName, value: unknown): DeviceProfile {
  const { [name]: _, ...parameters } = of.parameters as Record<ParameterName, unknown>;
  const changed = value === undefined ? parameters : { ...parameters, [name]: value };
  return { ...of, parameters: changed as unknown as DeviceProfile['parameters'] };
}

function tell(name: string, told: Record<Kind, Figures>): void {
  const percent = (part: number): string => (100 * part).toFixed(1).padStart(5);
  const cells = (['all', 'device', 'host'] as const).map((kind) => {
    const { median, high, close, overlaps, right, causes } = told[kind];
    return `${kind} ${percent(median)} ${percent(high)} ${percent(close / overlaps)} ${percent(right / causes)} (${right} of ${causes})`;
  });
  console.log([name.padEnd(32), ...cells].join(' | '));
}
