/** The fitted profile as a document: each section says which of its numbers are from recorded runs, and which aren't. */
import { spread } from '../../analysis/statistics.ts';
import { type DeviceProfile, parseProfile } from '../../simulator/profile.ts';
import { type Draft, sectionsOf, valueAt } from '../paths.ts';
import type { Fitted } from './fit.ts';
import type { Reading } from './readings.ts';

export interface FitOrigin {
  readonly name: string;
  /** Of the GPU that the runs are from, or what simulated them. */
  readonly device: string;
  /** As '2026-11-20': of the latest run. */
  readonly date: string;
  readonly runs: number;
}

const longestSource = 4000;

export function describeFit(
  { profile, readings, turned }: Fitted,
  base: DeviceProfile,
  from: FitOrigin,
): DeviceProfile {
  const draft = structuredClone(profile) as unknown as Draft;
  const origin = `${from.runs} recorded runs of ${from.device}, ${from.date}`;
  const turnedPaths = new Set(turned.map(({ knob }) => knob.path));
  const readPaths = new Set(readings.map(({ path }) => path));
  draft['name'] = from.name;
  draft['basis'] = 'measured';
  draft['source'] = cut(`Fitted to ${origin}, by copyscope calibrate --from-runs, from the profile "${base.name}".`);
  const sections = sectionsOf(draft);
  for (const { path, value } of sections) {
    // A section within another one has a source of its own.
    const inner = sections.filter((other) => other.path.startsWith(`${path}.`));
    const names = (paths: ReadonlySet<string>): string[] =>
      [...paths]
        .filter((one) => one.startsWith(`${path}.`) && !inner.some((other) => one.startsWith(`${other.path}.`)))
        .map((one) => one.slice(path.length + 1))
        .sort();
    value['source'] = sourceOf(origin, names(readPaths), names(turnedPaths), base.name, String(value['source']));
  }
  const own = readings.filter(({ path }) => !turnedPaths.has(path)).flatMap((one) => measurementOf(one, profile) ?? []);
  const replaced = new Set([...readPaths, ...turnedPaths]);
  const kept = (base.measurements ?? []).filter(({ parameter }) => !replaced.has(parameter.split(' @ ')[0] ?? ''));
  draft['measurements'] = [...own, ...kept];
  return parseProfile(draft);
}

function sourceOf(origin: string, read: string[], turned: string[], base: string, before: string): string {
  if (read.length + turned.length === 0) return before;
  const onlyRead = read.filter((name) => !turned.includes(name));
  const sentences = [
    ...(onlyRead.length === 0 ? [] : [`Medians of the rows of ${origin}, recorder attached: ${onlyRead.join(', ')}.`]),
    ...(turned.length === 0 ? [] : [`Fitted to the makespans and overlaps of ${origin}: ${turned.join(', ')}.`]),
  ];
  return cut(`${sentences.join(' ')} The rest, and tables between those sizes, from the profile "${base}": ${before}`);
}

const cut = (text: string): string => (text.length <= longestSource ? text : `${text.slice(0, longestSource - 1)}…`);

type Measurement = NonNullable<DeviceProfile['measurements']>[number];

function measurementOf({ path, at, samples }: Reading, profile: DeviceProfile): Measurement | null {
  const found = spread(samples);
  if (found === null || inProfile(profile, path, at) === null) return null;
  const place = at === undefined ? '' : ` @ ${at.value} ${at.key}`;
  const { median, min: least, max: most, count } = found;
  return { parameter: path + place, median, least, most, samples: count, probe: 'recorded runs, one sample each' };
}

/** What the profile came to have; null where it has nothing there. */
function inProfile(profile: DeviceProfile, path: string, at: Reading['at']): number | null {
  const place = valueAt(profile as unknown as Draft, path);
  if (!Array.isArray(place)) return typeof place === 'number' ? place : null;
  const point = (place as Draft[]).find((one) => at !== undefined && one[at.key] === at.value);
  const value = point?.[at?.key === 'share' ? 'part' : 'ns'];
  return typeof value === 'number' ? value : null;
}
