/**
 * Readings of sizes that few runs have, counted to the nearest size of the base's table. Runs of all kinds of experiments
 * have copies of sizes that no other has, and each would become a point of its own that one odd run decides. What a size
 * says is the ratio to what the base has there, and that holds for its neighbour too.
 */
import type { DeviceProfile } from '../../simulator/profile.ts';
import { timeTable } from '../../simulator/table.ts';
import { tableAt } from '../paths.ts';
import type { Reading } from './readings.ts';

/** A size that so many runs tell stays a point of its own. */
const severalRuns = 3;

/** In the order of `readings`; numbers, and tables of other things than bytes, stay as they are. */
export function gathered(base: DeviceProfile, readings: readonly Reading[]): Reading[] {
  const found = new Map<string, Reading>();
  for (const reading of readings) {
    const own = nearest(base, reading);
    const key = own.at === undefined ? own.path : `${own.path} ${own.at.value}`;
    const known = found.get(key);
    found.set(key, known === undefined ? own : joined(known, own));
  }
  return [...found.values()].sort((a, b) =>
    a.path === b.path ? (a.at?.value ?? 0) - (b.at?.value ?? 0) : a.path < b.path ? -1 : 1,
  );
}

function nearest(base: DeviceProfile, reading: Reading): Reading {
  const { path, at, samples } = reading;
  const points = at?.key === 'bytes' || at?.key === 'nodes' ? tableAt(base, path) : null;
  if (at === undefined || points === null || samples.length >= severalRuns) return reading;
  const away = (bytes: number): number => Math.abs(Math.log(bytes / at.value));
  const { bytes } = points.reduce((best, point) => (away(point.bytes) < away(best.bytes) ? point : best));
  const time = timeTable(points);
  const by = time(bytes) / time(at.value);
  return { ...reading, at: { ...at, value: bytes }, samples: samples.map((sample) => sample * by) };
}

const joined = (one: Reading, other: Reading): Reading => ({
  ...one,
  samples: [...one.samples, ...other.samples],
  ...(one.of === undefined || other.of === undefined ? {} : { of: [...one.of, ...other.of] }),
});
