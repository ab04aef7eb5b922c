/**
 * What few runs say, drawn towards the base. A parameter that one run tells may have been an odd one's; how far that is to
 * be believed, the parameters say that several runs tell. Where runs agree with each other and not with the base, a single
 * one counts in full, as it does where the base is of another machine; where they differ among themselves by as much as
 * from the base, it counts half: the weight of the base in runs is the ratio of both variances (Efron and Morris, 1973,
 * "Stein's estimation rule and its competitors").
 */
import { median } from '../../analysis/statistics.ts';
import { throughput } from '../../simulator/kernelCost.ts';
import type { DeviceProfile } from '../../simulator/profile.ts';
import { timeTable } from '../../simulator/table.ts';
import { type Draft, tableAt, valueAt } from '../paths.ts';
import { type Reading, told } from './readings.ts';

/** Runs that tell how far runs differ, and of which none is put right by its neighbours. */
const severalRuns = 3;
/** The base counts no more than so many runs. */
const mostPriorRuns = 4;

/** The value to take for each reading of `readings`, in the place of what its runs say. */
export function drawnTo(base: DeviceProfile, readings: readonly Reading[]): (reading: Reading) => number {
  const priorRuns = weightOfBase(base, readings);
  return (reading) => {
    const said = told(reading);
    const known = baseValue(base, reading);
    if (known === null || !(said > 0)) return said;
    const { length } = reading.samples;
    const ratio = length >= severalRuns ? said / known : ratioAmongSizes(base, reading, readings);
    return known * ratio ** ((length / (length + priorRuns)) * machinesPart(reading));
  };
}

/** Where runs are of several machines, the base counts as one more of them. */
function machinesPart({ of }: Reading): number {
  if (of === undefined) return 1;
  const machines = new Set(of.map(({ machine }) => machine)).size;
  return machines / (machines + 1);
}

/** How many runs the base counts as much as. */
function weightOfBase(base: DeviceProfile, readings: readonly Reading[]): number {
  const several = readings.filter(({ samples }) => samples.length >= severalRuns);
  const among = several.map((reading) => {
    const middle = median(reading.samples);
    return median(reading.samples.map((sample) => Math.log(sample / middle) ** 2));
  });
  const fromBase = several.flatMap((reading) => {
    const known = baseValue(base, reading);
    return known === null ? [] : Math.log(told(reading) / known) ** 2;
  });
  const [noise, distance] = [median(among.filter(Number.isFinite)), median(fromBase.filter(Number.isFinite))];
  if (!(noise > 0)) return 0;
  return distance > 0 ? Math.min(mostPriorRuns, noise / distance) : mostPriorRuns;
}

/** What one size of a table says is put right where it lies far from what the sizes on both sides say. */
function ratioAmongSizes(base: DeviceProfile, reading: Reading, readings: readonly Reading[]): number {
  const ratioOf = (one: Reading): number => told(one) / (baseValue(base, one) ?? Number.NaN);
  const own = readings
    .filter(({ path, at }) => path === reading.path && at?.key === reading.at?.key)
    .sort((one, other) => (one.at?.value ?? 0) - (other.at?.value ?? 0));
  const index = own.indexOf(reading);
  const three = own.slice(Math.max(0, index - 1), index + 2).map(ratioOf);
  return three.length === 3 ? median(three) : ratioOf(reading);
}

/** What the base has in the place of a reading; null where it has nothing there. */
function baseValue(base: DeviceProfile, { path, at }: Reading): number | null {
  const known = valueAt(base as unknown as Draft, path);
  if (typeof known === 'number') return known > 0 ? known : null;
  if (!Array.isArray(known) || at === undefined) return null;
  const value =
    at.key === 'share'
      ? throughput(known as { share: number; part: number }[], at.value)
      : timeTable(tableAt(base, path) ?? [])(at.value);
  return value > 0 ? value : null;
}
