/** Probes run on the simulator reproduce its profile. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrationPlan, standardOptions } from '../../../core/apps/calibrate/calibration.ts';
import { type Derived, deriveProfile, type Provenance } from '../../../core/apps/calibrate/derive.ts';
import type { Finding, Plan } from '../../../core/apps/calibrate/plan.ts';
import { type Recorded, readings } from '../../../core/apps/calibrate/reading.ts';
import { profileCosts } from '../../../core/machine/cost/profileCosts.ts';
import { simEngine } from '../../../core/machine/cost/simEngine.ts';
import { slower } from '../../../core/machine/cost/spread.ts';
import { type DeviceProfile, parseProfile } from '../../../core/machine/profile/profile.ts';
import { type ParameterName, parameterNames, parameterOf } from '../../../core/machine/profile/registry.ts';
import type { Point } from '../../../core/machine/profile/schema.ts';
import { straightTable, timeTable } from '../../../core/machine/profile/table.ts';
import { capabilityGaps } from '../../../core/program/capabilities.ts';
import { lower } from '../../../core/program/lower.ts';
import { runs } from '../../support/effort.ts';
import { h200, toyProfile } from '../machine/toy.ts';

const provenance: Provenance = {
  ...{ name: 'mine', date: '2026-11-20', driver: '13.0', runtime: '13.0', how: 'simulated' },
  device: {
    ...{ index: 0, name: 'Some GPU', computeCapability: '9.0', asyncEngineCount: 3, multiprocessors: 132 },
    ...{ memoryBytes: 2 ** 37, pciBusId: '', linkGeneration: 5, linkWidth: 16 },
  },
};
const nothingBenched = { benched: new Map(), added: new Map() };

async function results(plan: Plan, profile: DeviceProfile, whileRecording = false): Promise<Map<string, Recorded[]>> {
  const site = { machine: { os: '', cpu: '', cores: 1 }, version: '0', pause: async () => {} };
  const engine = simEngine(async () => profile, site);
  const found = new Map<string, Recorded[]>();
  for (const { id, experiment } of plan.probes) {
    found.set(id, readings(await engine.run({ experiment, program: lower(experiment), whileRecording })));
  }
  return found;
}

/** Derives a profile from a base that is wrong in every parameter. */
async function derived(plan: Plan, profile: DeviceProfile): Promise<Derived> {
  return deriveProfile(plan, { readings: await results(plan, profile), ...nothingBenched }, toyProfile, provenance);
}

/** Allowed error of a derived parameter, if it is more than 1 %. */
const tolerances: readonly (readonly [name: RegExp, share: number])[] = [
  // Found between two tested sizes.
  [/^kernel\.l2Bytes$/, 0.15],
  // Calls of a microsecond and less are recorded in whole nanoseconds.
  [/^copies\.h2d\.pageable$/, 0.02],
  // If the device's part of a small one takes longer than the whole call should.
  [/^copies\.d2h\.pageable$/, 0.5],
  // The difference of two passes, each with a latency.
  [/^kernel\.(l2BytesPerSecond|streamShares)$/, 0.03],
  // The rate of the largest probed copy, while the profile has that of 1 GiB.
  [/^link\./, 0.02],
  // The largest product and transform that fit: with smaller ones a kernel's own time weighs more.
  [/^(fft\.bytesPerSecond|matmul\.)/, 0.08],
  // Between two numbers of threads of the profile.
  [/^host\.threads$/, 0.2],
];

function wrong({ parameters: one }: DeviceProfile, simulated: DeviceProfile, not: readonly string[]): string[] {
  const other = { ...simulated.parameters, 'copies.d2d': throughMemory(simulated) };
  return parameterNames.flatMap((name) => {
    const [found, expected] = [one[name], other[name]];
    if (expected === undefined || not.includes(name) || parameterOf(name).probe === null) return [];
    // Compared, not probed.
    if (name === 'recorder.callNs') return [];
    const off = found === undefined ? Number.POSITIVE_INFINITY : apart(name, found, expected);
    const most = tolerances.find(([pattern]) => pattern.test(name))?.[1] ?? 0.01;
    return off <= most ? [] : [`${name}: ${(100 * off).toFixed(1)} %`];
  });
}

