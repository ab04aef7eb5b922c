import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operationOf, operationPaths } from '../../../core/experiment/edit/paths.ts';
import { type Extent, extentOf, resizeOperation, stepped } from '../../../core/experiment/edit/resize.ts';
import type { Operation } from '../../../core/experiment/operations.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { MiB } from '../../../core/units.ts';
import { experimentOf } from '../support/experiments.ts';

const example = requireExperiment(readFileSync('assets/examples/overlap/pinned-side-stream.json', 'utf8'));
const paths = operationPaths(example);
const at = (op: number): Operation => operationOf(example, paths[op] ?? []);

describe('what a block’s length stands for', () => {
  it('is the size of a copy, as far as both buffers reach', () => {
    expect(extentOf(example, at(0))).toMatchObject({ name: 'size', value: 20 * MiB, least: 1, most: 20 * MiB });
    expect(extentOf(example, { ...at(0), srcOffset: 4 * MiB } as Operation)).toMatchObject({ most: 16 * MiB });
  });

  it('is the duration of work and of a spinning kernel, the passes of a streaming one', () => {
    expect(extentOf(example, at(2))).toMatchObject({ name: 'duration', value: 40_000 });
    expect(extentOf(example, at(3))).toMatchObject({ name: 'passes', value: 3 });
  });

  it('is nothing for an event', () => {
    expect(extentOf(example, at(1))).toBeNull();
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

  it('goes by steps of a doubling, to round values', () => {
    const extent = extentOf(example, at(2)) as Extent;
    expect([4, 1, 0, -4].map((steps) => stepped(extent, steps))).toEqual([80_000, 48_000, 40_000, 20_000]);
    expect(stepped({ ...extent, value: 0 }, 4)).toBe(2000);
    expect(stepped(extentOf(example, at(0)) as Extent, -4)).toBe(10 * MiB);
  });

  it('always moves the way it is told, until the end of the range', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e12 }),
        fc.integer({ min: -60, max: 60 }),
        fc.boolean(),
        (value, steps, isSize) => {
          const extent: Extent = {
            field: [],
            name: isSize ? 'size' : 'duration',
            value,
            least: 1,
            most: 1e12,
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

  it('counts the rounds of a loop', () => {
    const looped = experimentOf({}, [{ op: 'repeat', count: 1, operations: [{ op: 'work', durationNs: 1 }] }]);
    const extent = extentOf(looped, operationOf(looped, ['threads', 0, 'operations', 0])) as Extent;
    expect(extent.text(stepped(extent, 1))).toBe('2 times');
  });
});
