/** The worker that puts verdicts to the test: what it has of the document, and what a run tells it of the machine. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { machineOf } from '../../../core/cost/machineOf.ts';
import { duplicateOperations } from '../../../core/experiment/edit/operations.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { predict } from '../../../core/remedies/predict.ts';
import { remediesFor } from '../../../core/remedies/remedies.ts';
import { isTested } from '../../../core/remedies/remedy.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { Verdict } from '../../../core/verdicts/verdict.ts';
import { DocumentSender, type Stale } from '../../../renderer/common/sentDocument.ts';
import type { RemedyAnswer, RemedyRequest } from '../../../renderer/inspector/remedies/messages.ts';
import { h200, h200Machine } from '../machine/toy.ts';
import { workerOf } from './workers.ts';

const asset = (path: string) => readFileSync(new URL(`../../../assets/${path}`, import.meta.url));
const missing = requireExperiment(asset('examples/overlap/pageable-same-stream.json').toString());
const { experiment: twice } = duplicateOperations(missing, [['threads', 0, 'operations', 0]]);

/** The copy that overlaps nothing. */
function verdictOf(experiment: Experiment): Verdict {
  const missed = predict(experiment, h200Machine)?.verdicts.find(isTested);
  if (missed === undefined) throw new Error('nothing is missed');
  return missed;
}

let request: (request: RemedyRequest) => RemedyAnswer | Stale;
let sender = new DocumentSender();
let tickets = 0;

function ask(experiment: Experiment, run: RemedyRequest['run'] = null): RemedyAnswer | Stale {
  tickets += 1;
  const document = sender.send(experiment);
  return request({ ticket: tickets, document, verdict: verdictOf(experiment), profile: h200, shown: null, run });
}

function answered(experiment: Experiment): RemedyAnswer {
  const [remedy] = remediesFor(experiment, [verdictOf(experiment)], h200Machine);
  if (remedy === undefined) throw new Error('there is none');
  return { ticket: tickets, remedy, shown: null };
}

beforeAll(async () => {
  request = await workerOf(() => import('../../../renderer/inspector/remedies/remedyWorker.ts'));
});
afterAll(() => vi.unstubAllGlobals());
beforeEach(() => {
  sender = new DocumentSender();
});

describe('the worker that puts verdicts to the test', () => {
  it('has the remedy for what is sent whole, and for what an edit made of it', () => {
    for (const experiment of [missing, twice, missing]) expect(ask(experiment)).toEqual(answered(experiment));
    expect(answered(missing).remedy?.gainNs).not.toBe(answered(twice).remedy?.gainNs);
  });

  it('asks for the whole document where it has not the one before, and goes on from that', () => {
    ask(missing);
    // What this one was sent is lost.
    sender.send(twice);
    expect(ask(missing)).toEqual({ kind: 'stale', ticket: tickets });
    sender.forget();
    expect(ask(missing)).toEqual(answered(missing));
    expect(ask(twice)).toEqual(answered(twice));
  });

  it('predicts with what a recorded run tells of its machine, and hands that back', () => {
    const { info, trace } = decodeRun(asset('runs/overlap/pageable-same-stream.arrow'));
    if (info.experiment === null) throw new Error('it has one');
    const answer = ask(info.experiment, { info: { ...info, experiment: null }, trace });
    if ('kind' in answer) throw new Error(answer.kind);
    expect(answer.shown?.size).toBeGreaterThan(0);
    const asked = verdictOf(info.experiment);
    const [own, others] = [machineOf(h200, answer.shown ?? new Map()), h200Machine].map((machine) =>
      remediesFor(info.experiment as Experiment, [asked], machine),
    );
    expect([answer.remedy]).toEqual(own);
    expect(own).not.toEqual(others);
  });
});
