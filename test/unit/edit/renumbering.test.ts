/** Where operations are after an edit: what lowering, the score, keys and marks go by. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changedPart } from '../../../core/experiment/edit/changedPart.ts';
import { renumbering } from '../../../core/experiment/edit/renumbering.ts';
import { type Experiment, eachOperation } from '../../../core/experiment/experiment.ts';
import type { Operation } from '../../../core/experiment/operations.ts';
import { nestedWork as document, edits, momentsOf } from '../support/edits.ts';

function operationsOf({ threads }: Experiment): Operation[] {
  const list: Operation[] = [];
  for (const { operations } of threads) eachOperation(operations, (operation) => list.push(operation));
  return list;
}

it('finds every operation that is still there, and leads there and back, after any edits', () => {
  fc.assert(
    fc.property(edits, (steps) => {
      let before = document;
      for (const after of momentsOf(document, steps)) {
        const [old, now] = [operationsOf(before), operationsOf(after)];
        const numbers = renumbering(before, after);
        for (const [op, operation] of now.entries()) {
          const place = old.indexOf(operation);
          expect(numbers.keptFrom(op)).toBe(place < 0 ? null : place);
          const earlier = numbers.numberBefore(op);
          if (earlier !== null) expect(numbers.numberAfter(earlier)).toBe(op);
        }
        for (const op of old.keys()) {
          const later = numbers.numberAfter(op);
          if (later !== null) expect(numbers.numberBefore(later)).toBe(op);
        }
        const stays = old.length === now.length && old.every((_, op) => numbers.numberAfter(op) === op);
        expect(numbers.isNone).toBe(stays);
        before = after;
      }
    }),
  );
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
