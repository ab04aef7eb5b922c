/** Probes run on the simulator give its profile back: what is derived is what was put in. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrationPlan, standardOptions } from '../../../core/calibrate/calibration.ts';
import { type Derived, deriveProfile, type Provenance } from '../../../core/calibrate/derive.ts';
import type { Finding, Plan } from '../../../core/calibrate/plan.ts';
import { type Recorded, readings } from '../../../core/calibrate/reading.ts';
import { trustIn } from '../../../core/calibrate/trust.ts';
import { capabilityGaps } from '../../../core/program/capabilities.ts';
import { lower } from '../../../core/program/lower.ts';
import { simEngine } from '../../../core/simulator/engine.ts';
import { type DeviceProfile, parseProfile } from '../../../core/simulator/profile.ts';
import { whileRecording } from '../../../core/simulator/recorder.ts';
import { timeTable } from '../../../core/simulator/table.ts';
import { h200, toyProfile } from '../simulator/toy.ts';

const provenance: Provenance = {
  ...{ name: 'mine', date: '2026-11-20', driver: '13.0', runtime: '13.0', how: 'simulated' },
  device: {
    ...{ index: 0, name: 'Some GPU', computeCapability: '9.0', asyncEngineCount: 3, multiprocessors: 132 },
    ...{ memoryBytes: 2 ** 37, pciBusId: '', linkGeneration: 5, linkWidth: 16 },
  },
};

const nothingBenched = { benched: new Map(), added: new Map() };

async function results(plan: Plan, profile: DeviceProfile): Promise<Map<string, Recorded[]>> {
  const site = { machine: { os: '', cpu: '', cores: 1 }, version: '0', pause: async () => {} };
  const engine = simEngine(async () => profile, site);
  const found = new Map<string, Recorded[]>();
  for (const { id, experiment } of plan.probes) {
    found.set(id, readings(await engine.run({ experiment, program: lower(experiment) })));
  }
  return found;
}

/** From a base that is wrong in every parameter. */
async function derived(plan: Plan, profile: DeviceProfile): Promise<Derived> {
  return deriveProfile(plan, { readings: await results(plan, profile), ...nothingBenched }, toyProfile, provenance);
}

/** How far off a derived parameter may be, where that is more than 1 %. */
const tolerances: readonly (readonly [path: RegExp, share: number])[] = [
  // Found between two sizes, or two pauses, that were tried.
  [/^device\.l2Bytes$/, 0.15],
  [/^calls\.launchWarmNs$/, 0.25],
  // The simulator gets it from the staging's pieces; its table only serves copies in graphs.
  [/^copies\.(h2d|d2h)\.pageable\.device$/, 4],
  // Calls of a microsecond and less are held in whole nanoseconds.
  [/^copies\.h2d\.pageable\.call$/, 0.02],
  // Where the device's part of a small one, at random, takes longer than the whole call should.
  [/^copies\.d2h\.pageable\.call$/, 0.5],
  // A queued copy of 4 KiB takes no less time than one by itself, which may be what is read.
  [/^queue\.queuedCopyNs$/, 0.1],
  // Found between the ages that memory had when it was copied, where the copy from memory may take hardly longer.
  [/^host\.residentNs$/, 5],
  // From the difference of two passes, each a little longer than the bytes alone.
  [/^kernel\.l2BytesPerSecond$/, 0.03],
  // The difference of two passes, of which each has a latency.
  [/^kernel\.streamShares$/, 0.02],
  // What is left of a difference of rows in whole nanoseconds.
  [/^host\.memcpyNs$|^calls\.contendedNs$/, 0.03],
  // The rate of the largest copy that is made, while the profile has that of 1 GiB.
  [/^link\./, 0.02],
];
/** Not probed: no experiment tells them apart. Cached copies: the base has no size of the caches to go with a rate. */
const assumed = [
  ...['staging.slots', 'host.cached', 'host.near', 'host.arrivedPart', 'host.tensorNs'],
  ...['host.startNs', 'calls.coldBytes', 'queue.copyGapNs', 'link.freshFactor'],
  ...['link.overFreshFactor', 'link.besideMappedPart', 'link.mappedBacklogNs', 'link.h2dBesideNs', 'link.d2hBesideNs'],
  ...['kernel.raggedNs', 'kernel.arithmeticBesideCopyNs', 'kernel.fillBytes', 'kernel.streamLeavesAtPart'],
  ...['kernel.arithmeticLeavesAtPart', 'graph.launchGapNs', 'host.readWrongBytesPerSecond', 'host.lastLevelBytes'],
  ...['queue.besideCopyNs', 'queue.turnNs', 'kernel.raggedCopyNs'],
];
const described = /^(format|version|name|basis|measurements|device\.(?!l2Bytes).*|recorder\..*|.*source)$/;

