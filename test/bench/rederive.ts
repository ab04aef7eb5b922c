/**
 * Derives a calibrated profile again from its own measurements, as the rules of derivation and the base are today:
 * node test/bench/run.mjs rederive FILE.json [--base FILE.json]. Writes FILE.json. What a median was taken of is not kept.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { deriveProfile, type Provenance } from '../../core/calibrate/derive.ts';
import type { Finding, PointKey } from '../../core/calibrate/plan.ts';
import { Recorded } from '../../core/calibrate/reading.ts';
import { type DeviceProfile, parseProfile } from '../../core/simulator/profile.ts';

const benchedMark = ', without a recorder';
const [file = '', option, given] = process.argv.slice(2);
const made = read(file);
const { measurements = [] } = made;
const readings = new Map<string, readonly Recorded[]>();
const benched = new Map<Finding, readonly number[]>();
const isAdded = ({ parameter }: (typeof measurements)[number]): boolean => parameter.startsWith('recorder.');
const findings = measurements.filter((one) => !isAdded(one)).map(findingOf);
const added = new Map(measurements.filter(isAdded).map((one) => [one.parameter, samplesOf(one)]));
const base = read(option === '--base' && given !== undefined ? given : 'assets/profiles/h200.json');
const plan = { probes: [], findings, comparisons: [] };
const { profile } = deriveProfile(plan, { readings, benched, added }, base, provenance(made));
writeFileSync(file, `${JSON.stringify({ ...profile, measurements }, null, 2)}\n`);

function read(path: string): DeviceProfile {
  return parseProfile(JSON.parse(readFileSync(path, 'utf8')));
}

/** With the same median, least and most. */
function samplesOf({ least, median, most }: (typeof measurements)[number]): number[] {
  return [least, median, most];
}

function findingOf(measurement: (typeof measurements)[number]): Finding {
  const { parameter, probe: said, median } = measurement;
  const [path = '', place] = parameter.split(' @ ');
  const [value, key] = place?.split(' ') ?? [];
  const probe = said.replace(benchedMark, '');
  const at = key === undefined ? {} : { at: { key: key as PointKey, value: Number(value) } };
  const finding = { path, ...at, probe, read: () => median };
  if (said.endsWith(benchedMark)) benched.set(finding, samplesOf(measurement));
  else readings.set(probe, [Object.create(Recorded.prototype) as Recorded]);
  return finding;
}

/** As the profile's source says it. */
function provenance({ name, device, source }: DeviceProfile): Provenance {
  const [, date = '', driver = null, runtime = null] =
    / on .*, (\d{4}-\d\d-\d\d)(?:, driver for CUDA ([^,]+))?(?:, CUDA ([^,]+))?\.$/.exec(source) ?? [];
  return { name, device: { ...device, index: 0, pciBusId: '' }, date, driver, runtime, how: 'measured' };
}
