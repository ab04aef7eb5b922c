/** The worker that looks for hazards: what it has of the document, and what it says when it has not. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { duplicateOperations } from '../../../core/experiment/edit/operations.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import type { HazardReport } from '../../../core/hazards/hazard.ts';
import { hazardsOf, repairOf } from '../../../core/hazards/repair.ts';
import { lower } from '../../../core/program/lower.ts';
import type { Verification } from '../../../core/trace/run.ts';
import { DocumentSender } from '../../../renderer/common/sentDocument.ts';
import type { HazardAnswer, HazardRequest } from '../../../renderer/predict/hazards/hazardMessages.ts';
import { experimentOf } from '../support/experiments.ts';
import { workerOf } from './workers.ts';

const racing = requireExperiment(
  readFileSync(new URL('../../../assets/examples/races/changed-source-pinned.json', import.meta.url), 'utf8'),
);
const { experiment: twice } = duplicateOperations(racing, [['threads', 0, 'operations', 0]]);
const find = { kind: 'find', run: null } as const;

let request: (request: HazardRequest) => HazardAnswer;
let sender = new DocumentSender();
let tickets = 0;

function ask(experiment: Experiment, question: HazardRequest['question'] = find): HazardAnswer {
  tickets += 1;
  return request({ ticket: tickets, document: sender.send(experiment), question });
}

const found = (report: HazardReport | null): HazardAnswer => ({ kind: 'found', ticket: tickets, report });

beforeAll(async () => {
  request = await workerOf(() => import('../../../renderer/predict/hazards/hazardWorker.ts'));
});
afterAll(() => vi.unstubAllGlobals());
beforeEach(() => {
  sender = new DocumentSender();
});

describe('the worker that looks for hazards', () => {
  it('finds those of what is sent whole, and of what an edit made of it', () => {
    for (const experiment of [racing, twice, racing]) expect(ask(experiment)).toEqual(found(hazardsOf(experiment)));
    expect(hazardsOf(twice)).not.toEqual(hazardsOf(racing));
  });

  it('asks for the whole document where it has not the one before, and goes on from that', () => {
    ask(racing);
    // What this one was sent is lost.
    sender.send(twice);
    expect(ask(racing)).toEqual({ kind: 'stale', ticket: tickets });
    expect(ask(racing, { kind: 'repair', hazard: 0 })).toEqual({ kind: 'stale', ticket: tickets });
    sender.forget();
    expect(ask(racing)).toEqual(found(hazardsOf(racing)));
    expect(ask(twice)).toEqual(found(hazardsOf(twice)));
  });

  it('tries what repairs the hazard of a place in its report', () => {
    const { hazards } = hazardsOf(racing);
    expect(hazards.length).toBeGreaterThan(0);
    for (const [hazard] of hazards.entries()) {
      const change = repairOf(racing, hazard);
      expect(change).not.toBeNull();
      expect(ask(racing, { kind: 'repair', hazard })).toEqual({ kind: 'repaired', ticket: tickets, change });
    }
    const none = { kind: 'repair', hazard: hazards.length } as const;
    expect(ask(racing, none)).toEqual({ kind: 'repaired', ticket: tickets, change: null });
  });

  it('takes what a run found for evidence only where that executed this very program', () => {
    const verification: Verification = { bytesChecked: 8, bytesWrong: 0, checks: [], unverified: [] };
    const evidence = (experiment: Experiment): boolean[] => {
      const answer = ask(experiment, { kind: 'find', run: { experiment: racing, verification } });
      if (answer.kind !== 'found') throw new Error(answer.kind);
      return (answer.report?.hazards ?? []).map((hazard) => hazard.evidence !== null);
    };
    const within = (fields: Partial<Experiment['environment']>): Experiment => ({
      ...racing,
      environment: { ...racing.environment, ...fields },
    });
    const renamed = { ...racing, name: 'another name' };
    for (const experiment of [racing, renamed, within({ iterations: 7, warmups: 0 })]) {
      expect(new Set(evidence(experiment))).toEqual(new Set([true]));
    }
    const signalled = { ...racing, signals: [{ id: 'go', capacity: 1 }] };
    for (const experiment of [twice, within({ defaultStream: 'per-thread' }), signalled]) {
      expect(new Set(evidence(experiment))).toEqual(new Set([false]));
    }
  });

  it('says nothing of what can’t be lowered', () => {
    const launched = experimentOf({}, [{ op: 'graphLaunch', graph: 'missing', stream: 'default' }]);
    expect(() => lower(launched)).toThrow();
    expect(ask(launched)).toEqual(found(null));
    expect(ask(racing)).toEqual(found(hazardsOf(racing)));
  });
});