interface Point {
  readonly bytes?: number;
  readonly nodes?: number;
  readonly share?: number;
  readonly threads?: number;
  readonly ns?: number;
  readonly part?: number;
  readonly bytesPerSecond?: number;
}

/** The largest relative difference of each parameter. */
function differences(one: unknown, other: unknown, path = ''): (readonly [string, number])[] {
  if (described.test(path)) return [];
  if (typeof other === 'number') return [[path, apart(path, Number(one), other) / Math.max(other, 1e-9)]];
  if (Array.isArray(other)) return [[path, tableDifference(one as Point[], other as Point[])]];
  if (typeof other !== 'object' || other === null) return [];
  return Object.entries(other).flatMap(([key, value]) =>
    differences((one as Record<string, unknown> | null)?.[key], value, path === '' ? key : `${path}.${key}`),
  );
}

/** Lanes hold whole nanoseconds, so that a time in them may be one off. */
const apart = (path: string, one: number, other: number): number =>
  Math.max(0, Math.abs(one - other) - (path.endsWith('Ns') ? 1 : 0));

function tableDifference(one: readonly Point[], other: readonly Point[]): number {
  if (one.some(({ share }) => share !== undefined)) {
    const known = new Map(other.map(({ share, part }) => [share, part]));
    return Math.max(
      ...one.map(({ share, part }) => (known.has(share) ? Math.abs((part ?? 0) / (known.get(share) ?? 1) - 1) : 0)),
    );
  }
  const place = ({ bytes, nodes, threads }: Point): number => bytes ?? nodes ?? threads ?? 1;
  const value = ({ ns, bytesPerSecond }: Point): number => ns ?? bytesPerSecond ?? 0;
  const table = timeTable(other.map((point) => ({ bytes: place(point), ns: value(point) })));
  return Math.max(...one.map((point) => Math.abs(value(point) / table(place(point)) - 1)));
}

function wrong(profile: DeviceProfile, expected: DeviceProfile): string[] {
  return differences(profile, expected).flatMap(([path, difference]) => {
    const most = tolerances.find(([pattern]) => pattern.test(path))?.[1] ?? 0.01;
    if (assumed.some((one) => path.startsWith(one)) || difference <= most) return [];
    return [`${path}: ${(100 * difference).toFixed(1)} %`];
  });
}

/** Where launches take as long after a pause as in a row, no probe tells from which pause on they would take longer. */
const machine = parseProfile({
  ...h200,
  calls: { ...h200.calls, coldLaunchNs: 2.5 * h200.calls.launchNs },
  host: { ...h200.host, residentNs: 9e6, freshFactor: 1.5 },
});

