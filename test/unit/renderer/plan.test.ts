/** The plan of a trace in the window: its text, its choices, and its worker. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseExperiment } from '../../../core/experiment/parse.ts';
import { gainText } from '../../../core/present/plan.ts';
import type { Run } from '../../../core/trace/run.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import type { PlanCalls } from '../../../renderer/plan/messages.ts';
import { isOn, toggled, wordsOf } from '../../../renderer/plan/planStore.ts';
import { stepsText, typedStep } from '../../../renderer/plan/words.ts';
import { h200 } from '../machine/toy.ts';
import { workerOf } from './workers.ts';

const remedy = { changes: [], needed: [], stepNs: 0, floorNs: 0 };

describe('the words of a gain', () => {
  it('has time and share with their intervals', () => {
    const gain = gainText({ ...remedy, gainShare: 0.655, lowShare: 0.49, highShare: 1 }, 20e6);
    expect(gain).toMatchObject({ time: '13.1\u00a0ms, 9.8 to 20', tone: 'good' });
    expect(gain.share.replace(/\u00a0/g, ' ')).toBe('66 %, 49 to 100');
  });

  it('tells an interval that reaches zero from a loss', () => {
    const unsure = gainText({ ...remedy, gainShare: 0.02, lowShare: -0.01, highShare: 0.05 }, 10e6);
    expect(unsure).toMatchObject({ tone: 'warn', time: '200\u00a0µs, −100 to 500' });
    expect(gainText({ ...remedy, gainShare: -0.1, lowShare: -0.2, highShare: 0 }, 10e6).tone).toBe('bad');
  });
});

describe('a typed step', () => {
  it('is milliseconds, nothing, or a problem that says what to type', () => {
    expect(typedStep(' 12,5 ')).toEqual({ ns: 12.5e6 });
    expect(typedStep('')).toEqual({ ns: null });
    for (const text of ['0', '-1', 'abc', 'Infinity']) expect(typedStep(text)).toHaveProperty('problem');
  });
});

describe('a choice of changes', () => {
  it('takes a remedy on and off, and drops what excludes it', () => {
    const on = toggled(['pin-each-step'], ['non-blocking', 'pin']);
    expect(on).toEqual(['pin', 'non-blocking']);
    expect(isOn(on, ['pin'])).toBe(true);
    expect(toggled(on, ['pin'])).toEqual(['non-blocking']);
    expect(toggled(['remove-wait'], ['delay-wait'])).toEqual(['delay-wait']);
  });

  it('offers what some remedy has', () => {
    expect(wordsOf([{ changes: ['prefetch'] }, { changes: ['pin', 'prefetch'] }])).toEqual(['pin', 'prefetch']);
  });
});

describe('the worker', () => {
  let run: Run;
  let worker: Awaited<ReturnType<typeof workerOf<PlanCalls>>>;
  beforeAll(async () => {
    worker = await workerOf<PlanCalls>(() => import('../../../renderer/plan/planWorker.ts'));
    run = await importTraceFile('test/fixtures/pytorch-pairs/samples.batched.json.gz', 'test');
  });
  afterAll(() => vi.unstubAllGlobals());

  it('refuses questions before a trace was opened', async () => {
    await expect(worker.plan()).rejects.toMatchObject({ code: 'lift.not-open' });
  });

  it('finds steps, tries a set, and lifts a valid experiment', async () => {
    const steps = await worker.open(run, h200, null);
    expect(steps).toMatchObject({ count: 4, found: 4, isWhole: false });
    expect(stepsText(steps)).toBe('4 steps, ranges named "step"');
    expect(await worker.try(['pin'])).toMatchObject({ changes: ['pin'] });
    expect(parseExperiment(await worker.lift(['pin'])).ok).toBe(true);
    expect(await worker.lanes([])).toMatchObject({ run: { info: { engine: 'sim' } }, iteration: { number: 0 } });
  });

  it('says what a trace lacks', async () => {
    const empty = { ...run, trace: { ...run.trace, count: 0, lanes: [] } };
    const error = { code: 'lift.no-host-calls', remedy: expect.stringContaining('CUDA') };
    await expect(worker.open(empty, h200, null)).rejects.toMatchObject(error);
  });
});
