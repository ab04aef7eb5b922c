/** Who holds one moment of a document makes the next one of it from the difference. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { difference, withDifference } from '../../../core/experiment/edit/difference.ts';
import { editOperation } from '../../../core/experiment/edit/edit.ts';
import { deleteOperations, duplicateOperations, moveOperations } from '../../../core/experiment/edit/operations.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { nestedWork as document, edits, momentsOf, work } from '../support/edits.ts';
import { experimentOf } from '../support/experiments.ts';

/** As it arrives, and what is made of it. */
function sent(before: unknown, after: unknown): unknown {
  const made = difference(before, after);
  return made === null ? before : withDifference(before, JSON.parse(JSON.stringify(made)));
}

it('makes any value of any other', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
      fc.pre(!JSON.stringify([before, after]).includes('__proto__'));
      const [old, now] = [before, after].map((value) => JSON.parse(JSON.stringify(value)));
      expect(sent(old, now)).toEqual(now);
      expect(difference(old, structuredClone(old))).toBeNull();
    }),
  );
});

it('makes lists of the same few things in any order', () => {
  const things = Array.from({ length: 6 }, (_, number) => ({ number }));
  const list = fc.array(fc.oneof(fc.constantFrom(...things), fc.record({ number: fc.nat(9) })));
  fc.assert(
    fc.property(list, list, (before, after) => {
      expect(sent(before, after)).toEqual(after);
    }),
  );
});

it('makes each moment of a document of the one before, and leaves that as it is', () => {
  fc.assert(
    fc.property(edits, (steps) => {
      let held: unknown = document;
      for (const moment of momentsOf(document, steps)) {
        const before = structuredClone(held);
        const next = sent(held, moment);
        expect(held).toEqual(before);
        expect(next).toEqual(moment);
        held = next;
      }
    }),
  );
});

it('takes a field that is undefined for none', () => {
  expect(difference({ a: 1, b: undefined }, { a: 1 })).toBeNull();
  expect(sent({ a: 1, b: 2 }, { a: 1, b: undefined })).toEqual({ a: 1 });
});

it('tells what is nowhere in a list before by the item behind the last one that is', () => {
  const [first, kept, changed, last] = [0, 1, 2, 3].map((number) => ({ number, more: 'the same' }));
  const made = difference([first, kept, changed, last], [kept, { ...changed, number: 7 }, last]);
  expect(made).toEqual({
    parts: [
      { from: 1, count: 1 },
      { from: 2, with: { fields: { number: { value: 7 } }, gone: [] } },
      { from: 3, count: 1 },
    ],
  });
});

it('is short where the edit is, and shares all else', () => {
  const long = experimentOf(
    {},
    Array.from({ length: 5000 }, (_, at) => work(at + 1)),
  );
  const path = (at: number) => ['threads', 0, 'operations', at] as const;
  const changes: readonly ((one: Experiment) => Experiment)[] = [
    (one) => editOperation(one, path(70), (draft) => Object.assign(draft, { durationNs: 7 })),
    (one) => duplicateOperations(one, [path(4999)]).experiment,
    (one) => deleteOperations(one, [path(0), path(2500), path(4999)]).experiment,
    (one) => moveOperations(one, [path(10)], { list: ['threads', 0, 'operations'], index: 4000 }).experiment,
  ];
  for (const change of changes) {
    const after = change(long);
    const made = difference(long, after);
    expect(JSON.stringify(made).length).toBeLessThan(400);
    const next = sent(long, after) as Experiment;
    expect(next.buffers).toBe(long.buffers);
    const old = new Set(long.threads[0]?.operations);
    const fresh = next.threads[0]?.operations.filter((one) => !old.has(one)) ?? [];
    expect(fresh.length).toBeLessThanOrEqual(1);
  }
});
