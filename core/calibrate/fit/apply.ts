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

/** `value` says what to take for a reading: what its runs say, where left out. */
export function applyReadings(
  base: DeviceProfile,
  readings: readonly Reading[],
  value: (reading: Reading) => number = told,
): DeviceProfile {
  const draft = structuredClone(base) as unknown as Draft;
  for (const path of new Set(readings.map((one) => one.path))) {
    const own = readings.filter((one) => one.path === path);
    const known = valueAt(draft, path);
    if (Array.isArray(known)) put(draft, path, table(path, known as Draft[], own, value));
    else if (known !== undefined || added.has(path))
      putNumber(draft, path, own[0] === undefined ? Number.NaN : value(own[0]));
  }
  return parseProfile(draft);
}

/** A rate of nothing would be no rate, and a time below the clock's tick is none. */
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

function table(
  path: string,
  known: readonly Draft[],
  readings: readonly Reading[],
  valueFor: (reading: Reading) => number,
): Draft[] {
  const key: PointKey = readings[0]?.at?.key ?? 'bytes';
  const name = key === 'share' ? 'part' : 'ns';
  const points = known.map((point) => ({ place: Number(point[key]), value: Number(point[name]) }));
  const read = readings.flatMap((reading) => {
    const value = Math.max(valueFor(reading), key === 'share' ? smallestPart : smallest);
    return reading.at === undefined || !Number.isFinite(value) ? [] : [{ place: reading.at.value, value }];
  });
  // Parts are of what all multiprocessors do, and that is a parameter of its own.
  const whole = key === 'share' ? points.filter(({ place }) => place === 1) : [];
  const times = timeTable(points.map(({ place, value }) => ({ bytes: place, ns: value })));
  const parts = points.map(({ place, value }) => ({ share: place, part: value }));
  const at = key === 'share' ? (share: number): number => throughput(parts, share) : times;
  const made = isSizeless.test(path) ? scaled(points, read, at) : corrected(points, [...read, ...whole], at);
  const ordered = key === 'share' ? made : ascending(made);
  return ordered.map(({ place, value }) => ({ [key]: place, [name]: key === 'share' ? Math.min(1, value) : value }));
}
