/** Runs of several machines: what each counts, and what sizes that few runs have say. */
import { describe, expect, it } from 'vitest';
import { drawnTo } from '../../../../core/calibrate/fit/drawn.ts';
import { gathered } from '../../../../core/calibrate/fit/gathered.ts';
import { machineWeights } from '../../../../core/calibrate/fit/machines.ts';
import { parametersOf } from '../../../../core/calibrate/fit/parametersOf.ts';
import { type Reading, told } from '../../../../core/calibrate/fit/readings.ts';
import { requireExperiment } from '../../../../core/experiment/parse.ts';
import { lower } from '../../../../core/program/lower.ts';
import { timeTable } from '../../../../core/simulator/table.ts';
import { h200 } from '../../simulator/toy.ts';

const path = 'copies.h2d.pinned.device';
const time = timeTable(h200.copies.h2d.pinned.device);
const at = (value: number) => ({ key: 'bytes' as const, value });

const of = (...weights: readonly number[]) => weights.map((weight) => ({ machine: 'a', weight }));

describe('weights of machines', () => {
  it('make two machines of many runs count nearly the same, and one of few runs little', () => {
    const machines = [...Array(150).fill('a'), ...Array(75).fill('b'), ...Array(2).fill('c')];
    const weights = machineWeights(machines);
    const sum = (machine: string): number =>
      weights.reduce((total, weight, index) => total + (machines[index] === machine ? weight : 0), 0);
    expect(sum('a') / sum('b')).toBeCloseTo((150 / 170) * (95 / 75), 6);
    expect(sum('c') / sum('a')).toBeLessThan(0.11);
    expect(weights.reduce((total, weight) => total + weight, 0)).toBeCloseTo(machines.length, 6);
  });

  it('decide what a reading says', () => {
    const samples = [1, 1, 1, 9, 9];
    expect(told({ path: 'calls.wakeNs', samples })).toBe(1);
    expect(told({ path: 'calls.wakeNs', samples, of: of(1, 1, 1, 1, 1) })).toBe(1);
    expect(told({ path: 'calls.wakeNs', samples, of: of(1, 1, 1, 2, 2) })).toBe(9);
    // Other traffic only makes a copy longer: its lower quartile.
    expect(told({ path, at: at(4096), samples, of: of(1, 1, 1, 2, 2) })).toBe(1);
  });
});

describe('a fit to runs of several machines', () => {
  it('counts the base as one more of them', () => {
    const { wakeNs } = h200.calls;
    const samples = [4 * wakeNs, 4 * wakeNs, 4 * wakeNs];
    const draw = (machines: readonly string[]) => {
      const reading = { path: 'calls.wakeNs', samples, of: machines.map((machine) => ({ machine, weight: 1 })) };
      return drawnTo(h200, [reading])(reading) / wakeNs;
    };
    expect(draw(['a', 'a', 'a'])).toBeCloseTo(4 ** (1 / 2), 6);
    expect(draw(['a', 'b', 'c'])).toBeCloseTo(4 ** (3 / 4), 6);
  });
});

describe('sizes that few runs have', () => {
  it('count to the nearest size of the table, by their ratio to it', () => {
    const odd: Reading = { path, at: at(70_000), samples: [2 * time(70_000)], of: of(3) };
    const known: Reading = { path, at: at(65_536), samples: [4 * time(65_536)], of: of(1) };
    const [one, ...others] = gathered(h200, [known, odd]);
    expect(others).toEqual([]);
    expect(one).toMatchObject({ path, at: at(65_536), of: of(1, 3) });
    expect(one?.samples[1]).toBeCloseTo(2 * time(65_536), 6);
  });

  it('do so where a size is a number of nodes', () => {
    const kernels = [10, 100, 1000].map((nodes) => ({ nodes, ns: 1000 * nodes }));
    const instantiate = { ...h200.graph.instantiate, kernels };
    const odd: Reading = { path: 'graph.instantiate.kernels', at: { key: 'nodes', value: 80 }, samples: [160_000] };
    const [one] = gathered({ ...h200, graph: { ...h200.graph, instantiate } }, [odd]);
    expect(one?.at).toEqual({ key: 'nodes', value: 100 });
    expect(one?.samples[0]).toBeCloseTo(200_000, 6);
  });

  it('stay where several runs have them, as numbers do', () => {
    const readings: Reading[] = [
      { path: 'calls.wakeNs', samples: [1] },
      { path, at: at(70_000), samples: [1, 2, 3] },
    ];
    expect(gathered(h200, readings)).toEqual(readings);
  });
});

it('a program is known by the parameters that its simulation looks at', () => {
  const experiment = requireExperiment({
    ...{ format: 'copyscope/experiment', version: 1, name: 'one', streams: [{ id: 'a' }] },
    buffers: [
      { id: 'h', memory: 'pinned', bytes: 4096 },
      { id: 'd', memory: 'device', bytes: 4096 },
    ],
    threads: [{ id: 'main', operations: [{ op: 'copy', src: 'h', dst: 'd', stream: 'a' }] }],
  });
  const found = parametersOf({ program: lower(experiment), filled: false }, h200);
  expect(found).toContain(path);
  expect(found).toContain('queue.launchToStartNs');
  expect(found).not.toContain('copies.d2h.pinned.device');
  expect(found).not.toContain('graph.captureNs');
});
