import { describe, expect, it } from 'vitest';
import { traceAnswers } from '../../../core/lift/answers.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import { hostLine } from '../../../core/lift/hostLine.ts';
import { findSteps } from '../../../core/lift/steps.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { complete, read, traceOf } from '../import/support.ts';
import { h200Costs as costs } from '../machine/toy.ts';

const step = (name: string, at: number) => [
  complete('user_annotation', name, at, 90),
  complete('cuda_runtime', 'cudaLaunchKernel', at + 10, 5, { correlation: at }),
  complete('kernel', 'work', at + 20, 50, { correlation: at, device: 0, stream: 7 }),
];

it("the steps of a trace are the profiler's own marks, numbered as they are", async () => {
  const optimizer = [100, 200].map((at) => complete('user_annotation', 'Optimizer.step#SGD.step', at + 50, 10));
  const { trace } = await read(traceOf([...step('ProfilerStep#7', 100), ...step('ProfilerStep#8', 200), ...optimizer]));
  const { ranges, rule } = findSteps(trace, hostLine(trace));
  expect(ranges.map(({ name }) => name)).toEqual(['ProfilerStep#7', 'ProfilerStep#8']);
  expect(rule).toBe('ranges named "ProfilerStep"');
});

/** Returns steps of 10 ms: `loadUs` on the host, then a kernel of 2 ms; the last 4 ms are marked, or all. */
const loading = (count: number, mark: 'all' | 'end') =>
  Array.from({ length: count }, (_, index) => {
    const at = 1000 + index * 10_000;
    const id = 100 + index;
    return [
      complete('user_annotation', 'step', mark === 'all' ? at : at + 6000, mark === 'all' ? 9990 : 3990),
      complete('cuda_runtime', 'cudaLaunchKernel', at + 6100, 5, { correlation: id }),
      complete('kernel', 'work', at + 6200, 2000, { correlation: id, device: 0, stream: 7 }),
      complete('cuda_runtime', 'cudaDeviceSynchronize', at + 6300, 1900, { correlation: 1000 + id }),
    ];
  }).flat();
const lifted = async (events: readonly object[], options = {}) =>
  liftTrace((await read(traceOf(events))).trace, 'steps', options);

describe('the end of a step', () => {
  it('is the next one’s begin, also of the last that is lifted', async () => {
    const { recordedNs, found } = await lifted(loading(12, 'end'));
    expect(found.ranges).toHaveLength(4);
    expect(recordedNs).toEqual([10e6, 10e6, 10e6, 10e6]);
  });

  it('the end of a step does not depend on the mark of the trace’s last one: that is left out', async () => {
    const { recordedNs, found, script } = await lifted(loading(2, 'end'));
    expect(recordedNs).toEqual([10e6]);
    expect(found.ranges).toHaveLength(1);
    expect(script.inferred[0]).toContain('the last one is left out');
  });

  it('is where the recording paused, also of a trace that is one step', async () => {
    const { trace } = await read(traceOf([...step('alone', 100)]));
    const paused = { ...trace, pauses: [{ fromNs: 60_000, toNs: 65_000 }] };
    expect(findSteps(trace, hostLine(trace)).ranges.map(({ untilNs }) => untilNs)).toEqual([90_000]);
    expect(findSteps(paused, hostLine(paused)).ranges.map(({ untilNs }) => untilNs)).toEqual([60_000]);
  });

  it('is its mark’s where marks follow each other, and where it is asked for', async () => {
    expect((await lifted(loading(3, 'all'))).recordedNs).toHaveLength(3);
    expect((await lifted(loading(3, 'end'), { from: 1, to: 3 })).recordedNs).toHaveLength(3);
  });
});

describe('loading at the begin of a step', () => {
  it('is the program’s own work, though the step’s mark begins in it', async () => {
    const { parts } = await lifted(loading(4, 'all'));
    const share = (name: string) => parts.find(({ part }) => part === name)?.share ?? 0;
    expect(share('own-host-work')).toBeGreaterThan(0.55);
  });

  it('may as well be a wait for another thread: the gain of loading there reaches zero', async () => {
    const { plan } = traceAnswers(await read(traceOf(loading(4, 'all'))), costs);
    const ofThread = plan.filter(({ changes }) => changes.includes('other-thread'));
    expect(ofThread.length).toBeGreaterThan(0);
    expect(ofThread.filter(({ mayGainNothing }) => !mayGainNothing)).toEqual([]);
  });

  it('is the program’s own for sure where operators fill it', async () => {
    const operators = [0, 1, 2, 3].map((step) => complete('cpu_op', 'aten::roll', 1010 + step * 10_000, 5900));
    const { plan } = traceAnswers(await read(traceOf([...loading(4, 'all'), ...operators])), costs);
    expect(plan.find(({ changes }) => changes.join() === 'other-thread')?.lowShare).toBeGreaterThan(0);
  });

  it.each(['h100', 'h200'])(
    'is no work of its own where another thread loads already: loading.thread, %s',
    async (card) => {
      const run = await importTraceFile(`test/fixtures/pytorch-pairs-${card}/loading.thread.json.gz`, 'test');
      const { plan } = traceAnswers(run, costs);
      expect(plan.flatMap(({ changes }) => changes)).not.toContain('other-thread');
      const same = traceAnswers(
        await importTraceFile(`test/fixtures/pytorch-pairs-${card}/loading.same.json.gz`, 'test'),
        costs,
      );
      expect(same.plan.find(({ changes }) => changes.join() === 'other-thread')?.gainShare).toBeGreaterThan(0.02);
    },
  );
});
