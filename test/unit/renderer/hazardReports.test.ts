/** Hazards are asked for a moment after an edit and behind the lanes; a worker may lose the document, or be too long at it. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { duplicateOperations } from '../../../core/experiment/edit/operations.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { hazardsOf, repairOf } from '../../../core/hazards/repair.ts';
import type { HazardAnswer, HazardRequest } from '../../../renderer/predict/hazards/hazardMessages.ts';
import { type FakeWorker, fakeWorkers, lastOf } from './workers.ts';

const racing = requireExperiment(
  readFileSync(new URL('../../../assets/examples/races/changed-source-pinned.json', import.meta.url), 'utf8'),
);
const { experiment: twice } = duplicateOperations(racing, [['threads', 0, 'operations', 0]]);
const key = 'experiment:own';
/** Longer than an edit is waited for. */
const pauseMs = 1000;

type Workers = FakeWorker<HazardRequest, HazardAnswer>[];
let workers: Workers;
let reports: typeof import('../../../renderer/predict/hazards/hazardReports.ts');
let predicting: typeof import('../../../renderer/predict/predicting.ts');
let store: typeof import('../../../renderer/store/store.ts');

const worker = (): Workers[number] => lastOf(workers);
const sent = (): readonly HazardRequest[] => workers.at(-1)?.sent ?? [];
const isWhole = (request: HazardRequest | undefined): boolean => request !== undefined && 'text' in request.document;

function open(value: Experiment): void {
  store.assign({ page: { kind: 'experiment', id: 'own' }, documents: { [key]: { status: 'ready', value } } });
}

/** What is drawn of hazards asks for them. */
function edit(experiment: Experiment): void {
  open(experiment);
  reports.askSoon(key, experiment, null);
}

/** Answers a request as the worker would. */
function answer(request: HazardRequest | undefined, experiment: Experiment): void {
  if (request === undefined) throw new Error('nothing was asked');
  const { ticket, question } = request;
  worker().answer(
    question.kind === 'find'
      ? { kind: 'found', ticket, report: hazardsOf(experiment) }
      : { kind: 'repaired', ticket, change: repairOf(experiment, question.hazard) },
  );
}

beforeEach(async () => {
  vi.resetModules();
  workers = fakeWorkers<HazardRequest, HazardAnswer>();
  vi.stubGlobal('window', {});
  vi.stubGlobal('requestAnimationFrame', (action: () => void) => setTimeout(action, 16));
  reports = await import('../../../renderer/predict/hazards/hazardReports.ts');
  predicting = await import('../../../renderer/predict/predicting.ts');
  store = await import('../../../renderer/store/store.ts');
  open(racing);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => vi.unstubAllGlobals());

describe('reports on hazards', () => {
  it('are asked for once, of the last of quick edits, and told', () => {
    const told = vi.fn();
    reports.subscribe(told);
    for (const experiment of [racing, twice, racing, twice]) edit(experiment);
    expect(workers).toEqual([]);
    vi.advanceTimersByTime(pauseMs);
    expect(sent().map(isWhole)).toEqual([true]);
    expect(reports.reportOf(twice, '')).toBeNull();
    answer(sent()[0], twice);
    expect(told).toHaveBeenCalled();
    expect(reports.reportOf(twice, '')).toEqual(hazardsOf(twice));
    expect(reports.lastReport(key, twice)).toEqual(hazardsOf(twice));
    reports.askSoon(key, twice, null);
    vi.advanceTimersByTime(pauseMs);
    expect(sent()).toHaveLength(1);
  });

  it('ask anew, with the whole document, where the worker has lost it', () => {
    for (const experiment of [racing, twice]) {
      edit(experiment);
      vi.advanceTimersByTime(pauseMs);
    }
    expect(sent().map(isWhole)).toEqual([true, false]);
    worker().answer({ kind: 'stale', ticket: sent()[1]?.ticket ?? -1 });
    expect(sent().map(isWhole)).toEqual([true, false, true]);
    expect(new Set(sent().map(({ ticket }) => ticket)).size).toBe(3);
    answer(sent()[2], twice);
    expect(reports.reportOf(twice, '')).toEqual(hazardsOf(twice));
  });

  it('are none of the document of before an edit, which nobody asks for any more', () => {
    edit(racing);
    vi.advanceTimersByTime(pauseMs);
    edit(twice);
    answer(sent()[0], racing);
    expect(reports.reportOf(racing, '')).toBeNull();
    // Lost by then: the next one is whole, and the old one is not asked again.
    worker().answer({ kind: 'stale', ticket: sent()[0]?.ticket ?? -1 });
    expect(sent()).toHaveLength(1);
    vi.advanceTimersByTime(pauseMs);
    expect(sent().map(isWhole)).toEqual([true, true]);
  });

  it('are looked for by the same worker after an edit, unless it has been at something for long', () => {
    edit(racing);
    vi.advanceTimersByTime(pauseMs);
    const { sent: requests } = worker();
    edit(twice);
    vi.advanceTimersByTime(pauseMs);
    expect([workers.length, ...requests.map(isWhole)]).toEqual([1, true, false]);
    vi.advanceTimersByTime(5000);
    edit(racing);
    expect(worker().isEnded).toBe(true);
    vi.advanceTimersByTime(pauseMs);
    expect(workers).toHaveLength(2);
    expect(sent().map(isWhole)).toEqual([true]);
  });

  it('wait until the lanes of the document have been drawn, whatever is predicted elsewhere', () => {
    predicting.tellPredicting({ document: key, progress: null });
    edit(racing);
    vi.advanceTimersByTime(10 * pauseMs);
    expect(workers).toEqual([]);
    predicting.tellPredicting({ document: key, progress: { done: 1, total: 2 } });
    vi.advanceTimersByTime(10 * pauseMs);
    expect(workers).toEqual([]);
    predicting.tellPredicting(null);
    expect(workers).toEqual([]);
    vi.advanceTimersByTime(pauseMs);
    expect(sent()).toHaveLength(1);
    predicting.tellPredicting({ document: 'experiment:other', progress: null });
    edit(twice);
    vi.advanceTimersByTime(pauseMs);
    expect(sent()).toHaveLength(2);
  });

  it('tell what repairs a hazard by its place, and an edit ends that', () => {
    edit(racing);
    vi.advanceTimersByTime(pauseMs);
    answer(sent()[0], racing);
    const report = reports.reportOf(racing, '');
    const hazard = report?.hazards[0];
    if (report === null || hazard === undefined) throw new Error('it has one');
    for (const _ of [1, 2]) reports.askRepair(racing, report, hazard);
    expect(sent().slice(1)).toMatchObject([{ question: { kind: 'repair', hazard: 0 } }]);
    expect(reports.repairOf(racing, hazard)).toBeUndefined();
    answer(sent()[1], racing);
    expect(reports.repairOf(racing, hazard)).toEqual(repairOf(racing, 0));
    const other = { ...hazard };
    reports.askRepair(racing, { ...report, hazards: [hazard, other] }, other);
    expect(sent().at(-1)).toMatchObject({ question: { kind: 'repair', hazard: 1 } });
    edit(twice);
    expect(worker().isEnded).toBe(true);
  });

  it('are asked of another worker where one fails', () => {
    edit(racing);
    vi.advanceTimersByTime(pauseMs);
    worker().fail();
    reports.askSoon(key, racing, null);
    vi.advanceTimersByTime(pauseMs);
    expect(workers).toHaveLength(2);
    expect(sent().map(isWhole)).toEqual([true]);
  });
});
