import { describe, expect, it } from 'vitest';
import { type TraceAnswers, traceAnswers } from '../../../core/lift/answers.ts';
import { movablesOf } from '../../../core/lift/changes/device.ts';
import type { StepPart } from '../../../core/lift/parts.ts';
import { type CopyItem, type Item, nothingRan, nothingRecorded, type WorkItem } from '../../../core/lift/script.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { h200Costs as costs } from '../machine/toy.ts';

const folder = 'test/fixtures/pytorch-habits-h200';

async function answersOf(name: string): Promise<TraceAnswers> {
  return traceAnswers(await importTraceFile(`${folder}/${name}.json.gz`, 'test'), costs);
}

const held = ({ steps }: TraceAnswers): StepPart | undefined =>
  [...steps.parts].sort((a, b) => b.ns - a.ns).find(({ part }) => part !== 'kernels')?.part;

const sure = ({ plan }: TraceAnswers) => plan.filter(({ mayGainNothing }) => !mayGainNothing);

describe('a program with steps that are much longer than others', () => {
  it.each([
    ['gc_collect_loop', 0.93],
    ['epoch_restart', 0.8],
    ['loader_starved', 0.9],
  ])('has that said first: %s', async (name, share) => {
    const { steps, answer } = await answersOf(name);
    expect(steps.long?.share).toBeCloseTo(share, 1);
    expect(steps.long?.part.part).toBe(name === 'loader_starved' ? 'loading-data' : 'own-host-work');
    expect(answer).toMatch(/[23] of 5/);
  });

  it('is no matter of a program whose steps are alike', async () => {
    expect((await answersOf('video_prefetched')).steps.long).toBeNull();
  });
});

it('keeps the time that a thread waits for the lock of the interpreter, wherever that is in a step', async () => {
  const answers = await answersOf('thread_prefetch_gil');
  expect(answers.steps.unprofiledNs / 20.55e6).toBeCloseTo(1, 1);
  expect(held(answers)).toBe('own-host-work');
  expect(sure(answers)).toEqual([]);
});

it('names an operator that works on the host between its launches, and advises no graph for that', async () => {
  const answers = await answersOf('cudnn_new_shapes');
  const own = answers.steps.parts.find(({ part }) => part === 'own-host-work');
  expect(own?.names[0]?.name).toBe('aten::cudnn_convolution');
  expect(sure(answers)).toEqual([]);
});

it.each([
  ['grad_histograms', 'other-thread'],
  ['specaugment_roundtrip', 'move-to-device'],
  ['replay_lists', 'load-in-workers'],
  ['empty_cache_steps', 'keep-memory'],
  ['posenc_cpu', 'move-to-device'],
  ['pinn_launches', 'graph'],
] as const)('advises what shortens the step: %s', async (name, change) => {
  const answers = await answersOf(name);
  expect(sure(answers)[0]?.changes).toContain(change);
  if (answers.planSteps.length > 1) expect(answers.planSteps[0]?.adds).not.toContain('graph');
});

it('allows for a profiler that costs twice as much as usual: 6.95 ms measured', async () => {
  const { unprofiledLowNs, unprofiledHighNs } = (await answersOf('pinn_launches')).steps;
  expect(unprofiledLowNs).toBeLessThan(6.95e6);
  expect(unprofiledHighNs).toBeGreaterThan(6.95e6);
});

it('predicts a round trip to the host that the device makes unnecessary: 72 % measured', async () => {
  const moved = (await answersOf('specaugment_roundtrip')).plan.find(
    ({ changes }) => changes.join() === 'move-to-device',
  );
  expect(moved?.gainShare).toBeCloseTo(0.72, 1);
});

it.each([
  ['hidden_states_home', 5.6e6],
  ['miou_numpy', 6.01e6],
])('lets the device reduce what the host works on, instead of pinning it: %s', async (name, measuredNs) => {
  const answers = await answersOf(name);
  expect(answers.planSteps[0]?.adds).toEqual(['move-to-device']);
  const moved = sure(answers).find(({ changes }) => changes.join() === 'move-to-device');
  expect((moved?.stepNs ?? 0) / measuredNs).toBeGreaterThan(0.85);
  expect((moved?.stepNs ?? 0) / measuredNs).toBeLessThan(1.15);
});

it('calls a change needed only if another gains nothing without it', async () => {
  const { plan } = await answersOf('empty_cache_steps');
  const both = plan.find(({ changes }) => changes.join() === 'keep-memory,graph');
  expect(both?.needed).toEqual([]);
});

it.each(['rounds_busy', 'knn_busy', 'video_prefetched'])('finds nothing sure to gain in %s', async (name) => {
  expect(sure(await answersOf(name))).toEqual([]);
});

describe('small values that go to the host and back between launches', () => {
  const place = { stream: 'stream:7', callNs: 6000, deviceNs: 1500, heldNs: 6000, line: '', hostAddress: 0, row: 0 };
  const copy = (id: number, direction: 'h2d' | 'd2h', bytes: number): CopyItem => ({
    kind: 'copy',
    id,
    step: 0,
    direction,
    host: 'pageable',
    bytes,
    ...place,
  });
  const launch: Item = {
    kind: 'launch',
    name: 'k',
    stream: 'stream:7',
    callNs: 5000,
    deviceNs: 9000,
    shares: false,
    nodes: 1,
  };
  const work: WorkItem = {
    kind: 'work',
    ns: 30_000,
    copy: -1,
    recorded: nothingRecorded,
    isOwn: false,
    part: 'issuing',
    ran: nothingRan,
  };
  const trip = (id: number): readonly Item[] => [launch, copy(id, 'd2h', 512), work, copy(id + 1, 'h2d', 256)];

  it('can stay on the device with what the host does to them', () => {
    const found = movablesOf([...trip(0), ...trip(2), launch]);
    expect(found.map(({ kind, gone }) => [kind, gone.length])).toEqual([
      ['move-to-device', 2],
      ['move-to-device', 2],
    ]);
  });

  it('can stay there each if no launch is between them', () => {
    const back = [...trip(0), ...trip(2).slice(1), ...trip(4).slice(1), launch];
    expect(movablesOf(back).map(({ gone }) => gone.map(({ id }) => id))).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
  });

  it('are a result and the next input if that happens once', () => {
    expect(movablesOf([...trip(0), launch])).toEqual([]);
  });

  it('are not reduced on the device if the host works too shortly to have read them', () => {
    const readBack = (ns: number): readonly Item[] => [
      launch,
      copy(0, 'd2h', 2 ** 25),
      { ...work, ns, part: 'own-host-work' },
      launch,
    ];
    expect(movablesOf(readBack(1e6))).toEqual([]);
    expect(movablesOf(readBack(1e7)).map(({ kind }) => kind)).toEqual(['move-to-device']);
  });
});
