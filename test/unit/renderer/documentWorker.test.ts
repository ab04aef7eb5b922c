/** The worker with the open document: its copy, its answers, and the work that it abandons. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { deleteOperations, duplicateOperations } from '../../../core/experiment/edit/operations.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { hazardsOf } from '../../../core/explain/hazards/repair.ts';
import { predict as predictVerdicts } from '../../../core/explain/remedies/predict.ts';
import { remediesFor } from '../../../core/explain/remedies/remedies.ts';
import { isTested } from '../../../core/explain/remedies/remedy.ts';
import type { Verdict } from '../../../core/explain/verdicts/verdict.ts';
import type { SimulationProgress } from '../../../core/machine/simulate.ts';
import { sentDocument } from '../../../renderer/common/sentDocument.ts';
import type { DocumentCalls, DocumentEvents } from '../../../renderer/predict/documentCalls.ts';
import { predict } from '../../../renderer/predict/predict.ts';
import { h200, h200Machine } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';
import { workerOf } from './workers.ts';

const asset = (path: string) => readFileSync(new URL(`../../../assets/${path}`, import.meta.url));
const example = (name: string): Experiment => requireExperiment(asset(`examples/${name}.json`).toString());
const twiceTheFirst = (experiment: Experiment): Experiment =>
  duplicateOperations(experiment, [['threads', 0, 'operations', 0]]).experiment;

const racing = example('races/changed-source-pinned');
const missing = example('overlap/pageable-same-stream');
const document = experimentOf({}, [
  { op: 'work', durationNs: 1000 },
  { op: 'work', durationNs: 5000 },
  { op: 'synchronizeDevice' },
]);
const { experiment: shorter } = deleteOperations(document, [['threads', 0, 'operations', 0]]);

let worker: Awaited<ReturnType<typeof workerOf<DocumentCalls>>>;
const told: SimulationProgress[] = [];
let sent: Experiment | null = null;

/** Returns the worker with this document. */
function about(experiment: Experiment): typeof worker {
  void worker.take.asEvent(sentDocument(sent, experiment));
  sent = experiment;
  return worker;
}

beforeAll(async () => {
  const events: DocumentEvents = { progress: (_, progress) => told.push(progress) };
  worker = await workerOf<DocumentCalls>(() => import('../../../renderer/predict/documentWorker.ts'), events);
  void worker.use.asEvent(h200);
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => vi.unstubAllGlobals());

describe('the lanes of the worker that holds the document', () => {
  it('are those of what is sent whole and of what an edit made of it, and are summed up', async () => {
    for (const experiment of [document, shorter]) {
      const { makespanNs } = predict(experiment, h200, '1').iteration;
      expect((await about(experiment).predict('own', '1'))?.iteration.makespanNs).toBe(makespanNs);
      expect((await worker.summarize(null))?.makespanNs).toBe(makespanNs);
      const interval = (await worker.intervals())?.makespanInterval;
      expect(interval?.lowNs).toBeLessThan(makespanNs);
      expect(interval?.highNs).toBeGreaterThan(makespanNs);
    }
  });

  it('come with all verdicts, in parts that the window reads at once', async () => {
    const copies = Array.from({ length: 3 }, () => missing.threads[0]?.operations ?? []).flat();
    const many = { ...missing, threads: missing.threads.map((thread) => ({ ...thread, operations: copies })) };
    const { run } = predict(many, h200, '1');
    const summary = await about(many).summarize(run);
    const all = predictVerdicts(many, h200Machine)?.verdicts ?? [];
    expect(all.length).toBeGreaterThan(2);
    expect([summary?.verdictCount, summary?.verdicts]).toEqual([all.length, all]);
    expect(await worker.moreVerdicts(2)).toEqual(all.slice(2));
    expect(await worker.moreVerdicts(all.length)).toEqual([]);
  });
});

describe('the hazards of the worker that holds the document', () => {
  it('are those of what is sent whole, and of what an edit made of it', async () => {
    const twice = twiceTheFirst(racing);
    for (const one of [racing, twice, racing]) expect(await about(one).hazards(null)).toEqual(hazardsOf(one));
    expect(hazardsOf(twice)).not.toEqual(hazardsOf(racing));
  });
});

describe('the remedies of the worker that holds the document', () => {
  /** Returns the verdict on the copy that overlaps nothing. */
  function verdictOf(experiment: Experiment): Verdict {
    const missed = predictVerdicts(experiment, h200Machine)?.verdicts.find(isTested);
    if (missed === undefined) throw new Error('nothing is missed');
    return missed;
  }
  const question = (experiment: Experiment) => ({ verdict: verdictOf(experiment), shown: null, run: null });
  const remedyOf = (experiment: Experiment) => remediesFor(experiment, [verdictOf(experiment)], h200Machine)[0];

  it('are those of what is sent whole, and of what an edit made of it', async () => {
    const twice = twiceTheFirst(missing);
    for (const one of [missing, twice, missing]) {
      expect(await about(one).remedy(question(one))).toEqual({ remedy: remedyOf(one), shown: null });
    }
    expect(remedyOf(missing)?.gainNs).not.toBe(remedyOf(twice)?.gainNs);
  });
});
