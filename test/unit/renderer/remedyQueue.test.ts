/** Remedies are requested one after another, and an edit cancels needless requests. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { duplicateOperations } from '../../../core/experiment/edit/operations.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { predict as predictVerdicts } from '../../../core/explain/remedies/predict.ts';
import { remediesFor } from '../../../core/explain/remedies/remedies.ts';
import { isTested } from '../../../core/explain/remedies/remedy.ts';
import type { Verdict } from '../../../core/explain/verdicts/verdict.ts';
import type { HostService } from '../../../core/service/service.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { RemedyAnswer, RemedyQuestion } from '../../../renderer/predict/documentCalls.ts';
import { predict } from '../../../renderer/predict/predict.ts';
import { indexIteration } from '../../../renderer/store/opened/iterationData.ts';
import { LoadedRun } from '../../../renderer/store/opened/loadedRun.ts';
import { h200, h200Machine } from '../machine/toy.ts';
import { type FakeWorker, fakeWorkers, lastOf, settled } from './workers.ts';

const asset = (path: string) => readFileSync(new URL(`../../../assets/${path}`, import.meta.url));
const missing = requireExperiment(asset('examples/overlap/pageable-same-stream.json').toString());
const { experiment: twice } = duplicateOperations(missing, [['threads', 0, 'operations', 0]]);
const found = predictVerdicts(missing, h200Machine)?.verdicts.find(isTested);
if (found === undefined) throw new Error('nothing is missed');
const verdict: Verdict = found;
const [remedy = null] = remediesFor(missing, [verdict], h200Machine);

/** Returns a verdict on this operation, by which verdicts are distinguished. */
const verdictOn = (op: number): Verdict => ({ ...verdict, op });
const loaded = (run: Run): LoadedRun => new LoadedRun('run', run, indexIteration(run.trace, 0), { counters: [] });
const predicted = (experiment: Experiment): LoadedRun => loaded(predict(experiment, h200, '1').run);

let workers: FakeWorker[];
let queue: typeof import('../../../renderer/inspector/remedies/remedyQueue.ts');
let store: typeof import('../../../renderer/store/store.ts');

const worker = (): FakeWorker => lastOf(workers);
const questions = (): RemedyQuestion[] =>
  worker()
    .calls('remedy')
    .map(({ a: [question] }) => question as RemedyQuestion);
const asked = (): number[] => questions().map((question) => question.verdict.op);
const sentWhole = (): boolean[] =>
  worker()
    .calls('take')
    .map(({ a: [sent] }) => 'text' in (sent as object));
/** Answers the last request. */
const answer = (own: Partial<RemedyAnswer> = {}): Promise<void> =>
  worker().answer('remedy', { remedy, shown: null, ...own });
/** Requests the remedies of verdicts on these operations. */
async function ask(run: LoadedRun, ...ops: number[]): Promise<void> {
  for (const op of ops) queue.askRemedy(run, verdictOn(op));
  await settled();
}

function open(value: Experiment): void {
  store.assign({
    page: { kind: 'experiment', id: 'own' },
    documents: { 'experiment:own': { status: 'ready', value } },
  });
}

beforeEach(async () => {
  vi.resetModules();
  workers = fakeWorkers();
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
    await ask(run, 1, 2, 1);
    expect([1, 2].map((op) => queue.remedyOf(run, op))).toEqual(['testing', 'testing']);
    expect(asked()).toEqual([1]);
    told.mockClear();
    await answer();
    expect(told).toHaveBeenCalled();
    expect(queue.remedyOf(run, 1)).toEqual({ remedy, profile: h200.name, ownRates: false });
    expect(asked()).toEqual([1, 2]);
    await answer({ remedy: null });
    expect(queue.remedyOf(run, 2)).toBe('none');
    expect(asked()).toEqual([1, 2]);
    expect([workers.length, sentWhole(), worker().calls('use').length]).toEqual([1, [true], 1]);
  });

  it('never begins what an edit has made needless, and calls off what is under way', async () => {
    const run = predicted(missing);
    await ask(run, 1, 2, 3);
    open(twice);
    expect([1, 2, 3].map((op) => queue.remedyOf(run, op))).toEqual([null, null, null]);
    expect(worker().sent.at(-1)?.m).toBe('dropSearches');
    const next = predicted(twice);
    await ask(next, 4);
    expect(asked()).toEqual([1]);
    await worker().answer('remedy', null);
    expect(queue.remedyOf(run, 1)).toBeNull();
    expect([asked(), sentWhole()]).toEqual([
      [1, 4],
      [true, false],
    ]);
    expect([workers.length, worker().isEnded]).toEqual([1, false]);
  });
});
