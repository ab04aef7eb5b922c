/** A sum that is kept from edit to edit is the sum. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changedPart } from '../../../core/experiment/edit/changedPart.ts';
import { Tally } from '../../../core/experiment/edit/tally.ts';
import { nestedWork as document, edits, momentsOf, work } from '../support/edits.ts';
import { experimentOf } from '../support/experiments.ts';

it('counts what a document holds after any edits', () => {
  fc.assert(
    fc.property(edits, (steps) => {
      const count = () =>
        new Tally((operation) => ('operations' in operation ? 1 : operation.op === 'work' ? 100 : 10_000));
      const kept = count();
      for (const moment of momentsOf(document, steps))
        expect(kept.of(moment)).toBe(count().of(structuredClone(moment)));
    }),
  );
});

it('counts another document anew', () => {
  const tally = new Tally(() => 1);
  expect(tally.of(document)).toBe(8);
  expect(tally.of(experimentOf({}, [work(1)]))).toBe(1);
  expect(tally.of(document)).toBe(8);
});

it('finds the least part of a list outside of which nothing has changed', () => {
  const items = fc.array(fc.nat(3));
  fc.assert(
    fc.property(items, items, (before, after) => {
      const { start, endBefore, endAfter } = changedPart(before, after);
      expect(before.slice(0, start)).toEqual(after.slice(0, start));
      expect(before.slice(endBefore)).toEqual(after.slice(endAfter));
      const [old, now] = [before.slice(start, endBefore), after.slice(start, endAfter)];
      if (old.length > 0 && now.length > 0) {
        expect(old[0]).not.toBe(now[0]);
        expect(old.at(-1)).not.toBe(now.at(-1));
      }
    }),
  );
});
