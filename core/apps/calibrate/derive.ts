/**
 * Derives a profile from results of probes: medians of each parameter, without the recorder's overhead. Parameters that
 * no probe measured come from another profile. If that is of the same kind of GPU, the result is halfway between both,
 * because one probe says no more about running programs than another such machine.
 */
import { groupBy } from '../../groupBy.ts';
import { type DeviceProfile, parseProfile } from '../../machine/profile/profile.ts';
import { type ParameterName, parameterNames, parameterOf } from '../../machine/profile/registry.ts';
import type { Point } from '../../machine/profile/schema.ts';
import { straightTable, timeTable } from '../../machine/profile/table.ts';
import { spread } from '../../statistics.ts';
import type { DeviceInfo } from '../../trace/run.ts';
import type { Finding, Plan } from './plan.ts';
import type { Recorded } from './reading.ts';

/**
 * Makes values that never fall, since a larger copy takes no less time. Neighbours in the wrong order get their
 * geometric mean (isotonic regression, pool adjacent violators), so one slow reading doesn't raise all larger ones.
 */
function ascending(points: readonly Point[]): Point[] {
  const pools: { log: number; count: number }[] = [];
  for (const [, value] of points) {
    let pool = { log: Math.log(value), count: 1 };
    for (let last = pools.at(-1); last !== undefined && last.log > pool.log; last = pools.at(-1)) {
      pools.pop();
      const count = last.count + pool.count;
      pool = { log: (last.log * last.count + pool.log * pool.count) / count, count };
    }
    pools.push(pool);
  }
  const values = pools.flatMap(({ log, count }) => new Array<number>(count).fill(Math.exp(log)));
  // Rounding in the logarithms must not bring two values out of order.
  let least = 0;
  return points.map(([place, value], index) => {
    const pooled = values[index] ?? value;
    least = Math.max(least, Math.abs(pooled / value - 1) < 1e-9 ? value : pooled);
    return [place, least];
  });
}

/** Results of the probes: their iterations, and samples of findings measured without a recorder. */
export interface ProbeResults {
  readonly readings: ReadonlyMap<string, readonly Recorded[]>;
  readonly benched: ReadonlyMap<Finding, readonly number[]>;
  /** Time that recording added in each round of a comparison (`addedNs`). */
  readonly added: ReadonlyMap<ParameterName, readonly number[]>;
}

export interface Provenance {
  readonly name: string;
  /** Null if no GPU was measured. Then the base profile's device stays, and `subject` names what was measured. */
  readonly device: DeviceInfo | null;
  readonly subject?: string | undefined;
  /** Name of the remote host; undefined for this machine. */
  readonly host?: string | undefined;
  /** For example '2026-11-20'. */
  readonly date: string;
  readonly driver: string | null;
  readonly runtime: string | null;
  /** `simulated` if the probes ran on the simulator. */
  readonly how: 'measured' | 'simulated';
}

export interface Derived {
  readonly profile: DeviceProfile;
  /** Parameters that no probe measured; they come from the base profile. */
  readonly assumed: readonly ParameterName[];
}

type Measurement = NonNullable<DeviceProfile['measurements']>[number];
type Value = number | readonly Point[];

interface ReadFinding {
  readonly finding: Finding;
  readonly measurement: Measurement;
  readonly isBenched: boolean;
}

export function deriveProfile(plan: Plan, results: ProbeResults, base: DeviceProfile, from: Provenance): Derived {
  const found = plan.findings.flatMap((finding) => readFinding(finding, results) ?? []);
  const added = [...results.added].flatMap(([name, rounds]) => measurementOf(name, name, comparedProbe, rounds) ?? []);
  const isAlike = from.how === 'measured' && from.device?.name === base.device.name;
  const addedNs = from.how === 'measured' ? (added[0]?.median ?? base.parameters['recorder.callNs'] ?? 0) : 0;
  const measured = new Map<ParameterName, Value>(added.map(({ median }) => ['recorder.callNs', median]));
  for (const [name, own] of groupBy(found, ({ finding }) => finding.path)) {
    const known = isAlike ? base.parameters[name] : undefined;
    const isTable = parameterOf(name).by !== undefined;
    measured.set(name, isTable ? table(name, own, addedNs, known) : number(name, own, addedNs, known));
  }
  const isOfMachine = (name: ParameterName): boolean => !name.startsWith('copies.peer');
  // Copies between devices belong only to the machine that measured them.
  const kept = parameterNames.filter((name) => isOfMachine(name) && base.parameters[name] !== undefined);
  const assumed = kept.filter((name) => !measured.has(name));
  const parameters = {
    ...Object.fromEntries(assumed.map((name) => [name, base.parameters[name]])),
    ...Object.fromEntries(measured),
  };
  const profile = parseProfile({
    ...{ format: base.format, version: base.version, name: from.name, basis: 'measured' },
    source: sourceOf(from, base, assumed, isAlike),
    ...(from.host === undefined ? {} : { host: from.host }),
    device: { ...base.device, ...factsOf(from.device) },
    parameters,
    measurements: [...found.map(({ measurement }) => measurement), ...added],
  });
  return { profile, assumed };
}

