import { describe, expect, it } from 'vitest';
import { type TraceAnswers, traceAnswers } from '../../../core/lift/answers.ts';
import type { StepPart } from '../../../core/lift/parts.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { h200Costs as costs } from '../machine/toy.ts';

const folder = 'test/fixtures/pytorch-habits-h200';

async function answersOf(name: string): Promise<TraceAnswers> {
  return traceAnswers(await importTraceFile(`${folder}/${name}.json.gz`, 'test'), costs);
}

const held = ({ steps }: TraceAnswers): StepPart | undefined =>
  [...steps.parts].sort((a, b) => b.ns - a.ns).find(({ part }) => part !== 'kernels')?.part;

const sure = ({ plan }: TraceAnswers) => plan.filter(({ mayGainNothing }) => !mayGainNothing);

describe('a program whose every third step is long', () => {
  it.each([
    ['gc_collect_loop', 0.93],
    ['epoch_restart', 0.8],
  ])('has that said first: %s', async (name, share) => {
    const { steps, answer } = await answersOf(name);
    expect(steps.long?.share).toBeCloseTo(share, 1);
    expect(steps.long?.part.part).toBe('own-host-work');
    expect(answer).toMatch(/2 of 5/);
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
  ['specaugment_roundtrip', 'pin'],
  ['replay_lists', 'load-in-workers'],
] as const)('advises what shortens the step: %s', async (name, change) => {
  expect(sure(await answersOf(name))[0]?.changes).toContain(change);
});

it('predicts a round trip to the host that the device makes unnecessary: 72 % measured', async () => {
  const moved = (await answersOf('specaugment_roundtrip')).plan.find(
    ({ changes }) => changes.join() === 'move-to-device',
  );
  expect(moved?.gainShare).toBeCloseTo(0.72, 1);
});

it.each(['rounds_busy', 'knn_busy', 'video_prefetched'])('finds nothing sure to gain in %s', async (name) => {
  expect(sure(await answersOf(name))).toEqual([]);
});
