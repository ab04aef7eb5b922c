import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { machineOf } from '../../../core/machine/cost/machineOf.ts';
import { isCalibrated, machinesAround, slower, spreadGroups } from '../../../core/machine/cost/spread.ts';
import { type DeviceProfile, parseProfile } from '../../../core/machine/profile/profile.ts';
import { parameterNames, parameterOf } from '../../../core/machine/profile/registry.ts';
import { h200, toyProfile } from '../machine/toy.ts';

const measurement = { parameter: 'calls.wakeNs', median: 1, least: 1, most: 1, samples: 1, probe: 'made up' };
const calibrated = { ...h200, machines: 1, measurements: [measurement] };

describe('groups of parameters', () => {
  it('every time and rate is of one group, and so is what a recorder adds', () => {
    const timed = parameterNames.filter((name) => ['ns', 'B/s', 'flop/s'].includes(parameterOf(name).unit));
    const odd = timed.filter((name) => spreadGroups.filter(({ of }) => of.test(name)).length !== 1);
    expect(odd).toEqual([]);
  });

  it('are no surer of other machines than of one that was asked', () => {
    for (const { kind, calibrated: there, run } of spreadGroups) {
      expect(kind).toBeGreaterThanOrEqual(there);
      expect(there).toBeGreaterThanOrEqual(run);
    }
  });
});

it('a slower machine has longer times and lower rates, and the same sizes, counts and other groups', () => {
  const { parameters: made } = slower(toyProfile, (name) => (/^(host|copies)\./.test(name) ? 2 : 1));
  const { parameters: before } = toyProfile;
  expect(made['host.memcpyBytesPerSecond']).toBe(before['host.memcpyBytesPerSecond'] / 2);
  expect(made['host.wakeNs']).toBe(before['host.wakeNs'] * 2);
  expect(made['copies.d2d']).toEqual(before['copies.d2d'].map(([bytes, ns]) => [bytes, 2 * ns]));
  expect(made['host.threads']).toEqual(before['host.threads'].map(([threads, rate]) => [threads, rate / 2]));
  expect(made['kernel.startNs']).toBe(before['kernel.startNs']);
  expect(made['staging.chunkBytes']).toBe(before['staging.chunkBytes']);
});

describe('machines around a profile', () => {
  const of = (profile: DeviceProfile) => {
    const machines = machinesAround(profile);
    if (machines === null) throw new Error('none');
    return machines;
  };

  it('know what calibration read on one machine, and nothing of a profile for several', () => {
    const former = parseProfile(JSON.parse(readFileSync('test/fixtures/calibrated/seed-20261145.json', 'utf8')));
    expect([calibrated, { ...calibrated, machines: 12 }, h200, former].map(isCalibrated)).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it('are nearer where the machine itself was asked', () => {
    const [kind, known] = [of(h200), of(calibrated)];
    const slowest = ({ pairs }: typeof kind): number => Math.max(...pairs.map(([, slow]) => slow.wakeNs('device')));
    expect(slowest(known)).toBeLessThan(slowest(kind));
  });

  it("machines are closest to the profile if the run's rows fix their parameters", () => {
    const shown = new Map([['cudaLaunchKernel', 2]]);
    const slowest = (profile: DeviceProfile, of?: typeof shown): number =>
      Math.max(...(machineOf(profile, of).around?.pairs ?? []).map(([, slow]) => slow.callNs('cudaLaunchKernel'))) /
      machineOf(profile, of).costs.callNs('cudaLaunchKernel');
    expect(slowest(h200, shown)).toBeLessThan(slowest(calibrated));
    const twice = 2 * machineOf(h200).costs.callNs('cudaLaunchKernel');
    expect(machineOf(h200, shown).costs.callNs('cudaLaunchKernel')).toBe(twice);
  });

  it('published figures give no other machines', () => {
    expect(machinesAround({ ...h200, basis: 'published' })).toBeNull();
  });
});
