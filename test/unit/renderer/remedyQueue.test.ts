/** Remedies are asked for one after another; an edit calls off what it makes needless, and a worker may lose the document. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { duplicateOperations } from '../../../core/experiment/edit/operations.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { maxTriedInstructions, predict as predictVerdicts } from '../../../core/remedies/predict.ts';
import { remediesFor } from '../../../core/remedies/remedies.ts';
import { isTested } from '../../../core/remedies/remedy.ts';
import type { HostService } from '../../../core/service/service.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { Verdict } from '../../../core/verdicts/verdict.ts';
import type { Stale } from '../../../renderer/common/sentDocument.ts';
import type { RemedyAnswer, RemedyRequest } from '../../../renderer/inspector/remedies/messages.ts';
import { predict } from '../../../renderer/predict/predict.ts';
import { indexIteration } from '../../../renderer/store/opened/iterationData.ts';
import { LoadedRun } from '../../../renderer/store/opened/loadedRun.ts';
import { h200, h200Machine } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';
import { type FakeWorker, fakeWorkers, lastOf } from './workers.ts';

const asset = (path: string) => readFileSync(new URL(`../../../assets/${path}`, import.meta.url));
const missing = requireExperiment(asset('examples/overlap/pageable-same-stream.json').toString());
const { experiment: twice } = duplicateOperations(missing, [['threads', 0, 'operations', 0]]);
const found = predictVerdicts(missing, h200Machine)?.verdicts.find(isTested);
if (found === undefined) throw new Error('nothing is missed');
const verdict: Verdict = found;
const [remedy = null] = remediesFor(missing, [verdict], h200Machine);

/** Verdicts are told apart by their operation. */
const verdictOn = (op: number): Verdict => ({ ...verdict, op });
const loaded = (run: Run): LoadedRun => new LoadedRun('run', run, indexIteration(run.trace, 0), { counters: [] });
const predicted = (experiment: Experiment): LoadedRun => loaded(predict(experiment, h200, '1').run);

type Workers = FakeWorker<RemedyRequest, RemedyAnswer | Stale>[];
let workers: Workers;
let queue: typeof import('../../../renderer/inspector/remedies/remedyQueue.ts');
let store: typeof import('../../../renderer/store/store.ts');

const worker = (): Workers[number] => lastOf(workers);
const asked = (): number[] => worker().sent.map((request) => request.verdict.op);
const isWhole = (request: RemedyRequest | undefined): boolean => request !== undefined && 'text' in request.document;
/** Answers what was asked last. */
const answer = (own: Partial<RemedyAnswer> = {}): void =>
  worker().answer({ ticket: worker().sent.at(-1)?.ticket ?? -1, remedy, shown: null, ...own });

function open(value: Experiment): void {
  store.assign({
    page: { kind: 'experiment', id: 'own' },
    documents: { 'experiment:own': { status: 'ready', value } },
  });
}

