/**
 * A profile from what the probes found: medians of what they say of each parameter. What no probe could tell is taken
 * from another profile, and each section's source says what that was.
 */
import type { DeviceInfo } from '../program/engine.ts';
import { type DeviceProfile, parseProfile } from '../simulator/profile.ts';
import { ascending } from './corrections.ts';
import { type Draft, has, put, sectionsOf, wholeParameters } from './paths.ts';
import type { Finding, Plan } from './plan.ts';
import type { Recorded } from './reading.ts';

/** What was found of a probe: its iterations; and by finding, samples that were taken without a recorder. */
export interface ProbeResults {
  readonly readings: ReadonlyMap<string, readonly Recorded[]>;
  readonly benched: ReadonlyMap<Finding, readonly number[]>;
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
}

export function deriveProfile(plan: Plan, results: ProbeResults, base: DeviceProfile, from: Provenance): Derived {
  const points = plan.findings.flatMap((finding) => point(finding, results) ?? []);
  const draft = structuredClone(base) as unknown as Draft;
  const measured = new Set<string>();
  // Copies between devices belong to this machine, or to none.
  const hasPeers = points.some(({ finding }) => finding.path.startsWith('peer.'));
  draft['peer'] = hasPeers ? { source: '', access: {}, viaHost: {} } : null;
  for (const [path, own] of byPath(points)) {
    if (own[0]?.finding.at === undefined) put(draft, path, own.at(-1)?.measurement.median ?? Number.NaN);
    else put(draft, path, table(own));
    measured.add(path);
  }
  if (from.device !== null) putDevice(draft, from.device, measured);
  const paths = [...new Set(plan.findings.map(({ path }) => path))];
  const assumed = [...paths, ...notProbed].filter((path) => !measured.has(path) && has(draft, path));
  describe(draft, base, from, measured, assumed);
  draft['measurements'] = points.map(({ measurement }) => measurement);
  return { profile: parseProfile(draft), assumed };
}

/** Parameters that no experiment tells apart. */
const notProbed = [
  ...['staging.slots', 'host.threads', 'host.cached', 'host.writeBytesPerSecond', 'host.readBytesPerSecond'],
  ...['host.indexBytesPerSecond', 'host.randomBytesPerSecond', 'host.readRandomBytesPerSecond', 'host.memcpyNs'],
  ...['host.readArrivedBytesPerSecond', 'host.arrivedPart', 'host.sleeperWakeNs'],
  ...[
    'calls.coldNs',
    'calls.coldBytes',
    'calls.contendedNs',
    'queue.queuedCopyNs',
    'link.freshFactor',
    'kernel.memoryLatencyNs',
  ],
  ...['link.overFreshFactor', 'link.h2dBesideNs', 'link.d2hBesideNs'],
  ...['kernel.l2LatencyNs', 'kernel.arithmeticNs', 'calls.otherNs', 'calls.meetingNs'],
];

function point(finding: Finding, { readings, benched }: ProbeResults): Point | null {
  const bench = benched.get(finding)?.filter(Number.isFinite) ?? [];
  const read = (readings.get(finding.probe) ?? []).flatMap((recorded) => finding.read(recorded) ?? []);
  const samples = (bench.length > 0 ? bench : read).filter((value) => Number.isFinite(value) && value >= 0);
  if (samples.length === 0) return null;
  const sorted = [...samples].sort((a, b) => a - b);
  const place = finding.at === undefined ? '' : ` @ ${finding.at.value} ${finding.at.key}`;
  return {
    finding,
    measurement: {
      parameter: finding.path + place,
      median: median(sorted, finding.path),
      least: sorted[0] ?? 0,
      most: sorted.at(-1) ?? 0,
      samples: sorted.length,
      probe: bench.length > 0 ? `${finding.probe}, without a recorder` : finding.probe,
    },
  };
}

function median(sorted: readonly number[], path: string): number {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  const value = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
  return wholeParameters.has(path) ? Math.round(value) : value;
}

function byPath(points: readonly Point[]): Map<string, Point[]> {
  const paths = new Map<string, Point[]>();
  for (const one of points) paths.set(one.finding.path, [...(paths.get(one.finding.path) ?? []), one]);
  return paths;
}

/** The points of a table in order; noise never makes more work take less time. */
function table(points: readonly Point[]): Record<string, number>[] {
  const key = points[0]?.finding.at?.key ?? 'bytes';
  const found = points.flatMap(({ finding: { at }, measurement }) =>
    at === undefined ? [] : [{ place: at.value, value: Math.max(measurement.median, smallest) }],
  );
  const sorted = ascending(found.sort((a, b) => a.place - b.place));
  return sorted.map(({ place, value }) => ({ [key]: place, [key === 'share' ? 'part' : 'ns']: value }));
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
  base: DeviceProfile,
  from: Provenance,
  measured: ReadonlySet<string>,
  assumed: readonly string[],
): void {
  const versions = [
    ...(from.driver === null ? [] : [`driver for CUDA ${from.driver}`]),
    ...(from.runtime === null ? [] : [`CUDA ${from.runtime}`]),
  ];
  const device = from.device?.name ?? from.subject ?? 'a machine without a GPU';
  const origin = `${from.how} on ${device}, ${[from.date, ...versions].join(', ')}`;
  draft['name'] = from.name;
  draft['basis'] = 'measured';
  draft['source'] = `By copyscope calibrate, ${origin}.`;
  for (const section of sectionsOf(draft)) {
    const isOf = (path: string): boolean => path.startsWith(`${section.path}.`);
    const taken = assumed.filter(isOf);
    const own = [...measured].some(isOf);
    const words = own ? `copyscope calibrate: medians, ${origin}.` : '';
    const rest = taken.length === 0 ? '' : ` Not measured, taken from the profile "${base.name}": ${taken.join(', ')}.`;
    section.value['source'] = own || taken.length > 0 ? `${words}${rest}`.trim() : `As in the profile "${base.name}".`;
  }
}
