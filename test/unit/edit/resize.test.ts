import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addOperation } from '../../../core/experiment/edit/newOperation.ts';
import { setField } from '../../../core/experiment/edit/operations.ts';
import { atEndOf, operationOf, operationPaths } from '../../../core/experiment/edit/paths.ts';
import { canResize, type Extent, extentOf, resizeOperation, stepped } from '../../../core/experiment/edit/resize.ts';
import { type Operation, operationNames } from '../../../core/experiment/operations.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { emptyExperiment } from '../../../core/experiment/templates/build.ts';
import { MiB } from '../../../core/units.ts';

const example = requireExperiment(readFileSync('assets/examples/overlap/pinned-side-stream.json', 'utf8'));
const paths = operationPaths(example);
const at = (op: number): Operation => operationOf(example, paths[op] ?? []);

describe('the length of a block', () => {
  it('is the size of a copy, as far as both buffers reach', () => {
    expect(extentOf(example, at(0))).toMatchObject({ name: 'size', value: 20 * MiB, least: 1, most: 20 * MiB });
    expect(extentOf(example, { ...at(0), srcOffset: 4 * MiB } as Operation)).toMatchObject({ most: 16 * MiB });
  });

  it('is the duration of work and of a spinning kernel, the passes of a streaming one', () => {
    expect(extentOf(example, at(2))).toMatchObject({ name: 'duration', value: 40_000 });
    expect(extentOf(example, at(3))).toMatchObject({ name: 'passes', value: 3 });
  });

  it('is there for exactly the operations that can be resized', () => {
    const empty = emptyExperiment();
    for (const name of operationNames) {
      const { experiment, selected } = addOperation(empty, name, atEndOf(empty, 0), { row: 'host' });
      const made = operationOf(experiment, selected[0] ?? []);
      expect([name, canResize(made.op)]).toEqual([name, extentOf(experiment, made) !== null]);
    }
  });
});

describe('resizing', () => {
  it('sets the quantity, and nothing else', () => {
    const path = paths[2] ?? [];
    const { experiment, selected } = resizeOperation(example, path, 80_000);
    expect(operationOf(experiment, path)).toEqual({ ...at(2), durationNs: 80_000 });
    expect(selected).toEqual([path]);
    expect(resizeOperation(experiment, path, 40_000).experiment).toEqual(example);
  });

  it('gives a copy that took all a size of its own', () => {
    const path = paths[0] ?? [];
    expect(operationOf(resizeOperation(example, path, 8 * MiB).experiment, path)).toMatchObject({ bytes: 8 * MiB });
  });

  it('refuses what is out of range, and operations without a quantity', () => {
    expect(() => resizeOperation(example, paths[0] ?? [], 21 * MiB)).toThrow('Its size goes from 1 B to 20 MiB.');
    expect(() => resizeOperation(example, paths[1] ?? [], 1)).toThrow('neither a duration nor a size');
  });

  it('resizing always moves in the dragged direction, until the end of the range', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000_000_000 }),
        fc.integer({ min: -60, max: 60 }),
        fc.boolean(),
        (value, steps, isSize) => {
          const extent: Extent = {
            field: [],
            name: isSize ? 'size' : 'duration',
            value,
            least: 1,
            most: 1_000_000_000_000,
            text: String,
          };
          const next = stepped(extent, steps);
          expect(Number.isInteger(next)).toBe(true);
          if (steps > 0) expect(next > value || next === extent.most).toBe(true);
          else if (steps < 0) expect(next < value || next === extent.least).toBe(true);
          else expect(next).toBe(value);
        },
      ),
    );
  });
});

const path = paths[2] ?? [];

it('a change of one operation is refused with the field’s place in the document, by its shape and by what it names', () => {
  const refusal = (field: string, value: unknown, at = path): unknown => {
    try {
      setField(example, [...at, field], value);
      return null;
    } catch (thrown) {
      return thrown;
    }
  };
  expect(refusal('durationNs', -1)).toMatchObject({ field: 'threads[0].operations[2].durationNs' });
  expect(refusal('src', 'nowhere', paths[0])).toMatchObject({
    field: 'threads[0].operations[0].src',
    message: 'no buffer is called "nowhere".',
  });
  expect(refusal('bytes', 21 * MiB, paths[0])).toMatchObject({ field: expect.stringContaining('operations[0]') });
});
