/** What one run alone tells of a profile's parameters. */
import { median } from '../../analysis/statistics.ts';
import type { DeviceProfile } from '../../simulator/profile.ts';
import { type Draft, valueAt } from '../paths.ts';
import { applyReadings } from './apply.ts';
import { type Reading, readRuns, told } from './readings.ts';
import type { RecordedRun } from './recordedRun.ts';

/** A latency may grow to so much however small it is. */
const leastNs = 20_000;
/** So many times a latency of the profile is none any more: the work waited for something that no simulation knows of. */
const mostLonger = 10;
const isLatency = /^queue\.|^calls\.(wakeNs|copyWakeNs)$|\.(gapNs|copyGapNs|kernelNodeNs)$/;

function isPlausible(reading: Reading, profile: DeviceProfile): boolean {
  if (!isLatency.test(reading.path)) return true;
  const known = Number(valueAt(profile as unknown as Draft, reading.path) ?? Number.NaN);
  return !(told(reading) > Math.max(mostLonger * known, leastNs));
}

/** What is read rests on what the simulation takes to be held or shared, so it is read once more with what was read. */
export function ownReadings(run: RecordedRun, base: DeviceProfile): Reading[] {
  const first = read(run, base).filter(({ at }) => at?.key !== 'share');
  return read(run, applyReadings(base, first));
}

/** Of one run the median of all that it tells: a gain is that of a usual iteration. */
const read = (run: RecordedRun, profile: DeviceProfile): Reading[] =>
  readRuns([run], profile, { middleOf: (_, values) => median(values) }).filter((one) => isPlausible(one, profile));
