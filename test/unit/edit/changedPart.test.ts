import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changedPart } from '../../../core/experiment/edit/changedPart.ts';

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
