/**
 * A profile from what the probes found: medians of what they say of each parameter. What no probe could tell is taken
 * from another profile, and each section's source says what that was. Where that one is of the same kind of GPU, what the
 * recorder adds is taken off, and what probes read less surely than it knows is drawn towards it (trust.ts).
 */
import { spread } from '../analysis/statistics.ts';
import { groupBy } from '../groupBy.ts';
import type { DeviceInfo } from '../program/engine.ts';
import { throughput } from '../simulator/kernelCost.ts';
import { type DeviceProfile, parseProfile } from '../simulator/profile.ts';
import { timeTable } from '../simulator/table.ts';
import { ascending, corrected, type ReadPoint } from './corrections.ts';
import { type Draft, has, hasSection, put, sectionsOf, valueAt, wholeParameters } from './paths.ts';
import { type Finding, type Plan, type PointKey, valueKeys } from './plan.ts';
import type { Recorded } from './reading.ts';
import { agreement, drawn, isOnlyLengthened, isOnlySlowed, recorded, shareOf, trustIn } from './trust.ts';

/** What was found of a probe: its iterations; and by finding, samples that were taken without a recorder. */
export interface ProbeResults {
  readonly readings: ReadonlyMap<string, readonly Recorded[]>;
  readonly benched: ReadonlyMap<Finding, readonly number[]>;
  /** By path in the profile: what recording added in each round of a comparison (`addedNs`). */
  readonly added: ReadonlyMap<string, readonly number[]>;
}

export interface Provenance {
  readonly name: string;
  /** Null where no GPU was measured: then the base profile's device stays, and `subject` says what was. */
  readonly device: DeviceInfo | null;
  readonly subject?: string | undefined;
  /** As '2026-11-20'. */
  readonly date: string;
  readonly driver: string | null;
  readonly runtime: string | null;
  /** measured, or simulated where the probes ran on the simulator. */
  readonly how: 'measured' | 'simulated';
}

export interface Derived {
  readonly profile: DeviceProfile;
  /** Paths of parameters that no probe told: those of the base profile stand. */
  readonly assumed: readonly string[];
}

type Measurement = NonNullable<DeviceProfile['measurements']>[number];

interface Point {
  readonly finding: Finding;
  readonly measurement: Measurement;
  readonly isBenched: boolean;
}

/** What the readings of a machine are held against. */
interface Prior {
  readonly base: DeviceProfile;
  /** The base is of such a machine, so that it knows something of this one. */
  readonly isAlike: boolean;
  readonly isRecorded: boolean;
}

export function deriveProfile(plan: Plan, results: ProbeResults, base: DeviceProfile, from: Provenance): Derived {
  const points = plan.findings.flatMap((finding) => point(finding, results) ?? []);
  const added = [...results.added].flatMap(([path, rounds]) => measurementOf(path, comparedProbe, rounds) ?? []);
  const draft = structuredClone(base) as unknown as Draft;
  const measured = new Set<string>();
  const isRecorded = from.how === 'measured';
  const isAlike = isRecorded && from.device?.name === base.device.name;
  const prior: Prior = { base: { ...base, ...recorderOf(added, base) }, isAlike, isRecorded };
  // Copies between devices belong to this machine, or to none.
  const hasPeers = points.some(({ finding }) => finding.path.startsWith('peer.'));
  draft['peer'] = hasPeers ? { source: '', access: {}, viaHost: {} } : null;
  for (const [path, own] of groupBy(points, ({ finding }) => finding.path)) {
    if (!hasSection(draft, path) || (prior.isAlike && trustIn(path) === 0 && has(draft, path))) continue;
    put(draft, path, own[0]?.finding.at === undefined ? number(path, own, prior) : table(path, own, prior));
    measured.add(path);
  }
  if (prior.base.recorder !== undefined) {
    draft['recorder'] = { ...prior.base.recorder };
    for (const { parameter } of added) measured.add(parameter);
  }
  if (from.device !== null) putDevice(draft, from.device, measured);
  const paths = [...new Set(plan.findings.map(({ path }) => path))];
  const assumed = [...paths, ...notProbed].filter((path) => !measured.has(path) && has(draft, path));
  describe(draft, prior, from, measured, assumed);
  draft['measurements'] = [...points.map(({ measurement }) => measurement), ...added];
  return { profile: parseProfile(draft), assumed };
}

