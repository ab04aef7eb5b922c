/** What single runs tell of single parameters, and what they must not tell. */
import { describe, expect, it } from 'vitest';
import { applyReadings } from '../../../../core/calibrate/fit/apply.ts';
import { describeFit } from '../../../../core/calibrate/fit/describeFit.ts';
import { fitProfile } from '../../../../core/calibrate/fit/fit.ts';
import { type Reading, readRuns } from '../../../../core/calibrate/fit/readings.ts';
import { recordedRun } from '../../../../core/calibrate/fit/recordedRun.ts';
import { requireExperiment } from '../../../../core/experiment/parse.ts';
import { parseProfile } from '../../../../core/simulator/profile.ts';
import { whileRecording } from '../../../../core/simulator/recorder.ts';
import { timeTable } from '../../../../core/simulator/table.ts';
import { h200 } from '../../simulator/toy.ts';
import { runOf, simulatedRun } from './support.ts';

const MiB = 2 ** 20;
const buffers = [
  { id: 'h', memory: 'pinned' as const, bytes: 64 * MiB },
  { id: 'i', memory: 'pinned' as const, bytes: 64 * MiB },
  { id: 'd', memory: 'device' as const, bytes: 64 * MiB },
  { id: 'e', memory: 'device' as const, bytes: 64 * MiB },
];
const streams = ['a', 'b'].map((id) => ({ id, flags: 'non-blocking' as const }));
const experiment = (...operations: readonly unknown[]) =>
  requireExperiment({
    ...{ format: 'copyscope/experiment', version: 1, name: 'one', buffers, streams },
    threads: [{ id: 'main', operations }],
  });
const copy = (src: string, dst: string, stream = 'a') => ({ op: 'copy' as const, src, dst, stream });
const spin = (durationNs: number) => ({
  ...{ op: 'kernel' as const, kernel: { kind: 'spin' as const, durationNs }, stream: 'a' },
});
const end = { op: 'synchronizeDevice' as const };

const slower = parseProfile({
  ...h200,
  calls: { ...h200.calls, launchNs: 2 * h200.calls.launchNs, wakeNs: 9000, copyWakeNs: 12_000 },
  kernel: { ...h200.kernel, startNs: 3000 },
  copies: {
    ...h200.copies,
    h2d: {
      ...h200.copies.h2d,
      pinned: {
        ...h200.copies.h2d.pinned,
        device: h200.copies.h2d.pinned.device.map(({ bytes, ns }) => ({ bytes, ns: 3 * ns })),
      },
    },
  },
});

const told = (readings: readonly Reading[], path: string) => readings.filter((one) => one.path === path);

