/**
 * Measures what each parameter of the registry contributes: node bench/run.mjs ablation [--every N] [--profile FILE]
 * [--set NAME=VALUE,…]. Each is removed from h200 in turn, or replaced as the registry says, and the runs of all
 * machines that h200 has not seen are predicted again. A parameter is worthwhile if without it the 90th percentile of
 * the makespan's error, of all programs or of one kind, grows by a point or more, a hundredth of the overlaps or one
 * more cause of a verdict becomes wrong, or nothing can be predicted at all. Prints a table.
 */
import { readFileSync } from 'node:fs';
import { type DeviceProfile, parseProfile } from '../core/machine/profile/profile.ts';
import { type ParameterName, parameterNames, parameterOf } from '../core/machine/profile/registry.ts';
import { type Figures, figuresOf, judge, readJudged } from './support/judged.ts';
import { trialsElsewhere } from './support/recordedSets.ts';

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
const runs = trialsElsewhere.flatMap(readJudged).filter((_, index) => index % every === 0);
const tables = {
  all: runs,
  device: runs.filter((one) => !one.isHostBound),
  host: runs.filter((one) => one.isHostBound),
};

const kindNames: Readonly<Record<Kind, string>> = { all: 'all', device: 'device or link', host: 'host memory' };
const before = figures(profile);
console.log(`${runs.length} runs\n`);
console.log('| Without | Makespan off, all | Device or link | Host memory | Overlaps | Causes | Earns its place by |');
console.log('|---|---|---|---|---|---|---|');
tell('*nothing*', before, '');
for (const name of parameterNames) {
  if (profile.parameters[name] === undefined) continue;
  const without = withoutOne(name);
  if (without === null) {
    console.log(`| \`${name}\` | | | | | | nothing can be predicted without it |`);
    continue;
  }
  const after = figures(without);
  tell(`\`${name}\``, after, bought(after).join(', ') || '**nothing**');
}

type Kind = keyof typeof tables;

function figures(of: DeviceProfile): Record<Kind, Figures> {
  const judged = new Map(runs.map((run) => [run, judge(run, of)]));
  const told = (kind: Kind): Figures => figuresOf(tables[kind].flatMap((run) => judged.get(run) ?? []));
  return { all: told('all'), device: told('device'), host: told('host') };
}

/** Returns null if the parameter has no replacement. */
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

/** Returns what is lost without it, by the rule above. */
function bought(after: Record<Kind, Figures>): string[] {
  const kinds = (Object.keys(tables) as Kind[]).filter((kind) => after[kind].high - before[kind].high >= 0.01);
  const overlaps = before.all.close - after.all.close;
  const causes = before.all.right - after.all.right;
  return [
    ...kinds.map((kind) => `${kindNames[kind]} +${(100 * (after[kind].high - before[kind].high)).toFixed(1)}`),
    ...(overlaps >= before.all.overlaps / 100 ? [`overlaps -${overlaps}`] : []),
    ...(causes > 0 ? [`causes -${causes}`] : []),
  ];
}

function tell(name: string, told: Record<Kind, Figures>, earned: string): void {
  const percent = (part: number): string => (100 * part).toFixed(1);
  const off = (kind: Kind): string => `${percent(told[kind].median)} / ${percent(told[kind].high)} %`;
  const { close, overlaps, right, causes } = told.all;
  const cells = [
    name,
    off('all'),
    off('device'),
    off('host'),
    `${close} of ${overlaps}`,
    `${right} of ${causes}`,
    earned,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