/** Parameters that no experiment tells apart. */
const notProbed = [
  ...['staging.slots', 'host.cached.bytes', 'host.near.bytes', 'host.arrivedPart', 'host.tensorNs'],
  ...['host.startNs', 'calls.coldBytes', 'queue.copyGapNs', 'link.freshFactor'],
  ...['link.overFreshFactor', 'link.besideMappedPart', 'link.mappedBacklogNs', 'link.h2dBesideNs', 'link.d2hBesideNs'],
  ...['kernel.raggedNs', 'kernel.arithmeticBesideCopyNs', 'kernel.fillBytes', 'kernel.streamLeavesAtPart'],
  ...['kernel.arithmeticLeavesAtPart', 'graph.launchGapNs', 'host.readWrongBytesPerSecond', 'host.lastLevelBytes'],
  ...['queue.besideCopyNs', 'queue.turnNs', 'kernel.raggedCopyNs'],
];

function point(finding: Finding, { readings, benched }: ProbeResults): Point | null {
  const bench = benched.get(finding)?.filter(Number.isFinite) ?? [];
  const read = (readings.get(finding.probe) ?? []).flatMap((recorded) => finding.read(recorded) ?? []);
  const isBenched = bench.length > 0;
  const probe = isBenched ? `${finding.probe}, without a recorder` : finding.probe;
  const place = finding.at === undefined ? '' : ` @ ${finding.at.value} ${finding.at.key}`;
  const measurement = measurementOf(finding.path, probe, isBenched ? bench : read, place);
  return measurement === null ? null : { finding, isBenched, measurement };
}

function measurementOf(path: string, probe: string, samples: readonly number[], place = ''): Measurement | null {
  const found = spread(samples.filter((value) => Number.isFinite(value) && value >= 0));
  if (found === null) return null;
  return {
    parameter: path + place,
    median: wholeParameters.has(path) ? Math.round(found.median) : found.median,
    ...{ least: found.min, most: found.max, samples: found.count, probe },
  };
}

const comparedProbe = 'the same calls in a row, with a recorder and without';

/** What this machine's recorder adds, which is to be known before it is taken off; the rest is the base's. */
function recorderOf(added: readonly Measurement[], { recorder }: DeviceProfile): Pick<DeviceProfile, 'recorder'> {
  if (recorder === undefined) return {};
  const told = added.map((measurement) => {
    const key = measurement.parameter.replace('recorder.', '') as 'callNs' | 'copyCallNs';
    return [key, drawn(measurement.median, recorder[key] ?? recorder.callNs, agreement(measurement))];
  });
  return { recorder: { ...recorder, ...Object.fromEntries(told) } };
}

/** What the points say without the recorder. */
function plain({ finding: { path }, measurement, isBenched }: Point, { base, isRecorded }: Prior): number {
  if (isBenched && isOnlyLengthened(path)) return measurement.least;
  const added = isRecorded && !isBenched ? recorded(base, path) : 0;
  return added === 0 ? measurement.median : Math.max(Math.min(1, measurement.median), measurement.median - added);
}

function number(path: string, points: readonly Point[], prior: Prior): number {
  const last = points.at(-1);
  if (last === undefined) return Number.NaN;
  const base = valueAt(prior.base as unknown as Draft, path);
  const known = typeof base === 'number' ? base : null;
  const reading = plain(last, prior);
  const value = drawn(reading, known, prior.isAlike ? shareOf(path, reading, known) : 1);
  return wholeParameters.has(path) ? Math.round(value) : value;
}

/**
 * The points of a table in order; noise never makes more work take less time. Between and beyond the sizes that were read,
 * and for what each says, it keeps the shape of a base that knows such machines.
 */