describe('a calibration on the simulator', () => {
  it('recovers every parameter of the H200 profile', async () => {
    const plan = calibrationPlan({ ...standardOptions, devices: 2 });
    const { profile, assumed: notMeasured } = await derived(plan, machine);
    expect(wrong(profile, machine)).toEqual([]);
    // The base has no figure for cached copies, so there is none to take.
    expect([...notMeasured].sort()).toEqual(['staging.slots']);
  });

  it('recovers other profiles: each parameter made smaller or larger at random', async () => {
    const plan = calibrationPlan({ ...standardOptions, largestBytes: 64 * 2 ** 20 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0.6, max: 1.6, noNaN: true }), { minLength: 40, maxLength: 40 }),
        async (factors) => {
          const expected = scaled(h200, factors);
          const { profile } = await derived(plan, expected);
          expect(wrong(profile, { ...expected, peer: null })).toEqual([]);
        },
      ),
      { numRuns: 8 },
    );
  });

  it('says of each parameter what was measured, and where the rest is from', async () => {
    const plan = calibrationPlan(standardOptions);
    const found = await results(plan, machine);
    found.delete('graphs of copies');
    const { profile, assumed: notMeasured } = deriveProfile(
      plan,
      { readings: found, ...nothingBenched },
      { ...h200, name: 'base' },
      provenance,
    );
    expect(notMeasured).toContain('graph.copyGapNs');
    expect(profile.graph.copyGapNs).toBe(h200.graph.copyGapNs);
    expect(profile.graph.source).toContain('Not measured, taken from the profile "base": graph.instantiate.copies');
    expect(profile.calls.source).toBe(
      'copyscope calibrate: medians, simulated on Some GPU, 2026-11-20, driver for CUDA 13.0, CUDA 13.0. Not measured, taken from the profile "base": calls.coldBytes.',
    );
    expect(profile).toMatchObject({ name: 'mine', basis: 'measured', device: { name: 'Some GPU' }, peer: null });
    const { launchNs } = h200.calls;
    const launch = profile.measurements?.find(({ parameter }) => parameter === 'calls.launchNs');
    expect(launch).toEqual({
      ...{ parameter: 'calls.launchNs', median: launchNs, least: launchNs, most: launchNs },
      ...{ samples: 400, probe: 'launches' },
    });
    expect(parseProfile(JSON.parse(JSON.stringify(profile)))).toEqual(profile);
  });

  it('takes off what a recorder adds, as the profile that it starts from says', async () => {
    const plan = calibrationPlan(standardOptions);
    const found = await results(plan, whileRecording(h200));
    const from: Provenance = { ...provenance, how: 'measured' };
    const { profile } = deriveProfile(plan, { readings: found, ...nothingBenched }, h200, from);
    const callAt = ({ call }: { readonly call: readonly Point[] }) =>
      timeTable(call.map(({ bytes, ns }) => ({ bytes: bytes ?? 0, ns: ns ?? 0 })))(2 ** 20);
    expect(callAt(profile.memset) / callAt(h200.memset)).toBeCloseTo(1, 2);
    expect(callAt(profile.copies.d2d) / callAt(h200.copies.d2d)).toBeCloseTo(1, 2);
    expect(profile.graph.kernelNodeNs / h200.graph.kernelNodeNs).toBeCloseTo(1, 2);
  });

  it('draws what probes read less surely towards a profile of the same GPU', () => {
    const finding = (path: string, ns: number, value?: number): Finding => ({
      ...{ path, probe: 'p', read: () => ns },
      ...(value === undefined ? {} : { at: { key: 'bytes', value } }),
    });
    const pageable = 'copies.d2h.pageable.call';
    const known = timeTable(h200.copies.d2h.pageable.call)(2 ** 22);
    const findings = [
      finding(pageable, 4 * known, 2 ** 22),
      finding('calls.wakeNs', 1),
      finding('calls.launchNs', 9000),
    ];
    const readings = new Map([['p', [{} as Recorded]]]);
    const { recorder: _, ...base } = h200;
    const device = { ...provenance.device, name: h200.device.name } as Provenance['device'];
    const from: Provenance = { ...provenance, device, how: 'measured' };
    const { profile } = deriveProfile(
      { probes: [], findings, comparisons: [] },
      { readings, ...nothingBenched },
      base,
      from,
    );
    const share = trustIn(pageable);
    expect(timeTable(profile.copies.d2h.pageable.call)(2 ** 22) / known).toBeCloseTo(4 ** share, 3);
    expect(profile.calls).toMatchObject({ wakeNs: h200.calls.wakeNs, launchNs: Math.sqrt(h200.calls.launchNs * 9000) });
    expect(profile.calls.source).toContain('Not measured, taken from the profile "h200": calls.wakeNs');
    expect(profile.copies.d2h.pageable.source).toContain(`Drawn towards the profile "h200"`);
    // A profile of another GPU knows nothing of this one.
    const other = deriveProfile({ probes: [], findings, comparisons: [] }, { readings, ...nothingBenched }, base, {
      ...{ ...provenance, how: 'measured' },
    });
    expect(other.profile.calls.wakeNs).toBe(1);
  });

  it('prefers what was taken without a recorder, and of that the row that nothing disturbed', async () => {
    const plan = calibrationPlan(standardOptions);
    const launches = plan.findings.find(({ path }) => path === 'calls.launchNs');
    if (launches?.bench === undefined) throw new Error('no measurement of launches');
    const benched = new Map([[launches, [3000, 3100, 2900]]]);
    const { profile } = deriveProfile(plan, { ...nothingBenched, readings: new Map(), benched }, h200, provenance);
    expect(profile.calls.launchNs).toBe(2900);
    expect(profile.measurements).toHaveLength(1);
  });

  it('takes off what this machine’s recorder adds, as far as the rounds that compared it agree', async () => {
    const plan = calibrationPlan(standardOptions);
    const recorder = { ...h200.recorder, callNs: 900, copyCallNs: 2000 };
    const readings = await results(plan, whileRecording(parseProfile({ ...h200, recorder })));
    const from: Provenance = { ...provenance, how: 'measured' };
    const added = new Map([
      ['recorder.callNs', [900, 900, 900]],
      ['recorder.copyCallNs', [2000, 2000, 2000]],
    ]);
    const { profile } = deriveProfile(plan, { ...nothingBenched, readings, added }, h200, from);
    expect(profile.recorder).toMatchObject({ callNs: 900, copyCallNs: 2000 });
    const callAt = (machine: DeviceProfile) => timeTable(machine.copies.h2d.pageable.call)(2 ** 20);
    expect(callAt(profile) / callAt(h200)).toBeCloseTo(1, 2);
    const known = h200.recorder?.callNs ?? 0;
    const told = (rounds: readonly number[]) =>
      deriveProfile(plan, { ...nothingBenched, readings, added: new Map([['recorder.callNs', rounds]]) }, h200, from)
        .profile.recorder?.callNs;
    expect(told([0, 100, 5000])).toBe(known);
    expect(told([450, 600, 900])).toBeCloseTo(Math.sqrt(known * 600), 6);
  });

  it('asks for nothing that the CUDA engine can not execute', () => {
    const { probes, comparisons } = calibrationPlan({ ...standardOptions, devices: 2 });
    for (const { id, experiment } of [...probes, ...comparisons.map(({ probe }) => probe)]) {
      expect([id, capabilityGaps(experiment, 'cuda')]).toEqual([id, []]);
    }
  });
});