describe('readings', () => {
  it('tell the time of a copy that ran alone at its size, and what waiting for it cost', () => {
    const readings = readRuns([simulatedRun('copy', experiment(copy('h', 'd'), end), slower)], h200);
    const [device] = told(readings, 'copies.h2d.pinned.device');
    expect(device?.at).toEqual({ key: 'bytes', value: 64 * MiB });
    const alone = h200.copies.h2d.pinned.device.find(({ bytes }) => bytes === 64 * MiB)?.ns ?? Number.NaN;
    expect(device?.samples[0]).toBeCloseTo(3 * alone, -1);
    expect(told(readings, 'calls.copyWakeNs')[0]?.samples[0]).toBeCloseTo(12_000, -1);
    expect(told(readings, 'calls.wakeNs')).toEqual([]);
    expect(told(readings, 'calls.launchNs')).toEqual([]);
  });

  it('tell nothing of a copy that shared the link', () => {
    const both = experiment(copy('h', 'd'), copy('e', 'i', 'b'), end);
    const readings = readRuns([simulatedRun('both', both, slower)], h200);
    expect(told(readings, 'copies.h2d.pinned.device')).toEqual([]);
    expect(told(readings, 'copies.d2h.pinned.device')).toEqual([]);
  });

  it('tell launches and what a kernel lasts beyond its own work', () => {
    const launches = experiment(...Array.from({ length: 5 }, () => spin(1000)), end);
    const readings = readRuns([simulatedRun('spins', launches, slower)], h200);
    expect(told(readings, 'calls.launchNs')[0]?.samples[0]).toBeCloseTo(2 * h200.calls.launchNs, 0);
    expect(told(readings, 'kernel.startNs')[0]?.samples[0]).toBeCloseTo(3000, 0);
  });

  it('tell what calls cost, and not of one that as the first took mostly longer', () => {
    const machine = whileRecording(h200);
    const { call } = machine.copies.h2d.pinned;
    const path = 'copies.h2d.pinned.call';
    // A first launch is 40 us longer than the table says where its buffers were prepared for so long.
    const prepared = { op: 'write', buffer: 'h', pattern: { kind: 'random', seed: 1 } };
    const alone = readRuns([simulatedRun('one', experiment(copy('h', 'd'), prepared, end), machine)], machine);
    expect(told(alone, path)).toEqual([]);
    const copies = experiment(...Array.from({ length: 3 }, () => copy('h', 'd')), end);
    const [reading] = told(readRuns([simulatedRun('three', copies, machine)], machine), path);
    expect(reading?.samples[0]).toBeCloseTo(call.find(({ bytes }) => bytes === 64 * MiB)?.ns ?? Number.NaN, 0);
  });

  it('tell what a graph takes that is nearly all of one kind of nodes', () => {
    const times = (points: readonly { nodes: number; ns: number }[]) =>
      points.map(({ nodes, ns }) => ({ nodes, ns: 3 * ns }));
    const { kernels, copies } = h200.graph.instantiate;
    const instantiate = { kernels: times(kernels), copies: times(copies) };
    const machine = parseProfile({ ...h200, graph: { ...h200.graph, instantiate } });
    const read = (...operations: readonly unknown[]) => {
      const captured = { op: 'graphCapture', graph: 'g', stream: 'a', operations };
      const launched = experiment(captured, { op: 'graphLaunch', graph: 'g', stream: 'a' }, end);
      return readRuns([simulatedRun('graph', launched, machine)], h200).filter(({ path }) =>
        path.startsWith('graph.instantiate'),
      );
    };
    const spins = (count: number) => Array.from({ length: count }, () => spin(1000));
    const [reading] = read(...spins(9), copy('h', 'd'));
    const known = 3 * timeTable(kernels.map(({ nodes, ns }) => ({ bytes: nodes, ns })))(10);
    expect(reading).toMatchObject({ path: 'graph.instantiate.kernels', at: { key: 'nodes', value: 10 } });
    expect(reading?.samples[0]).toBeCloseTo(known, -1);
    expect(read(...spins(2), copy('h', 'd'), copy('h', 'd'))).toEqual([]);
  });

  it('tell what freeing memory takes behind the work that it waits for', () => {
    const made = { id: 'm', memory: 'device', bytes: MiB, allocated: 'by-operation' };
    const operations = [
      { op: 'allocate', buffer: 'm', allocator: 'cuda-malloc', stream: 'a' },
      spin(100_000),
      { op: 'free', buffer: 'm', stream: 'a' },
      end,
    ];
    const freeing = requireExperiment({
      ...{ format: 'copyscope/experiment', version: 1, name: 'one', buffers: [made], streams },
      threads: [{ id: 'main', operations }],
    });
    const free = h200.memory.free.map(({ bytes, ns }) => ({ bytes, ns: 3 * ns }));
    const machine = parseProfile({ ...h200, memory: { ...h200.memory, free } });
    const [reading] = told(readRuns([simulatedRun('free', freeing, machine)], h200), 'memory.free');
    const known = free.find(({ bytes }) => bytes === MiB)?.ns ?? Number.NaN;
    expect(reading).toMatchObject({ at: { key: 'bytes', value: MiB } });
    expect(reading?.samples[0]).toBeCloseTo(known, -1);
  });

  it('put into a profile, move what they name and nothing else', () => {
    const readings: Reading[] = [
      { path: 'calls.wakeNs', samples: [1, 5, 3] },
      { path: 'memset.device', at: { key: 'bytes', value: 2 ** 20 }, samples: [0] },
    ];
    const profile = applyReadings(h200, readings);
    expect(profile.calls).toEqual({ ...h200.calls, wakeNs: 3 });
    expect({ ...profile, calls: h200.calls, memset: h200.memset }).toEqual(h200);
    expect(profile.memset.device.find(({ bytes }) => bytes === 2 ** 20)?.ns).toBeGreaterThan(0);
  });
});

describe('a run that tells nothing', () => {
  const whole = runOf(experiment(spin(1000), end), h200);
  const changed = (info: object) => ({ ...whole, info: { ...whole.info, ...info } });

  it.each([
    ['imported', changed({ experiment: null })],
    ['did not come to its end', changed({ status: 'failed' })],
    ['CPU engine', changed({ engine: 'cpu' })],
    ['nothing was recorded', changed({ iterations: { ...whole.info.iterations, recordedMakespanNs: [] } })],
  ])('%s: is refused with the reason', (reason, run) => {
    expect(() => recordedRun('one', run)).toThrow(reason);
  });
});

describe('the fitted profile', () => {
  const runs = [
    simulatedRun('copy', experiment(copy('h', 'd'), end), slower),
    simulatedRun('spins', experiment(spin(1000), spin(1000), end), slower),
  ];
  // What is simulated is not recorded.
  const { recorder: _, ...base } = h200;
  const fitted = fitProfile(base, runs);
  const profile = describeFit(fitted, base, { name: 'mine', device: 'Some GPU', date: '2026-11-20', runs: 2 });

  it('says of each section what is from the runs, and leaves the others as they were', () => {
    expect(profile.copies.h2d.pinned.source).toContain('recorded runs of Some GPU, 2026-11-20');
    expect(profile.copies.h2d.pinned.source).toContain('device');
    expect(profile.calls.source).toContain('wakeNs');
    expect(profile.graph).toEqual(h200.graph);
    expect(profile.peer).toEqual(h200.peer);
    expect(profile).toMatchObject({ name: 'mine', basis: 'measured', device: h200.device });
  });

  it('has a measurement of each parameter that was only read', () => {
    const told = new Set(profile.measurements?.map(({ parameter }) => parameter.split(' @ ')[0]));
    const turned = new Set(fitted.turned.map(({ knob }) => knob.path));
    const onlyRead = fitted.readings.map(({ path }) => path).filter((path) => !turned.has(path));
    expect(onlyRead.filter((path) => !told.has(path))).toEqual([]);
    expect([...turned].filter((path) => told.has(path))).toEqual([]);
    expect(parseProfile(JSON.parse(JSON.stringify(profile)))).toEqual(profile);
  });
});
