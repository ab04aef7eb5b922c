import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { trueStepNs } from '../../../bench/support/tracePairs.ts';
import { parseExperiment } from '../../../core/experiment/parse.ts';
import { plannerOf, traceAnswers } from '../../../core/lift/answers.ts';
import { experimentOf } from '../../../core/lift/experimentOf.ts';
import { type Lifted, liftTrace } from '../../../core/lift/fromTrace.ts';
import { replay } from '../../../core/lift/replay.ts';
import { lower } from '../../../core/program/lower.ts';
import { median } from '../../../core/statistics.ts';
import type { Run } from '../../../core/trace/run.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { h200Costs as costs } from '../machine/toy.ts';

const fixture = (name: string): Promise<Run> => importTraceFile(`test/fixtures/pytorch-pairs/${name}.json.gz`, 'test');

describe.each([
  'vision.pinned',
  'vision.prefetch',
  'weights.pageable',
  'weights.prefetch',
  'samples.pageable',
  'samples.batched',
  'optimizer.serial',
  'optimizer.overlapped',
  'recsys.packed',
])('the trace %s', (name) => {
  let run: Run;
  let lifted: Lifted;
  beforeAll(async () => {
    run = await fixture(name);
    lifted = liftTrace(run.trace, name);
  });

  it('has its four marked steps', () => {
    expect(lifted.found.ranges.map((range) => range.name)).toEqual(['step', 'step', 'step', 'step']);
  });

  it('is given back by a replay with its own costs', () => {
    const recordedNs = median(lifted.recordedNs.slice(1));
    expect(Math.abs(replay(lifted.script, costs).stepNs / recordedNs - 1)).toBeLessThan(0.04);
  });

  it('is a valid experiment that can be lowered', () => {
    const { experiment } = experimentOf(lifted.script, '');
    const parsed = parseExperiment(JSON.parse(JSON.stringify(experiment)));
    expect(parsed.ok ? [] : parsed.problems).toEqual([]);
    expect(lower(experiment).operations.length).toBeGreaterThan(100);
  });

  it('has parts that add up to its typical step', () => {
    const sum = lifted.parts.reduce((total, { ns }) => total + ns, 0);
    const typical = [...lifted.recordedNs].sort((a, b) => a - b)[1] ?? 0;
    expect(sum).toBeCloseTo(typical, 3);
  });
});

describe('the first advice for a real program', () => {
  const ahead = ['pin', 'non-blocking', 'other-stream', 'prefetch'] as const;
  it.each([
    ['weights.pageable', ['keep-on-device'], 0.84, 0.05],
    ['vision.pageable', ahead, 0.57, 0.08],
  ] as const)('is what a senior engineer names: %s', async (name, changes, gain, within) => {
    const { plan, steps, tried } = traceAnswers(await fixture(name), costs, { tried: ahead });
    expect(plan[0]?.changes).toEqual(changes);
    expect(Math.abs((tried?.gainShare ?? 0) - gain)).toBeLessThan(within);
    expect(steps.parts.reduce((most, part) => (part.ns > most.ns ? part : most)).part).toBe('exposed-copy-pageable');
  });

  it('names the lines to change where the trace has stacks', async () => {
    const { plan } = traceAnswers(await fixture('vision.pageable'), costs);
    expect(plan[0]?.lines).toEqual(['pairs.py:39 in step']);
  });

  it('orders remedies by what they gain', async () => {
    const { plan } = traceAnswers(await fixture('weights.pinned'), costs);
    const gains = plan.map(({ gainShare }) => gainShare);
    expect(gains.every((gain, index) => index === 0 || gain <= (gains[index - 1] ?? 1) + 0.0025)).toBe(true);
  });

  it('answers for a list that is asked for, with an interval around it', async () => {
    const { tried } = traceAnswers(await fixture('vision.pinned'), costs, { tried: ['non-blocking'] });
    expect(tried?.changes).toEqual(['non-blocking']);
    expect(Math.abs((tried?.gainShare ?? 0) - 0.055)).toBeLessThan(0.03);
    expect(tried?.lowShare).toBeLessThan(tried?.gainShare ?? 0);
    expect(tried?.highShare).toBeGreaterThan(tried?.gainShare ?? 0);
  });

  it('takes the step that the person knows as the unprofiled one', async () => {
    const { steps } = traceAnswers(await fixture('samples.non_blocking'), costs, { knownStepNs: 3.9e6 });
    expect(Math.abs(steps.unprofiledNs / 3.9e6 - 1)).toBeLessThan(0.02);
  });

  it('refuses steps that are not there, by number', async () => {
    const run = await fixture('vision.pinned');
    expect(() => traceAnswers(run, costs, { from: 3, to: 9 })).toThrow('steps 3..9 were given, and the trace has 4.');
  });
});

describe('a batch that each step pins before it is copied', () => {
  const plansPin = async (name: string) => {
    const { plan } = traceAnswers(await importTraceFile(`test/fixtures/${name}.json.gz`, 'test'), costs);
    return plan.find(({ changes }) => changes.join() === 'pin');
  };

  it.each([
    // Measured without the profiler, once the batch was made in page-locked memory (steps.json).
    ['pytorch-pairs-h200/large.each', 4155, 1949],
    ['pytorch-pairs-h100/large.each', 4773, 2020],
  ])(
    '%s is pinned once instead, with the measured gain in the interval and the step above its floor',
    async (name, us, then) => {
      const pin = await plansPin(name);
      const gain = 1 - then / us;
      expect(pin?.gainShare).toBeGreaterThan(0.4);
      expect(pin?.lowShare).toBeLessThan(0.05);
      expect(pin?.highShare).toBeGreaterThan(gain);
      expect(Math.abs((pin?.floorNs ?? 0) / (1000 * then) - 1)).toBeLessThan(0.05);
      expect(pin?.needs.join()).toContain('page-locked buffer');
    },
  );

  it.each(['pytorch-unseen-h200/windows.each_step', 'pytorch-unseen-h100/windows.each_step'])(
    '%s keeps its pinning, because the device takes the step anyway',
    async (name) => expect(await plansPin(name)).toBeUndefined(),
  );
});

it('has 86 of 100 steps that were timed without the profiler within their intervals', async () => {
  const held: boolean[] = [];
  for (const folder of ['test/fixtures/pytorch-unseen-h100', 'test/fixtures/pytorch-unseen-h200']) {
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.json.gz'))) {
      const { info, trace } = await importTraceFile(join(folder, file), 'test');
      const { lowNs, highNs } = plannerOf(liftTrace(trace, file), info, costs).unprofiledRange;
      const [family = '', variant = ''] = file.split('.');
      const trueNs = trueStepNs(folder, family, variant);
      held.push(lowNs <= trueNs && trueNs <= highNs);
    }
  }
  expect(held.filter((one) => one).length).toBeGreaterThanOrEqual(0.86 * held.length);
});
