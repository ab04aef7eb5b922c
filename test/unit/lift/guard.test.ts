import { describe, expect, it } from 'vitest';
import { liftedDescription, traceAnswers } from '../../../core/lift/answers.ts';
import { cautionOf } from '../../../core/lift/caution.ts';
import { planBlocks } from '../../../core/present/plan.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { complete, read, traceOf } from '../import/support.ts';
import { h200Costs as costs } from '../machine/toy.ts';

/** Returns steps of 5 ms whose copy and kernel begin `heldUs` late, for an unrecorded reason. */
async function answersWhereHeld(heldUs: number) {
  const steps = Array.from({ length: 4 }, (_, step) => {
    const at = 1000 + step * 5000;
    const [copy, kernel] = [{ correlation: 2 * step + 1 }, { correlation: 2 * step + 2 }];
    const startsAt = at + 30 + heldUs;
    const memcpy = { ...copy, device: 0, stream: 7, bytes: 50_000_000 };
    return [
      complete('user_annotation', 'step', at, 4990),
      complete('cuda_runtime', 'cudaMemcpyAsync', at + 10, 5, copy),
      complete('gpu_memcpy', 'Memcpy HtoD (Pinned -> Device)', startsAt, 1000, memcpy),
      complete('cuda_runtime', 'cudaLaunchKernel', at + 20, 5, kernel),
      complete('kernel', 'work', startsAt + 1001, 3900 - heldUs, { ...kernel, device: 0, stream: 7 }),
      complete('cuda_runtime', 'cudaDeviceSynchronize', at + 30, 4910, { correlation: 100 + step }),
    ];
  });
  return traceAnswers(await read(traceOf(steps.flat())), costs);
}

const note =
  /^Replayed without changes, the step takes [23]\.\d+ ms; (4\.99|5|5\.00) ms were recorded\. Nothing in the trace explains/;

describe('a replay that is far from what was recorded', () => {
  it('a replay that differs from the recording is reported with both figures', async () => {
    const { steps } = await answersWhereHeld(2500);
    expect(steps.caution).toMatch(note);
    expect(steps.unprofiledNs).toBeGreaterThan(4.9e6);
  });

  it('the difference is reported next to gains: in the plan and in what is lifted', async () => {
    const answers = await answersWhereHeld(2500);
    const caution = answers.steps.caution ?? 'none';
    expect(answers.plan.length).toBeGreaterThan(0);
    expect(planBlocks(answers)).toContainEqual(expect.objectContaining({ kind: 'text', text: caution }));
    expect(liftedDescription('a', [], [], caution).split('\n')).toContain(caution);
  });
});

describe('a replay that meets what was recorded', () => {
  it('has no such note', async () => {
    const answers = await answersWhereHeld(0);
    expect(answers.steps.caution).toBeNull();
    expect(JSON.stringify(planBlocks(answers))).not.toContain('Replayed');
    expect(liftedDescription('a', [], [], null)).not.toContain('Replayed');
  });

  it.each(['vision.pageable', 'optimizer.overlapped', 'recsys.packed'])('%s has no such report', async (name) => {
    const run = await importTraceFile(`test/fixtures/pytorch-pairs/${name}.json.gz`, 'test');
    expect(traceAnswers(run, costs).steps.caution).toBeNull();
  });
});

it('a device that is four steps behind at the begin of the recording replays as recorded', async () => {
  const early = [0, 1, 2, 3].map((one) =>
    complete('kernel', 'work', 1000 + one * 5000, 4990, { correlation: 1 + one, device: 0, stream: 7 }),
  );
  const steps = [0, 1, 2, 3, 4].flatMap((step) => {
    const [at, kernel] = [1000 + step * 5000, { correlation: 10 + step }];
    return [
      complete('user_annotation', 'step', at, 4990),
      complete('cuda_runtime', 'cudaLaunchKernel', at + 20, 5, kernel),
      complete('kernel', 'work', at + 20_000, 4990, { ...kernel, device: 0, stream: 7 }),
    ];
  });
  const { caution } = traceAnswers(await read(traceOf([...early, ...steps])), costs).steps;
  expect(caution ?? '').not.toContain('Replayed');
});

describe('the typical step', () => {
  it('is that of the steps after the first, or the only one', () => {
    expect(cautionOf([9e6, 4e6, 4e6, 4e6], 4.5e6)).toBeNull();
    expect(cautionOf([4e6], 4.5e6)).toBeNull();
    expect(cautionOf([0], 0)).toBeNull();
  });

  it('is missed by more than 15 %, above or below', () => {
    expect(cautionOf([4e6, 4e6], 4.59e6)).toBeNull();
    expect(cautionOf([4e6, 4e6], 3.41e6)).toBeNull();
    expect(cautionOf([4e6, 4e6], 3.39e6)).toContain('3.39 ms');
    expect(cautionOf([4e6, 4e6], 7.4e6)).toContain('Replayed without changes, the step takes 7.40 ms; 4.00 ms were');
  });
});
