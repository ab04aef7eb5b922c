/** Properties of every recorded trace: no prediction beats physics, and the parts sum to the step. */
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type TraceAnswers, traceAnswers } from '../../../core/lift/answers.ts';
import { type Lifted, liftTrace } from '../../../core/lift/fromTrace.ts';
import { lowerMedian } from '../../../core/statistics.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { h200Costs as costs } from '../../unit/machine/toy.ts';

const traces = readdirSync('test/fixtures')
  .filter((folder) => /^(pytorch-(pairs|several|unseen)|trace-faults|public-traces)/.test(folder))
  .flatMap((folder) => readdirSync(`test/fixtures/${folder}`).map((file) => `${folder}/${file}`))
  .filter((file) => /\.json(\.gz)?$/.test(file) && !/steps\.json|jax_like/.test(file));

/** Returns the time of kernels in a step on the busiest stream: no change of the plan makes them faster. */
function kernelsNs({ script }: Lifted): number {
  return lowerMedian(
    script.steps.map(({ items }) => {
      const streams = new Map<string, number>();
      for (const item of items) {
        if (item.kind === 'launch') streams.set(item.stream, (streams.get(item.stream) ?? 0) + item.deviceNs);
      }
      return Math.max(0, ...streams.values());
    }),
  );
}

it.each(traces)('nothing is predicted below what the device needs: %s', { timeout: 120_000 }, async (file) => {
  const run = await importTraceFile(`test/fixtures/${file}`, 'test');
  const { steps, plan, answer } = traceAnswers(run, costs);
  expect(steps.parts.reduce((sum, { ns }) => sum + ns, 0)).toBeCloseTo(steps.medianNs, 0);
  expect(steps.unprofiledNs).toBeLessThanOrEqual(steps.medianNs);
  const kernels = Math.min(kernelsNs(liftTrace(run.trace, file)), steps.unprofiledNs);
  for (const { changes, stepNs, floorNs, gainShare, lowShare, highShare } of plan) {
    const what = changes.join();
    expect(stepNs, what).toBeGreaterThanOrEqual(floorNs * (1 - 1e-9));
    expect(stepNs, what).toBeGreaterThanOrEqual(0.99 * kernels);
    expect(gainShare, what).toBeGreaterThanOrEqual(0.02);
    expect(lowShare, what).toBeLessThanOrEqual(gainShare);
    expect(highShare, what).toBeGreaterThanOrEqual(gainShare);
    if (answer.startsWith('Nothing to gain')) expect(gainShare, what).toBeLessThanOrEqual(0.05);
  }
  const firstUnsure = plan.findIndex(({ lowShare }) => lowShare <= 0);
  if (firstUnsure >= 0) expect(plan.slice(firstUnsure).filter(({ lowShare }) => lowShare > 0)).toEqual([]);
});

// These two traces of 26 MB would take too long among the unit tests.
const loaderAnswers = async (workers: number) =>
  traceAnswers(
    await importTraceFile(`test/fixtures/public-traces/kineto_resnet50_workers_${workers}.json.gz`, 'test'),
    costs,
  );
const loading = ({ steps }: TraceAnswers) => steps.parts.find(({ part }) => part === 'loading-data');

it('a trace of a loader without workers loads data for as long as the device is idle', async () => {
  const answers = await loaderAnswers(0);
  expect(loading(answers)?.ns).toBeGreaterThan(57e6);
  expect(loading(answers)?.ns).toBeLessThan(62e6);
  expect(loading(answers)?.names[0]?.name).toContain('enumerate(DataLoader)');
  expect(answers.plan[0]?.changes).toEqual(['load-in-workers']);
});

it('a trace of a loader with four workers loads nothing in its own thread', async () => {
  const answers = await loaderAnswers(4);
  expect(answers.steps.medianNs).toBeCloseTo(127e6, -6);
  expect(loading(answers)?.share).toBeLessThan(0.01);
});
