/** The worker that predicts: what it has of the document, and what it gives up for a newer request. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { deleteOperations } from '../../../core/experiment/edit/operations.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { parseProfile } from '../../../core/profile/profile.ts';
import { DocumentSender } from '../../../renderer/common/sentDocument.ts';
import type { PredictAnswer, PredictRequest } from '../../../renderer/predict/messages.ts';
import { predict } from '../../../renderer/predict/predict.ts';
import { eventually } from '../support/eventually.ts';
import { experimentOf } from '../support/experiments.ts';

const profile = parseProfile(
  JSON.parse(readFileSync(new URL('../../../assets/profiles/h200.json', import.meta.url), 'utf8')),
);
const document = experimentOf({}, [
  { op: 'work', durationNs: 1000 },
  { op: 'work', durationNs: 5000 },
  { op: 'synchronizeDevice' },
]);
const { experiment: shorter } = deleteOperations(document, [['threads', 0, 'operations', 0]]);

const scope = globalThis as unknown as { onmessage: (event: { readonly data: PredictRequest }) => void };
let answers: PredictAnswer[] = [];
let sender = new DocumentSender();
let tickets = 0;

function ask(experiment: Experiment, lanes: PredictRequest['lanes'] = null): number {
  tickets += 1;
  const sent = structuredClone(sender.send(experiment));
  scope.onmessage({ data: { ticket: tickets, document: sent, profile, version: '1', lanes } });
  return tickets;
}

const kinds = (ticket: number): string[] => answers.filter((one) => one.ticket === ticket).map(({ kind }) => kind);
const makespan = (ticket: number): unknown =>
  answers.flatMap((one) => (one.ticket === ticket && one.kind === 'predicted' ? one.iteration.makespanNs : []))[0];

beforeAll(async () => {
  vi.stubGlobal('onmessage', null);
  vi.stubGlobal('postMessage', (answer: PredictAnswer) => answers.push(structuredClone(answer)));
  await import('../../../renderer/predict/predictWorker.ts');
});
afterAll(() => vi.unstubAllGlobals());

describe('the worker that predicts', () => {
  it('simulates what is sent whole and what an edit made of it, and sums both up', async () => {
    for (const experiment of [document, shorter]) {
      const ticket = ask(experiment);
      await eventually(() => expect(kinds(ticket)).toEqual(['predicted', 'summarized', 'intervals']));
      const { makespanNs } = predict(experiment, profile, '1').iteration;
      expect(makespan(ticket)).toBe(makespanNs);
      const [told] = answers.flatMap((one) => (one.ticket === ticket && one.kind === 'intervals' ? one.intervals : []));
      expect(told?.makespanInterval?.lowNs).toBeLessThan(makespanNs);
      expect(told?.makespanInterval?.highNs).toBeGreaterThan(makespanNs);
    }
  });

  it('only sums up lanes that the window has made itself', async () => {
    const { run } = predict(document, profile, '1');
    const ticket = ask(document, structuredClone(run));
    await eventually(() => expect(kinds(ticket)).toEqual(['summarized', 'intervals']));
    const [made] = answers.filter((one) => one.ticket === ticket && one.kind === 'summarized');
    expect(made).toMatchObject({ summary: { makespanNs: predict(document, profile, '1').iteration.makespanNs } });
  });

  it('asks for the whole document where it has not the one before', async () => {
    answers = [];
    sender = new DocumentSender();
    // What the worker was sent of it is lost.
    sender.send(document);
    const ticket = ask(shorter);
    await eventually(() => expect(kinds(ticket)).toEqual(['stale']));
    sender.forget();
    const whole = ask(shorter);
    await eventually(() => expect(kinds(whole)).toEqual(['predicted', 'summarized', 'intervals']));
  });

  it('tells how far it is with what takes long', async () => {
    answers = [];
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
    const ticket = ask(long);
    await eventually(() => expect(kinds(ticket)).toContain('predicted'));
    vi.restoreAllMocks();
    const told = answers.flatMap((one) => (one.kind === 'progress' ? [one.done / one.total] : []));
    expect(told.length).toBeGreaterThan(1);
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect(Math.max(...told)).toBeLessThanOrEqual(1);
    expect(kinds(ticket).indexOf('predicted')).toBe(told.length);
  });

  it('gives up what it is at for a newer request', async () => {
    answers = [];
    const [older, newer] = [ask(document), ask(shorter)];
    await eventually(() => expect(kinds(newer)).toEqual(['predicted', 'summarized', 'intervals']));
    expect(kinds(older)).toEqual([]);
  });
});
