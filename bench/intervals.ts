/**
 * Measures how often recordings lie in the predicted interval: node bench/run.mjs intervals [--derive]. The spreads of
 * core/machine/cost/spread.ts come from every other trial's machine; this prints the other machines first, then those. h200 has seen
 * none. Each is predicted with h200, with the profile calibrated there, and with each run's own rows, which include the
 * makespan. Targets: 86 to 96 % of the makespans inside. --derive prints the spreads with the smallest interval score
 * (Gneiting and Raftery, 2007) of the first half. --set FOLDER lists that set's runs, predicted with h200 as shipped.
 */
import { readFileSync } from 'node:fs';
import { figuresAround, rangeAround } from '../core/machine/cost/interval.ts';
import { profileCosts, recordingCosts } from '../core/machine/cost/profileCosts.ts';
import { shownBy, shownCosts } from '../core/machine/cost/runCosts.ts';
import { type CostsOf, machinesAround, slower, spreadGroups } from '../core/machine/cost/spread.ts';
import { type DeviceProfile, parseProfile } from '../core/machine/profile/profile.ts';
import { simulate } from '../core/machine/simulate.ts';
import { median } from '../core/statistics.ts';
import { atOnce } from '../core/steps.ts';
import { decodeRun } from '../core/trace/arrow.ts';
import { recordings } from '../test/support/recordings.ts';
import { type Case, derive } from './support/deriveSpreads.ts';
import { type JudgedRun, readJudged } from './support/judged.ts';
import { plainMakespan } from './support/recordedRun.ts';
import { calibratedFor, unseenTrials } from './support/recordedSets.ts';

const read = (file: string): DeviceProfile => parseProfile(JSON.parse(readFileSync(file, 'utf8')));
const shipped = read('assets/profiles/h200.json');
const isDeriving = process.argv.includes('--derive');
/** Slowed by so much, a program that host memory decides takes longer by at least a quarter of it. */
const [slowed, decides] = [1.2, 0.25];

interface IntervalCase extends Case {
  readonly id: string;
  readonly folder: string;
  readonly ofHost: boolean;
  readonly low: number;
  readonly high: number;
}

/** Input of a prediction, and the recording that it is compared with. */
interface Asked {
  readonly profile: DeviceProfile;
  readonly costsOf: CostsOf;
  readonly recordedNs: number;
}

type Ask = (folder: string, run: JudgedRun) => Asked | null;

const whileRecorded =
  (profileFor: (folder: string) => DeviceProfile): Ask =>
  (folder, { makespanNs, timing, plainNs }) =>
    timing === 'cupti'
      ? { profile: profileFor(folder), costsOf: recordingCosts, recordedNs: makespanNs }
      : { profile: profileFor(folder), costsOf: profileCosts, recordedNs: plainNs ?? makespanNs };

/** Predicts without a recorder, like the gains of a run. */
const byOwnRows: Ask = (folder, { id }) => {
  const bytes = new Map(recordings(folder)).get(id);
  if (bytes === undefined) return null;
  const run = decodeRun(bytes);
  const shown = shownBy(run, shipped);
  const recordedNs = plainMakespan(run.info) ?? 0;
  if (shown.size === 0 || recordedNs <= 0) return null;
  return { profile: shipped, costsOf: shownCosts(shown), recordedNs };
};

const calibrated = new Map(unseenTrials.map((folder) => [folder, read(calibratedFor.get(folder) ?? '')]));
const kinds: readonly (readonly [name: string, Ask])[] = [
  ["the run's own rows", byOwnRows],
  ['calibrated there', whileRecorded((folder) => calibrated.get(folder) ?? shipped)],
  ['h200 as it ships', whileRecorded(() => shipped)],
];

const option = (name: string): string | undefined =>
  process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined;
