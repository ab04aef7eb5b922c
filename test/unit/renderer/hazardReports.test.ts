/** Hazards are requested a moment after an edit and after the lanes, and an edit cancels earlier requests. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { duplicateOperations } from '../../../core/experiment/edit/operations.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { hazardsOf } from '../../../core/explain/hazards/repair.ts';
import { type Call, type FakeWorker, fakeWorkers, lastOf } from './workers.ts';

const racing = requireExperiment(
  readFileSync(new URL('../../../assets/examples/races/changed-source-pinned.json', import.meta.url), 'utf8'),
);
const { experiment: twice } = duplicateOperations(racing, [['threads', 0, 'operations', 0]]);
const key = 'experiment:own';
/** Longer than the delay after an edit. */
const pauseMs = 1000;

let workers: FakeWorker[];
let reports: typeof import('../../../renderer/predict/hazards/hazardReports.ts');
let store: typeof import('../../../renderer/store/store.ts');

const worker = (): FakeWorker => lastOf(workers);
const searches = (): readonly Call[] => workers.at(-1)?.calls('hazards') ?? [];
/** Returns for each document if it was sent whole. */
const sentWhole = (): boolean[] =>
  worker()
    .calls('take')
    .map(({ a: [sent] }) => 'text' in (sent as object));

function open(value: Experiment): void {
  store.assign({ page: { kind: 'experiment', id: 'own' }, documents: { [key]: { status: 'ready', value } } });
}

/** Edits the document and draws its hazards, which requests them. */
function edit(experiment: Experiment): void {
  open(experiment);
  reports.askSoon(key, experiment, null);
}

const answer = (experiment: Experiment): Promise<void> => worker().answer('hazards', hazardsOf(experiment));

beforeEach(async () => {
  vi.resetModules();
  workers = fakeWorkers();
  vi.stubGlobal('window', {});
  vi.stubGlobal('requestAnimationFrame', (action: () => void) => setTimeout(action, 16));
  reports = await import('../../../renderer/predict/hazards/hazardReports.ts');
  store = await import('../../../renderer/store/store.ts');
  open(racing);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => vi.unstubAllGlobals());

describe('reports on hazards', () => {
  it('hazards are searched once, for the last of quick edits, and reported', async () => {
    const told = vi.fn();
    reports.subscribe(told);
    for (const experiment of [racing, twice, racing, twice]) edit(experiment);
    expect(workers).toEqual([]);
    vi.advanceTimersByTime(pauseMs);
    expect([sentWhole(), searches().length]).toEqual([[true], 1]);
    expect(reports.reportOf(twice, '')).toBeNull();
    await answer(twice);
    expect(told).toHaveBeenCalled();
    expect(reports.reportOf(twice, '')).toEqual(hazardsOf(twice));
    expect(reports.lastReport(key, twice)).toEqual(hazardsOf(twice));
    reports.askSoon(key, twice, null);
    vi.advanceTimersByTime(pauseMs);
    expect(searches()).toHaveLength(1);
  });

  it('hazards of the document before an edit are dropped, and their search is cancelled', async () => {
    edit(racing);
    vi.advanceTimersByTime(pauseMs);
    const [first] = searches();
    edit(twice);
    expect(worker().sent.at(-1)?.m).toBe('dropSearches');
    await worker().answer('hazards', hazardsOf(racing), first);
    expect(reports.reportOf(racing, '')).toBeNull();
    vi.advanceTimersByTime(pauseMs);
    expect(sentWhole()).toEqual([true, false]);
    await answer(twice);
    expect(reports.reportOf(twice, '')).toEqual(hazardsOf(twice));
  });
});