function table(path: string, points: readonly Point[], prior: Prior): Record<string, number>[] {
  const key = points[0]?.finding.at?.key ?? 'bytes';
  const known = prior.isAlike ? knownTable(prior.base, path, key) : null;
  const found = points
    .flatMap((one) => {
      const place = one.finding.at?.value;
      if (place === undefined) return [];
      const value = drawn(plain(one, prior), known?.at(place) ?? null, prior.isAlike ? trustIn(path) : 1);
      return [{ place, value: Math.max(value, smallest) }];
    })
    .sort((a, b) => a.place - b.place);
  const made = ascending(known === null ? found : corrected(known.points, found, known.at));
  return made.map(({ place, value }) => ({ [key]: place, [valueKeys[key]]: value }));
}

interface KnownTable {
  readonly points: readonly ReadPoint[];
  readonly at: (place: number) => number;
}

function knownTable(base: DeviceProfile, path: string, key: PointKey): KnownTable | null {
  const known = valueAt(base as unknown as Draft, path);
  if (!Array.isArray(known)) return null;
  const points = (known as Draft[]).map((point) => ({
    place: Number(point[key]),
    value: Number(point[valueKeys[key]]),
  }));
  if (key !== 'share')
    return { points, at: timeTable(points.map(({ place, value }) => ({ bytes: place, ns: value }))) };
  const parts = points.map(({ place, value }) => ({ share: place, part: value }));
  return { points, at: (share) => throughput(parts, share) };
}

/** Tables hold no zero: what took no time by the clock took less than its tick. */
const smallest = 1e-3;

function putDevice(draft: Draft, device: DeviceInfo, measured: Set<string>): void {
  const { name, computeCapability, multiprocessors, asyncEngineCount, memoryBytes, linkGeneration, linkWidth } = device;
  const known = { name, computeCapability, multiprocessors, memoryBytes, linkGeneration, linkWidth };
  const facts = asyncEngineCount === null ? known : { ...known, asyncEngineCount };
  draft['device'] = { ...(draft['device'] as Draft), ...facts };
  for (const fact of Object.keys(facts)) measured.add(`device.${fact}`);
}

function describe(
  draft: Draft,
  { base, isAlike }: Prior,
  from: Provenance,
  measured: ReadonlySet<string>,
  assumed: readonly string[],
): void {
  const versions = [
    ...(from.driver === null ? [] : [`driver for CUDA ${from.driver}`]),
    ...(from.runtime === null ? [] : [`CUDA ${from.runtime}`]),
  ];
  const device = from.device?.name ?? from.subject ?? 'a machine without a GPU';
  const isDrawn = (path: string): boolean => path.startsWith('recorder.') || (isAlike && trustIn(path) < 1);
  const origin = `${from.how} on ${device}, ${[from.date, ...versions].join(', ')}`;
  draft['name'] = from.name;
  draft['basis'] = 'measured';
  draft['source'] = `By copyscope calibrate, ${origin}.`;
  for (const section of sectionsOf(draft)) {
    const isOf = (path: string): boolean => path.startsWith(`${section.path}.`);
    const taken = assumed.filter(isOf);
    const own = [...measured].some(isOf);
    const unlike = [...measured].filter((path) => isOf(path) && isDrawn(path));
    const [least, towards] = [unlike.filter(isOnlySlowed), unlike.filter((path) => !isOnlySlowed(path))];
    const about = (words: string, paths: readonly string[]): string =>
      paths.length === 0 ? '' : `${words}: ${paths.join(', ')}.`;
    const words = [
      own ? `copyscope calibrate: medians, ${origin}.` : '',
      about(`Drawn towards the profile "${base.name}", which knows them better than one reading`, towards),
      about(`No less than in the profile "${base.name}", since others on its core only slow a thread`, least),
      about(`Not measured, taken from the profile "${base.name}"`, taken),
    ].filter((sentence) => sentence !== '');
    section.value['source'] = words.length > 0 ? words.join(' ') : `As in the profile "${base.name}".`;
  }
}