const set = option('--set');
if (set !== undefined) {
  const profile = read(option('--profile') ?? 'assets/profiles/h200.json');
  const all = tellSet(
    set,
    whileRecorded(() => profile),
  );
  for (const { id, recordedNs, pointNs, low, high } of all) {
    const times = [low, pointNs, high, recordedNs].map((ns) => `${(ns / 1000).toFixed(1)} µs`);
    const how = recordedNs < low ? ' BELOW' : recordedNs > high ? ' ABOVE' : '';
    console.log(`${id}: ${times[0]} to ${times[2]}, middle ${times[1]}, recorded ${times[3]}${how}`);
  }
  summarise(set, all);
  process.exit(0);
}

const [derivedOf = [], tested = []] = [0, 1].map((half) => unseenTrials.filter((_, index) => index % 2 === half));
/** A profile that knows less of the machine errs at least as far. */
let least: readonly number[] | undefined;
for (const [name, ask] of kinds) {
  const [first = [], second = []] = [derivedOf, tested].map((sets) => sets.flatMap((folder) => tellSet(folder, ask)));
  console.log(`\n${name}`);
  for (const folder of tested) {
    const own = second.filter((one) => one.folder === folder);
    summarise(folder, own);
  }
  summarise('machines that the spreads are not of', second);
  summarise('machines that they are of', first);
  if (!isDeriving) continue;
  least = derive(first, least);
  const spreads = least.map((by, place) => `${spreadGroups[place]?.name ?? 'the rest'} ${by.toFixed(2)}`);
  console.log(`spreads: ${spreads.join(', ')}`);
}

function tellSet(folder: string, ask: Ask): IntervalCase[] {
  return readJudged(folder).flatMap((run) => {
    const asked = ask(folder, run);
    return asked === null ? [] : { folder, ...tell(run, asked) };
  });
}

function tell({ id, program }: JudgedRun, { profile, costsOf, recordedNs }: Asked): Omit<IntervalCase, 'folder'> {
  const machines = machinesAround(profile, costsOf);
  if (machines === null) throw new Error(`${profile.name} is of published figures: it tells no interval`);
  const lasts = (one: DeviceProfile): number => simulate(program, costsOf(one, one)).makespanNs;
  const slowedIn = ({ of }: (typeof spreadGroups)[number], by: number): number =>
    lasts(slower(profile, (path) => (of.test(path) ? by : 1)));
  const pointNs = lasts(profile);
  const around = atOnce(figuresAround(program, machines, ({ makespanNs }): number => makespanNs));
  if (around === null) throw new Error(`${id} can't be simulated`);
  const [low, high] = rangeAround(pointNs, around);
  const [host] = spreadGroups;
  const ofHost = host !== undefined && Math.log(slowedIn(host, slowed) / pointNs) > decides * Math.log(slowed);
  const turned = (by: number): number[] => spreadGroups.map((group) => slowedIn(group, by));
  return { id, pointNs, recordedNs, ofHost, low, high, ...(isDeriving ? { turned } : {}) };
}

function summarise(name: string, all: readonly IntervalCase[]): void {
  const kinds = [
    ['all', all],
    ['host memory decides', all.filter(({ ofHost }) => ofHost)],
    ['device or link', all.filter(({ ofHost }) => !ofHost)],
  ] as const;
  const parts = kinds.map(([kind, some]) => `${kind}: ${coverage(some)}`);
  console.log(`${name}: ${parts.join('; ')}`);
}

/** Within, below and above, and how wide the interval is as a part of what is predicted. */
function coverage(all: readonly IntervalCase[]): string {
  if (all.length === 0) return 'none';
  const below = all.filter(({ recordedNs, low }) => recordedNs < low).length;
  const above = all.filter(({ recordedNs, high }) => recordedNs > high).length;
  const within = (100 * (all.length - below - above)) / all.length;
  const width = 100 * median(all.map(({ low, high, pointNs }) => (high - low) / pointNs));
  return `${within.toFixed(1)} % of ${all.length} within (${below} below, ${above} above), median width ${width.toFixed(1)} %`;
}
