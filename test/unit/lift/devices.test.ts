/** Programs whose only host thread drives several devices: each is lifted with its own streams, memory and kernels. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { parseExperiment } from '../../../core/experiment/parse.ts';
import { findHazards } from '../../../core/explain/hazards/hazards.ts';
import { knownMachine, traceAnswers } from '../../../core/lift/answers.ts';
import { assumptionsOf } from '../../../core/lift/assumptions.ts';
import { applyChanges } from '../../../core/lift/changes/apply.ts';
import type { ChangeWord } from '../../../core/lift/changes/words.ts';
import { experimentOf } from '../../../core/lift/experimentOf.ts';
import { BusyDevices, liftTrace } from '../../../core/lift/fromTrace.ts';
import { replay } from '../../../core/lift/replay.ts';
import { lower } from '../../../core/program/lower.ts';
import { median } from '../../../core/statistics.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { complete, read, traceOf } from '../import/support.ts';
import { h200Costs as costs } from '../machine/toy.ts';

let correlation = 0;
const call = (name: string, at: number, us: number) =>
  complete('cuda_runtime', name, at, us, { correlation: ++correlation });
const launch = (device: number, at: number, startsAt: number, us: number) => [
  call('cudaLaunchKernel', at, 5),
  complete('kernel', 'work', startsAt, us, { correlation, device, stream: 7 }),
];
const copies = {
  in: 'Memcpy HtoD (Pinned -> Device)',
  out: 'Memcpy DtoH (Device -> Pinned)',
};
const copy = (way: 'in' | 'out', device: number, at: number, startsAt: number, us: number) => [
  call('cudaMemcpyAsync', at, 5),
  complete('gpu_memcpy', copies[way], startsAt, us, { correlation, device, stream: 7, bytes: us * 50_000 }),
];
const mark = (at: number, us: number) => complete('user_annotation', 'step', at, us);
const stepsOf = (us: number, events: (at: number, step: number) => object[]): string =>
  traceOf(
    Array.from({ length: 4 }, (_, step) => [
      mark(1000 + step * us, us - 10),
      ...events(1000 + step * us, step).flat(),
    ]).flat(),
  );
const scriptOf = async (trace: string) => liftTrace((await read(trace)).trace, 'devices').script;

const gpus = [0, 1, 2, 3];
/** All devices at once copy in for 0.5 ms, work for 3 ms and copy out for 0.4 ms; the host waits for each. */
const fourDevices = stepsOf(4000, (at) => [
  ...gpus.flatMap((gpu) => [
    ...copy('in', gpu, at + 20 + gpu * 30, at + 30 + gpu * 30, 500),
    ...launch(gpu, at + 30 + gpu * 30, at + 531 + gpu * 30, 3000),
    ...copy('out', gpu, at + 40 + gpu * 30, at + 3532 + gpu * 30, 400),
  ]),
  call('cudaDeviceSynchronize', at + 160, 3780),
  ...gpus.slice(1).map((gpu) => call('cudaDeviceSynchronize', at + 3930 + gpu * 15, 10)),
]);

/** The host waits only for the first device, which works for 2 ms; the other works for 3 ms in every other step. */
const oneWaitedFor = stepsOf(2100, (at, step) => [
  ...(step % 2 === 0 ? launch(1, at + 10, at + 20, 3000) : []),
  ...launch(0, at + 20, at + 30, 2000),
  call('cudaDeviceSynchronize', at + 40, 2000),
]);

function valid(experiment: Experiment): Experiment {
  const parsed = parseExperiment(JSON.parse(JSON.stringify(experiment)));
  expect(parsed.ok ? [] : parsed.problems).toEqual([]);
  return experiment;
}

describe('four devices of one host thread', () => {
  it('work at once in the replay', async () => {
    const script = await scriptOf(fourDevices);
    expect(Math.abs(replay(script, costs).stepNs / 4e6 - 1)).toBeLessThan(0.04);
  });

  it('have streams, device memory and waits of their own', async () => {
    const { experiment } = experimentOf(await scriptOf(fourDevices), '');
    const { devices, streams, buffers } = valid(experiment);
    expect(devices).toEqual(gpus.map((index) => ({ id: `gpu${index}`, index })));
    expect(streams.map(({ id, device }) => [id, device])).toEqual([
      ['stream7', 'gpu0'],
      ['gpu1_7', 'gpu1'],
      ['gpu2_7', 'gpu2'],
      ['gpu3_7', 'gpu3'],
    ]);
    const onDevice = buffers.filter(({ memory }) => memory === 'device');
    expect(new Set(onDevice.map(({ device }) => device))).toEqual(new Set(devices.map(({ id }) => id)));
    expect(lower(experiment).operations.length).toBeGreaterThan(60);
  });

  it('do not share multiprocessors', async () => {
    const script = await scriptOf(fourDevices);
    const launches = script.steps.flatMap(({ items }) => items.filter((item) => item.kind === 'launch'));
    expect(launches.filter(({ shares }) => shares)).toEqual([]);
  });

  it.each<ChangeWord[][]>([
    [['other-stream']],
    [['prefetch']],
    [['both-directions']],
    [['batch']],
    [['prefetch', 'other-stream']],
  ])('keep what %j changes each on its own', async (words) => {
    const script = await scriptOf(fourDevices);
    const changed = applyChanges(script, words, assumptionsOf(script, knownMachine(costs)));
    const { experiment } = experimentOf(changed, '');
    const program = lower(valid(experiment));
    expect(findHazards(program).hazards.map(({ title }) => title)).toEqual([]);
    expect(replay(changed, costs).stepNs).toBeLessThan(4.1e6);
    if (words.includes('prefetch')) {
      const added = experiment.streams.filter(({ id }) => id.endsWith('copy-in'));
      expect(added.map(({ device }) => device)).toEqual(['gpu0', 'gpu1', 'gpu2', 'gpu3']);
    }
  });
});