/** Multiplies groups of parameters; those that the rules of a machine tie together keep their factor. */
function scaled(profile: DeviceProfile, factors: readonly number[]): DeviceProfile {
  let next = 0;
  const factor = (): number => {
    next += 1;
    return factors[next % factors.length] ?? 1;
  };
  const table = (points: readonly Point[], by: number): Point[] =>
    points.map((point) => ({ ...point, ns: (point.ns ?? 0) * by }));
  const copies = structuredClone(profile.copies) as unknown as Record<string, never>;
  const both = factor();
  const scale = (value: unknown, by: () => number): unknown => {
    if (Array.isArray(value)) return table(value as Point[], by());
    if (typeof value === 'number') return value * by();
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, scale(inner, by)]));
  };
  const { staging, queue, calls, kernel, link } = profile;
  const ownCalls = scale(calls, factor) as typeof calls;
  return parseProfile({
    ...profile,
    // The link and what moves over it, and the host's staging, stay in proportion.
    copies: scale(copies, () => both),
    link: { ...link, ...mapped(link, ['h2dBytesPerSecond', 'd2hBytesPerSecond', 'bothBytesPerSecond'], 1 / both) },
    staging: {
      ...staging,
      inline: table(staging.inline, factor()),
      prepareOutNs: both * (staging.prepareOutNs ?? 0),
    },
    calls: {
      ...ownCalls,
      // What a copy engine has done is known no sooner.
      copyWakeNs: 1.2 * ownCalls.wakeNs,
      ...{ launchWarmNs: calls.launchWarmNs, coldBytes: calls.coldBytes },
      coldLaunchNs: 2.5 * calls.launchNs,
    },
    queue: {
      ...(scale(queue, factor) as object),
      depth: Math.round(queue.depth * factor()),
      // Found among sizes that are tried.
      ...{ commandCopyBytes: queue.commandCopyBytes, idleCommandCopyBytes: queue.idleCommandCopyBytes },
    },
    kernel: {
      ...kernel,
      ...mapped(
        kernel,
        ['startNs', 'flopsPerSecond', 'mappedReadBytesPerSecond', 'mappedWriteBytesPerSecond'],
        factor(),
      ),
      ...mapped(kernel, ['mappedNs'], factor()),
    },
    memset: scale(profile.memset, factor),
    hostFunction: scale(profile.hostFunction, factor),
    graph: scale(profile.graph, factor),
    memory: scale(profile.memory, factor),
    host: {
      ...profile.host,
      memcpyBytesPerSecond: profile.host.memcpyBytesPerSecond * factor(),
      wakeNs: profile.host.wakeNs * factor(),
    },
  });
}

const mapped = <Section extends object>(section: Section, keys: readonly (keyof Section)[], by: number): object =>
  Object.fromEntries(keys.map((key) => [key, Number(section[key]) * by]));
