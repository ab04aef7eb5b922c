/** Puts what was read from recorded runs into a profile, within what the profile's schema allows. */
import { spread } from '../../analysis/statistics.ts';
import { throughput } from '../../simulator/kernelCost.ts';
import { type DeviceProfile, parseProfile } from '../../simulator/profile.ts';
import { timeTable } from '../../simulator/table.ts';
import { ascending, corrected, type Point } from '../corrections.ts';
import { type Draft, put, valueAt, wholeParameters } from '../paths.ts';
import type { PointKey } from '../plan.ts';
import { type Reading, told } from './readings.ts';

/** Tables hold no zero: what took no time by the clock took less than its tick. */
const smallest = 1e-3;
/** A share of the multiprocessors does nothing only by mistake, and no more than all of them. */
const smallestPart = 1e-3;

/** Parameters that a profile may leave out. */
const added: ReadonlySet<string> = new Set(['host.readBytesPerSecond', 'host.writeBytesPerSecond']);

export function applyReadings(base: DeviceProfile, readings: readonly Reading[]): DeviceProfile {
  const draft = structuredClone(base) as unknown as Draft;
  for (const path of new Set(readings.map((one) => one.path))) {
    const own = readings.filter((one) => one.path === path);
    const known = valueAt(draft, path);
    if (Array.isArray(known)) put(draft, path, table(path, known as Draft[], own));
    else if (known !== undefined || added.has(path))
      putNumber(
        draft,
        path,
        own[0] === undefined ? Number.NaN : weighed(told(own[0]), known as number | undefined, own[0].samples.length),
      );
  }
  return parseProfile(draft);
}

/** A rate of nothing would be no rate, and a time below the clock's tick is none. */
/** What the base has counts as much as so many runs: a single one may have been an odd one. */
const priorRuns = 2;

/** What so many runs say, drawn towards what the base has, on logarithms. A base without the parameter says nothing. */
function weighed(said: number, known: number | undefined, runs: number): number {
  if (known === undefined || !(known > 0) || !(said > 0)) return said;
  return known * (said / known) ** (runs / (runs + priorRuns));
}

function putNumber(draft: Draft, path: string, value: number): void {
  const isRate = path.endsWith('PerSecond');
  if (!Number.isFinite(value) || (isRate && value <= 0)) return;
  put(draft, path, wholeParameters.has(path) ? Math.max(1, Math.round(value)) : value);
}

/** Calls that don't touch the data: what one size tells holds for all. */
const isSizeless = /^(copies\.(h2d\.pinned|d2h\.pinned|d2d)|memset)\.call$/;

function scaled(points: readonly Point[], read: readonly Point[], at: (place: number) => number): Point[] {
  const by = spread(read.map(({ place, value }) => value / at(place)))?.median ?? 1;
  return points.map(({ place, value }) => ({ place, value: value * by }));
}

/** Fewer runs than this may all have been odd ones. */
const enoughRuns = 3;

/** What few runs say of one size is put right where it lies far from what others say of the sizes on both sides. */
function withoutOdd(read: readonly (Point & { readonly runs: number })[], at: (place: number) => number): Point[] {
  const ratios = read.map(({ place, value }) => value / at(place));
  return read.map(({ place, value, runs }, index) => {
    const three = ratios.slice(Math.max(0, index - 1), index + 2);
    const middle = three.length < 3 || runs >= enoughRuns ? undefined : spread(three)?.median;
    return { place, value: middle === undefined ? value : middle * at(place) };
  });
}

function table(path: string, known: readonly Draft[], readings: readonly Reading[]): Draft[] {
  const key: PointKey = readings[0]?.at?.key ?? 'bytes';
  const name = key === 'share' ? 'part' : 'ns';
  const points = known.map((point) => ({ place: Number(point[key]), value: Number(point[name]) }));
  const times = timeTable(points.map(({ place, value }) => ({ bytes: place, ns: value })));
  const parts = points.map(({ place, value }) => ({ share: place, part: value }));
  const at = key === 'share' ? (share: number): number => throughput(parts, share) : times;
  const read = readings.flatMap((reading) => {
    const value = Math.max(told(reading), key === 'share' ? smallestPart : smallest);
    const { at: where, samples } = reading;
    if (where === undefined || !Number.isFinite(value)) return [];
    return [{ place: where.value, value: weighed(value, at(where.value), samples.length), runs: samples.length }];
  });
  // Parts are of what all multiprocessors do, and that is a parameter of its own.
  const whole = key === 'share' ? points.filter(({ place }) => place === 1) : [];
  const made = isSizeless.test(path)
    ? scaled(points, read, at)
    : corrected(points, [...withoutOdd(read, at), ...whole], at);
  const ordered = key === 'bytes' ? ascending(made) : made;
  return ordered.map(({ place, value }) => ({ [key]: place, [name]: key === 'share' ? Math.min(1, value) : value }));
}