describe('two devices', () => {
  it('two devices run on independently, even if the program waits for one', async () => {
    const script = await scriptOf(oneWaitedFor);
    expect(Math.abs((replay(script, costs).endsNs.at(-1) ?? 0) / 8.4e6 - 1)).toBeLessThan(0.04);
  });

  it('wait for one another’s events, and read only their own memory', async () => {
    const trace = stepsOf(3000, (at) => [
      ...copy('in', 0, at + 10, at + 20, 500),
      call('cudaEventRecord', at + 20, 3),
      call('cudaStreamWaitEvent', at + 30, 3),
      ...launch(1, at + 40, at + 525, 2000),
      call('cudaDeviceSynchronize', at + 50, 2480),
    ]);
    const script = await scriptOf(trace);
    expect(script.steps[1]?.items.some(({ kind }) => kind === 'wait')).toBe(true);
    expect(lower(valid(experimentOf(script, '').experiment)).devices.length).toBe(2);
    expect(Math.abs(replay(script, costs).stepNs / 3e6 - 1)).toBeLessThan(0.04);
  });
});

it('kernels of two streams of one device still share it', async () => {
  const trace = stepsOf(3000, (at) => [
    ...launch(0, at + 10, at + 20, 2000),
    call('cudaLaunchKernel', at + 20, 5),
    complete('kernel', 'beside', at + 30, 2000, { correlation, device: 0, stream: 8 }),
    call('cudaDeviceSynchronize', at + 40, 2000),
  ]);
  const script = await scriptOf(trace);
  const launches = script.steps.flatMap(({ items }) => items.filter((item) => item.kind === 'launch'));
  expect(launches.every(({ shares }) => shares)).toBe(true);
});

it('a device that is the only one is declared as the first', async () => {
  const script = await scriptOf(stepsOf(3000, (at) => launch(3, at + 10, at + 20, 2000)));
  const { experiment } = experimentOf(script, '');
  expect(experiment.devices).toEqual([{ id: 'gpu', index: 0 }]);
  expect(experiment.streams.every(({ device }) => device === undefined)).toBe(true);
});

it('a wait for a device is for the one that ended last before it returned, or else ends first', () => {
  const devices = new BusyDevices();
  expect(devices.waitedFor(5)).toBe('');
  devices.note('gpu0', 30);
  devices.note('gpu1', 10);
  devices.note('gpu2', 20);
  expect([5, 10, 25, 99].map((ns) => devices.waitedFor(ns))).toEqual(['gpu1', 'gpu1', 'gpu2', 'gpu0']);
});

it.each([
  ['halves.pageable', 'pin, non-blocking', 'halves.non_blocking'],
  ['halves.pinned', 'non-blocking', 'halves.non_blocking'],
  ['stages.blocking', 'non-blocking', 'stages.non_blocking'],
])(
  'a recorded program on two GPUs is replayed as it ran, and the gain of a change is predicted: %s',
  async (name, changes, after) => {
    const folder = 'test/fixtures/pytorch-several-h200';
    const run = await importTraceFile(`${folder}/${name}.json.gz`, 'test');
    const { script, recordedNs } = liftTrace(run.trace, name);
    const { lifted, stepNs } = replay(script, costs);
    expect(Math.abs(stepNs / median(recordedNs.slice(1)) - 1)).toBeLessThan(0.04);
    expect(lifted.experiment.devices).toHaveLength(2);
    const [program = '', variant = ''] = name.split('.');
    const times = JSON.parse(readFileSync(`${folder}/steps.json`, 'utf8'))[program];
    const gainShare = 1 - median(times[after.split('.')[1] ?? ''].us) / median(times[variant].us);
    const { tried } = traceAnswers(run, costs, { tried: changes.split(', ') as ChangeWord[] });
    expect(tried?.lowShare).toBeLessThan(gainShare);
    expect(tried?.highShare).toBeGreaterThan(gainShare);
  },
);
