/** Traversal of data: every result replaces its leaf, in any order and nesting. Needs no addon. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HostTensor } from '../../native/copy/tensors.ts';
import { traverse } from '../../native/copy/traverse.ts';
import { runs } from '../support/effort.ts';

const view = fc.nat(9).map((length) => new Uint8Array(length));
const tensor = fc.nat(9).map((length) => new HostTensor({ data: new Float32Array(length) }));
const { data } = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof(
    { depthSize: 'small', maxDepth: 5 },
    view,
    tensor,
    fc.constantFrom(1, 'text', null, undefined),
    fc.array(view, { minLength: 1, maxLength: 6 }),
    fc.array(tie('data'), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'c'), tie('data')),
    fc.array(tie('data'), { maxLength: 4 }).map((values) => new Map(values.map((value, key) => [key, value]))),
  ),
}));

/** Returns the structure with leaves replaced by `make`, in the order of a traversal. */
function replaced(value: unknown, make: (leaf: unknown) => unknown): unknown {
  if (ArrayBuffer.isView(value) || value instanceof HostTensor) return make(value);
  if (Array.isArray(value)) return value.map((one) => replaced(one, make));
  if (value instanceof Map) return new Map([...value].map(([key, one]) => [key, replaced(one, make)]));
  if (typeof value !== 'object' || value === null) return value;
  const copied: object = Object.create(Object.getPrototypeOf(value));
  for (const [key, one] of Object.entries(value)) {
    Object.defineProperty(copied, key, { value: replaced(one, make), enumerable: true, writable: true });
  }
  return copied;
}

test('traverse lists the leaves in order, and puts each result in the place of its leaf', () => {
  fc.assert(
    fc.property(data, fc.infiniteStream(fc.nat()), (value, random) => {
      const leaves: unknown[] = [];
      const expected = replaced(value, (leaf) => `result ${leaves.push(leaf) - 1}`);
      const walk = traverse(value);
      expect(walk.leaves).toHaveLength(leaves.length);
      walk.leaves.forEach((leaf, index) => {
        expect(leaf).toBe(leaves[index]);
      });
      expect(walk.hasOnlyViews).toBe(leaves.every(ArrayBuffer.isView));
      const order = leaves.map((_, index) => ({ index, at: random.next().value ?? 0 }));
      if ((random.next().value ?? 0) % 2 === 0) order.sort((a, b) => a.at - b.at);
      for (const { index } of order) walk.put(index, `result ${index}`);
      expect(walk.root()).toEqual(expected);
      const atOnce = traverse(value);
      atOnce.putEach((index) => `result ${index}`);
      expect(atOnce.root()).toEqual(expected);
    }),
    { numRuns: runs(500) },
  );
});
