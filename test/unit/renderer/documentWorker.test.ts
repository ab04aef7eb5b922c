/** The worker that holds the open document: what it has of it, what it answers, and what it gives up. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { machineOf } from '../../../core/cost/machineOf.ts';
import { deleteOperations, duplicateOperations } from '../../../core/experiment/edit/operations.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { hazardsOf, repairOf } from '../../../core/hazards/repair.ts';
import type { SimulationProgress } from '../../../core/machine/simulate.ts';
import * as simulating from '../../../core/machine/simulate.ts';
import { lower } from '../../../core/program/lower.ts';
import { predict as predictVerdicts } from '../../../core/remedies/predict.ts';
import { remediesFor } from '../../../core/remedies/remedies.ts';
import { isTested } from '../../../core/remedies/remedy.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { Verification } from '../../../core/trace/run.ts';
import type { Verdict } from '../../../core/verdicts/verdict.ts';
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
let told: SimulationProgress[] = [];
let sent: Experiment | null = null;

/** What is called on the answer is about this document. */
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

  it('may be those that the window has made itself', async () => {
    const { run, iteration } = predict(document, h200, '1');
    const summary = await about(document).summarize(structuredClone(run));
    expect(summary).toMatchObject({ makespanNs: iteration.makespanNs, verdictCount: 0 });
    expect((await worker.intervals())?.makespanInterval).not.toBeNull();
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

  it('tell how far they are, where it takes long', async () => {
    told = [];
    const long = experimentOf({}, [
      { op: 'repeat', count: 20_000, operations: [{ op: 'kernel', kernel: { kind: 'spin', durationNs: 1000 } }] },
      { op: 'synchronizeDevice' },
    ]);
    // It seems to take a second whenever one looks.
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 1000;
      return now;
    });
    await about(long).predict('own', '1');
    const shares = told.map(({ done, total }) => done / total);
    expect(shares.length).toBeGreaterThan(1);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(Math.max(...shares)).toBeLessThanOrEqual(1);
  });

  it('are given up for newer ones, and where nobody wants them', async () => {
    const [older, newer] = [about(document).predict('own', '1'), about(shorter).predict('own', '1')];
    expect([await older, (await newer) === null]).toEqual([null, false]);
    const dropped = about(document).predict('own', '1');
    void worker.dropLanes.asEvent();
    expect(await dropped).toBeNull();
  });
});

describe('the hazards of the worker that holds the document', () => {
  it('are those of what is sent whole, and of what an edit made of it', async () => {
    const twice = twiceTheFirst(racing);
    for (const one of [racing, twice, racing]) expect(await about(one).hazards(null)).toEqual(hazardsOf(one));
    expect(hazardsOf(twice)).not.toEqual(hazardsOf(racing));
  });

  it('have what repairs them by their place in the report', async () => {
    const { hazards } = hazardsOf(racing);
    expect(hazards.length).toBeGreaterThan(0);
    for (const [hazard] of hazards.entries()) {
      const change = repairOf(racing, hazard);
      expect(change).not.toBeNull();
      expect(await about(racing).repair(hazard)).toEqual(change);
    }
    expect(await about(racing).repair(hazards.length)).toBeNull();
  });

  it('take what a run found for evidence only where that executed this very program', async () => {
    const verification: Verification = { bytesChecked: 8, bytesWrong: 0, checks: [], unverified: [] };
    const evidence = async (experiment: Experiment): Promise<boolean[]> => {
      const report = await about(experiment).hazards({ experiment: racing, verification });
      return (report?.hazards ?? []).map((hazard) => hazard.evidence !== null);
    };
    const within = (fields: Partial<Experiment['environment']>): Experiment => ({
      ...racing,
      environment: { ...racing.environment, ...fields },
    });
    const renamed = { ...racing, name: 'another name' };
    for (const experiment of [racing, renamed, within({ iterations: 7, warmups: 0 })]) {
      expect(new Set(await evidence(experiment))).toEqual(new Set([true]));
    }
    const signalled = { ...racing, signals: [{ id: 'go', capacity: 1 }] };
    for (const experiment of [twiceTheFirst(racing), within({ defaultStream: 'per-thread' }), signalled]) {
      expect(new Set(await evidence(experiment))).toEqual(new Set([false]));
    }
  });

  it('are none of what can’t be lowered', async () => {
    const launched = experimentOf({}, [{ op: 'graphLaunch', graph: 'missing', stream: 'default' }]);
    expect(() => lower(launched)).toThrow();
    expect(await about(launched).hazards(null)).toEqual({ hazards: [], limits: [] });
    expect(await about(racing).hazards(null)).toEqual(hazardsOf(racing));
  });

  it('are called off by an edit', async () => {
    const asked = about(twiceTheFirst(racing)).hazards(null);
    void worker.dropSearches.asEvent();
    expect(await asked).toBeNull();
  });
});

describe('the remedies of the worker that holds the document', () => {
  /** The copy that overlaps nothing. */
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

  it('begin with the simulation that the lanes are of, which is not made again', async () => {
    const one = twiceTheFirst(twiceTheFirst(missing));
    const [asked, expected] = [question(one), remedyOf(one)];
    const simulate = vi.spyOn(simulating, 'simulate');
    await about(one).remedy(asked);
    const without = simulate.mock.calls.length;
    await about(one).predict('own', '1');
    await worker.summarize(null);
    simulate.mockClear();
    expect(await worker.remedy(asked)).toEqual({ remedy: expected, shown: null });
    expect(simulate.mock.calls.length).toBe(without - 1);
  });

  it('are of the machine that a recorded run tells, which is handed back', async () => {
    const { info, trace } = decodeRun(asset('runs/overlap/pageable-same-stream.arrow'));
    const { experiment } = info;
    if (experiment === null) throw new Error('it has one');
    const asked = { ...question(experiment), run: { info: { ...info, experiment: null }, trace } };
    const answer = await about(experiment).remedy(asked);
    expect(answer?.shown?.size).toBeGreaterThan(0);
    const [own, others] = [machineOf(h200, answer?.shown ?? new Map()), h200Machine].map((machine) =>
      remediesFor(experiment, [asked.verdict], machine),
    );
    expect([answer?.remedy]).toEqual(own);
    expect(own).not.toEqual(others);
  });

  it('are called off by an edit', async () => {
    const asked = about(missing).remedy(question(missing));
    void worker.dropSearches.asEvent();
    expect(await asked).toBeNull();
  });
});