beforeEach(async () => {
  vi.resetModules();
  workers = fakeWorkers<RemedyRequest, RemedyAnswer | Stale>();
  queue = await import('../../../renderer/inspector/remedies/remedyQueue.ts');
  store = await import('../../../renderer/store/store.ts');
  const { setService } = await import('../../../renderer/store/host.ts');
  setService({ readProfile: async () => h200 } as unknown as HostService);
  const summary = { name: h200.name, device: 'NVIDIA H200', source: '', basis: h200.basis, own: false };
  store.assign({ profiles: [summary] });
  open(missing);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => vi.unstubAllGlobals());

describe('the queue of remedies', () => {
  it('asks for one at a time, each once, and tells each answer', async () => {
    const run = predicted(missing);
    const told = vi.fn();
    queue.subscribe(told);
    for (const op of [1, 2, 1]) await queue.askRemedy(run, verdictOn(op));
    expect([1, 2].map((op) => queue.remedyOf(run, op))).toEqual(['testing', 'testing']);
    expect(asked()).toEqual([1]);
    told.mockClear();
    answer();
    expect(told).toHaveBeenCalled();
    expect(queue.remedyOf(run, 1)).toEqual({ remedy, profile: h200.name, ownRates: false });
    expect(asked()).toEqual([1, 2]);
    answer({ remedy: null });
    expect(queue.remedyOf(run, 2)).toBe('none');
    expect(asked()).toEqual([1, 2]);
    expect(workers).toHaveLength(1);
  });

  it('sends the document whole once, and again where the worker has lost it', async () => {
    const run = predicted(missing);
    for (const op of [1, 2]) await queue.askRemedy(run, verdictOn(op));
    answer();
    expect(worker().sent.map(isWhole)).toEqual([true, false]);
    const { ticket } = worker().sent[1] ?? {};
    worker().answer({ kind: 'stale', ticket: ticket ?? -1 });
    expect(asked()).toEqual([1, 2, 2]);
    expect(worker().sent[2]?.ticket).toBe(ticket);
    expect(isWhole(worker().sent[2])).toBe(true);
    expect(queue.remedyOf(run, 2)).toBe('testing');
    answer();
    expect(queue.remedyOf(run, 2)).toEqual({ remedy, profile: h200.name, ownRates: false });
  });

  it('takes no answer to what is not asked any more', async () => {
    const run = predicted(missing);
    for (const op of [1, 2]) await queue.askRemedy(run, verdictOn(op));
    answer();
    const [first] = worker().sent;
    worker().answer({ ticket: first?.ticket ?? -1, remedy: null, shown: null });
    worker().answer({ kind: 'stale', ticket: first?.ticket ?? -1 });
    expect(queue.remedyOf(run, 1)).toEqual({ remedy, profile: h200.name, ownRates: false });
    expect(queue.remedyOf(run, 2)).toBe('testing');
    expect(asked()).toEqual([1, 2]);
  });

  it('never begins what an edit has made needless, and lets what is short come to its end', async () => {
    const run = predicted(missing);
    for (const op of [1, 2, 3]) await queue.askRemedy(run, verdictOn(op));
    open(twice);
    expect([1, 2, 3].map((op) => queue.remedyOf(run, op))).toEqual(['testing', null, null]);
    expect(worker().isEnded).toBe(false);
    const next = predicted(twice);
    await queue.askRemedy(next, verdictOn(4));
    expect(asked()).toEqual([1]);
    answer();
    expect(asked()).toEqual([1, 4]);
    expect(isWhole(worker().sent[1])).toBe(false);
  });

  it('ends the worker where it has been at something for long when an edit comes', async () => {
    const run = predicted(missing);
    await queue.askRemedy(run, verdictOn(1));
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now + 5000);
    open(twice);
    const ended = worker();
    expect(ended.isEnded).toBe(true);
    expect(queue.remedyOf(run, 1)).toBeNull();
    await queue.askRemedy(predicted(twice), verdictOn(2));
    expect(workers).toHaveLength(2);
    expect(isWhole(worker().sent[0])).toBe(true);
    // What is on its way from the one that was ended is none of the new one's.
    ended.answer({ ticket: ended.sent[0]?.ticket ?? -1, remedy, shown: null });
    expect(queue.remedyOf(run, 1)).toBeNull();
  });

  it('lets verdicts stand as they are where the worker fails, and the next one starts another', async () => {
    const run = predicted(missing);
    for (const op of [1, 2]) await queue.askRemedy(run, verdictOn(op));
    worker().fail();
    expect([1, 2].map((op) => queue.remedyOf(run, op))).toEqual(['none', 'none']);
    await queue.askRemedy(run, verdictOn(3));
    expect(workers).toHaveLength(2);
    expect(isWhole(worker().sent[0])).toBe(true);
  });

  it('sends a recorded run once, and asks with the machine that was read from it', async () => {
    const run = loaded(decodeRun(asset('runs/overlap/pageable-same-stream.arrow')));
    for (const op of [1, 2]) await queue.askRemedy(run, verdictOn(op));
    const shown = new Map([['cudaLaunchKernel', 5000]]);
    answer({ shown });
    expect(queue.remedyOf(run, 1)).toEqual({ remedy, profile: h200.name, ownRates: true });
    const [first, second] = worker().sent;
    expect([first?.run?.trace.count, first?.run?.info.experiment]).toEqual([run.run.trace.count, null]);
    expect([second?.run, second?.shown]).toEqual([null, shown]);
  });

  it('asks for nothing of what is too long', async () => {
    const work = Array.from({ length: maxTriedInstructions + 1 }, () => ({ op: 'work', durationNs: 1 }) as const);
    const run = predicted(experimentOf({}, work));
    await queue.askRemedy(run, verdictOn(1));
    expect(queue.remedyOf(run, 1)).toBe('none');
    expect(workers).toEqual([]);
  });
});
