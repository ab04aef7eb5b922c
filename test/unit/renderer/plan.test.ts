/** The plan of a trace in the window: its words, its choices, and the worker that works it out. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseExperiment } from '../../../core/experiment/parse.ts';
import type { Run } from '../../../core/trace/run.ts';
import { importTraceFile } from '../../../host/service/importTrace.ts';
import { isOn, toggled, wordsOf } from '../../../renderer/plan/choice.ts';
import type { PlanAnswer, PlanRequest } from '../../../renderer/plan/messages.ts';
import { gainText, stepsText, typedStep } from '../../../renderer/plan/words.ts';
import { h200 } from '../machine/toy.ts';
import { workerOf } from './workers.ts';

const remedy = { changes: [], needed: [], stepNs: 0 };

describe('the words of a gain', () => {
  it('has time and share with their intervals', () => {
    const gain = gainText({ ...remedy, gainShare: 0.655, lowShare: 0.49, highShare: 1 }, 20e6);
    expect(gain).toMatchObject({ time: '13.1\u00a0ms, 9.8 to 20', tone: 'good' });
    expect(gain.share.replace(/\u00a0/g, ' ')).toBe('66 %, 49 to 100');
  });

  it('tells an interval that reaches zero from a loss', () => {
    const unsure = gainText({ ...remedy, gainShare: 0.02, lowShare: -0.01, highShare: 0.05 }, 10e6);
    expect(unsure).toMatchObject({ tone: 'unsure', time: '200\u00a0µs, −100 to 500' });
    expect(gainText({ ...remedy, gainShare: -0.1, lowShare: -0.2, highShare: 0 }, 10e6).tone).toBe('loss');
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
  let request: (request: PlanRequest) => PlanAnswer;
  beforeAll(async () => {
    request = await workerOf(() => import('../../../renderer/plan/planWorker.ts'));
    run = await importTraceFile('test/fixtures/pytorch-pairs/samples.batched.json.gz', 'test');
  });
  afterAll(() => vi.unstubAllGlobals());

  it('refuses questions before a trace was opened', () => {
    expect(request({ ticket: 1, kind: 'plan' })).toMatchObject({ error: { code: 'lift.not-open' } });
  });

  it('finds steps, tries a set, and lifts a valid experiment', () => {
    const steps = request({ ticket: 2, kind: 'open', run, profile: h200, knownStepNs: null });
    if (!('result' in steps)) throw new Error(steps.error.message);
    expect(steps.result).toMatchObject({ count: 4, found: 4, isWhole: false });
    expect(stepsText(steps.result as never)).toBe('4 steps, ranges named "step"');
    expect(request({ ticket: 3, kind: 'try', changes: ['pin'] })).toMatchObject({ result: { changes: ['pin'] } });
    const lifted = request({ ticket: 4, kind: 'lift', changes: ['pin'] });
    expect('result' in lifted && parseExperiment(lifted.result).ok).toBe(true);
    const lanes = request({ ticket: 5, kind: 'lanes', changes: [] });
    if (!('result' in lanes)) throw new Error(lanes.error.message);
    expect(lanes.result).toMatchObject({ run: { info: { engine: 'sim' } }, iteration: { number: 0 } });
  });

  it('says what a trace lacks', () => {
    const empty = { ...run, trace: { ...run.trace, count: 0, lanes: [] } };
    const answer = request({ ticket: 5, kind: 'open', run: empty, profile: h200, knownStepNs: null });
    expect(answer).toMatchObject({ error: { code: 'lift.no-host-calls', remedy: expect.stringContaining('CUDA') } });
  });
});