/** Returns copy times through the memory of a simulated device, since a GPU's profile may have its L2 in them. */
function throughMemory(profile: DeviceProfile): readonly Point[] {
  const within = { src: 'device', dst: 'device', from: 0, to: 0 } as const;
  const costs = profileCosts(profile);
  return profile.parameters['copies.d2d'].map(([bytes]) => [bytes, costs.copy(bytes, within, false)?.deviceNs ?? 0]);
}

/** Returns a relative difference; times of lanes are whole nanoseconds, so one of them may differ. */
function apart(name: ParameterName, found: number | readonly Point[], expected: number | readonly Point[]): number {
  if (typeof found === 'number' || typeof expected === 'number') {
    const [one, other] = [Number(found), Number(expected)];
    return Math.max(0, Math.abs(one - other) - (name.endsWith('Ns') ? 1 : 0)) / Math.max(other, 1e-9);
  }
  const at = parameterOf(name).unit === 'ns' ? timeTable(expected) : straightTable(expected);
  return Math.max(...found.map(([place, value]) => Math.abs(value / at(place) - 1)));
}

describe('a calibration on the simulator', () => {
  it('recovers every parameter of the H200 profile', async () => {
    const plan = calibrationPlan({ ...standardOptions, devices: 2 });
    const { profile, assumed } = await derived(plan, h200);
    expect(wrong(profile, h200, [])).toEqual([]);
    // The base has few parameters without a probe.
    expect(assumed).toEqual(['staging.slots']);
  });

  it('recovers how much a kernel that copies blocks slows another one', async () => {
    const plan = calibrationPlan(standardOptions);
    for (const part of [0.97, 0.8]) {
      const own = { ...h200, parameters: { ...h200.parameters, 'kernel.besideBlocksPart': part } };
      const { profile } = await derived(plan, own);
      expect(profile.parameters['kernel.besideBlocksPart']).toBeCloseTo(part, 3);
    }
  });

  it('recovers other profiles: each parameter made smaller or larger at random', async () => {
    const plan = calibrationPlan({ ...standardOptions, largestBytes: 64 * 2 ** 20 });
    const factors = fc.array(fc.double({ min: 0.6, max: 1.6, noNaN: true }), { minLength: 30, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(factors, async (some) => {
        const expected = scaled(h200, some);
        const { profile } = await derived(plan, expected);
        expect(wrong(profile, expected, ['copies.peer', 'copies.peerViaHost'])).toEqual([]);
      }),
      { numRuns: runs(8) },
    );
  });

  it('says what was measured, and where the rest is from', async () => {
    const plan = calibrationPlan(standardOptions);
    const found = await results(plan, h200);
    found.delete('graphs');
    const base = { ...h200, name: 'base' };
    const { profile, assumed } = deriveProfile(plan, { readings: found, ...nothingBenched }, base, provenance);
    expect(assumed).toContain('graph.kernelNodeNs');
    expect(profile.parameters['graph.kernelNodeNs']).toBe(h200.parameters['graph.kernelNodeNs']);
    expect(profile.source).toMatch(
      /^By copyscope calibrate, simulated on Some GPU, 2026-11-20, driver for CUDA 13\.0, CUDA 13\.0: medians\. Not measured, taken from the profile "base": .*graph\.kernelNodeNs/,
    );
    expect(profile).toMatchObject({ name: 'mine', basis: 'measured', device: { name: 'Some GPU' } });
    expect(profile.machines).toBeUndefined();
    const launchNs = h200.parameters['calls.launchNs'];
    expect(profile.measurements?.find(({ parameter }) => parameter === 'calls.launchNs')).toEqual({
      ...{ parameter: 'calls.launchNs', median: launchNs, least: launchNs, most: launchNs },
      ...{ samples: 400, probe: 'launches' },
    });
    expect(parseProfile(JSON.parse(JSON.stringify(profile)))).toEqual(profile);
  });

  it('takes off what a recorder adds, as the profile that it starts from says', async () => {
    const plan = calibrationPlan(standardOptions);
    const found = await results(plan, h200, true);
    const from: Provenance = { ...provenance, how: 'measured' };
    const { profile } = deriveProfile(plan, { readings: found, ...nothingBenched }, h200, from);
    for (const name of ['calls.launchNs', 'calls.copyNs'] as const)
      expect(profile.parameters[name] / h200.parameters[name]).toBeCloseTo(1, 2);
    const at = ({ parameters }: DeviceProfile) => timeTable(parameters['copies.h2d.pageable'])(2 ** 20);
    expect(at(profile) / at(h200)).toBeCloseTo(1, 2);
  });

  it('counts a reading half where the base is of the same kind of GPU', () => {
    const findings: Finding[] = [
      { path: 'calls.wakeNs', probe: 'p', read: () => 4 * h200.parameters['calls.wakeNs'] },
      { path: 'copies.d2d', at: { key: 'bytes', value: 4096 }, probe: 'p', read: () => 4e6 },
    ];
    const plan: Plan = { probes: [], findings, comparisons: [] };
    const found = { readings: new Map([['p', [{} as Recorded]]]), ...nothingBenched };
    const device = { ...provenance.device, name: h200.device.name } as Provenance['device'];
    const { profile } = deriveProfile(plan, found, h200, { ...provenance, device, how: 'measured' });
    expect(profile.parameters['calls.wakeNs']).toBeCloseTo(2 * h200.parameters['calls.wakeNs'], 6);
    const known = timeTable(h200.parameters['copies.d2d'])(4096);
    expect(profile.parameters['copies.d2d'][0]?.[1]).toBeCloseTo(Math.sqrt(4e6 * known), 6);
    expect(profile.source).toContain('Half of each is the profile "h200"');
    // A profile of another GPU says nothing about this one.
    const other = deriveProfile(plan, found, h200, { ...provenance, how: 'measured' }).profile;
    expect(other.parameters['copies.d2d']).toEqual([[4096, 4e6]]);
  });

  it('prefers what was taken without a recorder', () => {
    const plan = calibrationPlan(standardOptions);
    const launches = plan.findings.find(({ path }) => path === 'calls.launchNs');
    if (launches?.bench === undefined) throw new Error('no measurement of launches');
    const benched = new Map([[launches, [3000, 3100, 2900]]]);
    const { profile } = deriveProfile(plan, { ...nothingBenched, readings: new Map(), benched }, h200, provenance);
    expect(profile.parameters['calls.launchNs']).toBe(3000);
    expect(profile.measurements).toHaveLength(1);
  });

  it('asks for nothing that the CUDA engine can not execute', () => {
    const { probes, comparisons } = calibrationPlan({ ...standardOptions, devices: 2 });
    for (const { id, experiment } of [...probes, ...comparisons.map(({ probe }) => probe)]) {
      expect([id, capabilityGaps(experiment, 'cuda')]).toEqual([id, []]);
    }
  });

  it('asks for every parameter that the registry names a probe of, and for no other', () => {
    const { findings, comparisons } = calibrationPlan({ ...standardOptions, devices: 2 });
    const asked = new Set([...findings, ...comparisons].map(({ path }) => path));
    expect(parameterNames.filter((name) => asked.has(name) !== (parameterOf(name).probe !== null))).toEqual([]);
  });
});

/** Scales times, rates and counts; a link and its copies, and memory and its caches, stay in proportion. */
function scaled(profile: DeviceProfile, factors: readonly number[]): DeviceProfile {
  const together = /^(copies\.(h2d|d2h)|link)\.|^kernel\.(device|l2|memoryLatency)|^host\.(memcpy|cached|threads)/;
  return slower(profile, (name) => {
    if (together.test(name)) return factors[name.startsWith('host') ? 0 : name.startsWith('kernel') ? 1 : 2] ?? 1;
    return factors[parameterNames.indexOf(name) % factors.length] ?? 1;
  });
}