const comparedProbe = 'the same calls in a row, with a recorder and without';

function readFinding(finding: Finding, { readings, benched }: ProbeResults): ReadFinding | null {
  const bench = benched.get(finding)?.filter(Number.isFinite) ?? [];
  const read = (readings.get(finding.probe) ?? []).flatMap((recorded) => finding.read(recorded) ?? []);
  const isBenched = bench.length > 0;
  const probe = isBenched ? `${finding.probe}, without a recorder` : finding.probe;
  const place = finding.at === undefined ? '' : ` @ ${finding.at.value} ${finding.at.key}`;
  const measurement = measurementOf(finding.path, finding.path + place, probe, isBenched ? bench : read);
  return measurement === null ? null : { finding, isBenched, measurement };
}

function measurementOf(
  name: ParameterName,
  parameter: string,
  probe: string,
  samples: readonly number[],
): Measurement | null {
  const found = spread(samples.filter((value) => Number.isFinite(value) && value >= 0));
  if (found === null) return null;
  const median = isWhole(name) ? Math.round(found.median) : found.median;
  return { parameter, median, least: found.min, most: found.max, samples: found.count, probe };
}

const isWhole = (name: ParameterName): boolean => {
  const { unit } = parameterOf(name);
  return unit === 'B' || name === 'queue.depth' || name === 'staging.slots';
};

/** Returns whether a recorder makes this call longer: calls that put work into a stream. */
const isLengthened = (name: ParameterName): boolean =>
  name === 'calls.launchNs' || name === 'calls.copyNs' || name.endsWith('.pageable');

/** Returns the median without the recorder's overhead. */
function plain({ finding: { path }, measurement: { median }, isBenched }: ReadFinding, addedNs: number): number {
  return isBenched || !isLengthened(path) ? median : Math.max(Math.min(1, median), median - addedNs);
}

function number(name: ParameterName, found: readonly ReadFinding[], addedNs: number, known: Value | undefined): number {
  const last = found.at(-1);
  if (last === undefined) return Number.NaN;
  const value = halfWay(plain(last, addedNs), typeof known === 'number' ? known : undefined);
  return isWhole(name) ? Math.round(value) : value;
}

/** Replaces zero in tables: a time of zero by the clock was shorter than its tick. */
const smallest = 1e-3;

/** Makes a table in which noise never makes more work take less time. */
function table(name: ParameterName, found: readonly ReadFinding[], addedNs: number, known: Value | undefined): Point[] {
  const points = Array.isArray(known) ? (known as readonly Point[]) : null;
  const isTime = parameterOf(name).unit === 'ns';
  const at = points === null ? null : isTime ? timeTable(points) : straightTable(points);
  const own = found
    .flatMap((one): Point[] => {
      const place = one.finding.at?.value;
      return place === undefined ? [] : [[place, Math.max(halfWay(plain(one, addedNs), at?.(place)), smallest)]];
    })
    .sort(([a], [b]) => a - b);
  return ascending(own);
}

const halfWay = (reading: number, known: number | undefined): number =>
  known === undefined || !(known > 0) || !(reading > 0) ? reading : Math.sqrt(reading * known);

function factsOf(device: DeviceInfo | null): Partial<DeviceProfile['device']> {
  if (device === null) return {};
  const { name, computeCapability, multiprocessors, asyncEngineCount, memoryBytes, linkGeneration, linkWidth } = device;
  const known = { name, computeCapability, multiprocessors, memoryBytes, linkGeneration, linkWidth };
  return asyncEngineCount === null ? known : { ...known, asyncEngineCount };
}

function sourceOf(
  { device, subject, host, date, driver, runtime, how }: Provenance,
  base: DeviceProfile,
  assumed: readonly string[],
  isAlike: boolean,
): string {
  const versions = [
    ...(driver === null ? [] : [`driver for CUDA ${driver}`]),
    ...(runtime === null ? [] : [`CUDA ${runtime}`]),
  ];
  const what = device?.name ?? subject ?? 'a machine without a GPU';
  const half = isAlike ? ` Half of each is the profile "${base.name}", which is of such a machine.` : '';
  const rest =
    assumed.length === 0 ? '' : ` Not measured, taken from the profile "${base.name}": ${assumed.join(', ')}.`;
  return `By copyscope calibrate, ${how} on ${what}${host === undefined ? '' : ` of ${host}`}, ${[date, ...versions].join(', ')}: medians.${half}${rest}`;
}
