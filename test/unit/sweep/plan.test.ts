import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountText, parseAmount, rangeValues } from '../../../core/apps/sweep/amounts.ts';
import { fieldTitle, parseFieldPath, setNumber } from '../../../core/apps/sweep/fields.ts';
import { linkedSizes } from '../../../core/apps/sweep/linked.ts';
import { parseSweep, requireSweep } from '../../../core/apps/sweep/parse.ts';
import type { ErrorInfo } from '../../../core/errors.ts';
import { templates } from '../../../core/experiment/templates/templates.ts';
import { fieldPath, valueAtPath } from '../../../core/shape/path.ts';
import { MiB } from '../../../core/units.ts';
import { example } from '../host/support/runs.ts';
import { experimentOf } from '../support/experiments.ts';

const sweep = (axes: unknown, base: unknown = { template: 'chunked-pipeline' }) => ({
  format: 'copyscope/sweep',
  version: 1,
  name: 'Sweep',
  base,
  axes,
});
const ofExample = (axes: unknown) => sweep(axes, { experiment: example() });
const copied = experimentOf(
  {
    buffers: [
      { id: 'host', memory: 'pageable', bytes: 1024 },
      { id: 'gpu', memory: 'device', bytes: 1024 },
    ],
  },
  [{ op: 'copy', src: 'host', dst: 'gpu' }],
);
const ofCopy = (axes: unknown) => sweep(axes, { experiment: copied });
const chunks = { parameter: 'chunkBytes', from: '1 MiB', to: '64 MiB', points: 7, scale: 'geometric' };
const streams = { parameter: 'streams', values: [1, 2, 3, 4, 5] };

function problems(json: unknown): readonly ErrorInfo[] {
  const parsed = parseSweep(json);
  if (parsed.ok) throw new Error('it was taken for a sweep');
  return parsed.problems;
}

describe('the points of a sweep', () => {
  it('are 7 chunk sizes by 5 stream counts, the last axis going fastest', () => {
    const plan = requireSweep(sweep([chunks, streams]));
    expect(plan.count).toBe(35);
    expect(plan.axes.map(({ title, unit, scale }) => [title, unit, scale])).toEqual([
      ['Chunk size', 'B', 'geometric'],
      ['Streams', 'count', 'linear'],
    ]);
    expect(plan.valuesOf(0)).toEqual([MiB, 1]);
    expect(plan.valuesOf(4)).toEqual([MiB, 5]);
    expect(plan.valuesOf(34)).toEqual([64 * MiB, 5]);
    expect(plan.nameOf(7)).toBe('Chunk size 2 MiB, streams 3');
    const point = plan.at(7);
    expect(point.ok && point.experiment).toMatchObject({ name: 'Sweep: chunk size 2 MiB, streams 3' });
    expect(point.ok && point.experiment.streams).toHaveLength(3);
    expect(point.ok && point.experiment.buffers.filter(({ memory }) => memory === 'device')).toHaveLength(32);
  });

  it('that make no sense say why, each for itself', () => {
    const plan = requireSweep(sweep([chunks, streams]));
    const points = Array.from({ length: plan.count }, (_, point) => plan.at(point));
    expect(points.filter(({ ok }) => ok)).toHaveLength(30);
    const last = plan.at(34);
    expect(!last.ok && last.problem).toMatchObject({
      code: 'template.invalid',
      field: 'chunkBytes',
      message: 'a chunk of 64.0 MiB is larger than the tensor of 32.0 MiB.',
    });
  });

  it('set several fields of an experiment at once, and leave the rest and the document as they were', () => {
    const before = JSON.stringify(example());
    const experiment = { ...example(), buffers: example().buffers.map(({ id, memory }) => ({ id, memory, bytes: 8 })) };
    const plan = requireSweep(
      sweep([{ fields: ['buffers[0].bytes', 'buffers[1].bytes'], values: ['4 KiB', 8192] }], { experiment }),
    );
    const made = [0, 1].map((point) => plan.at(point));
    expect(made.map((point) => point.ok && point.experiment.buffers.slice(0, 2).map(({ bytes }) => bytes))).toEqual([
      [4096, 4096],
      [8192, 8192],
    ]);
    expect(experiment.buffers[0]?.bytes).toBe(8);
    expect(JSON.stringify(example())).toBe(before);
    expect(plan.axes[0]?.title).toBe(`Size of ${experiment.buffers[0]?.id}`);
  });

  it('whose experiment the schema refuses name the field', () => {
    const point = requireSweep(ofExample([{ fields: ['environment.iterations'], values: [5, 5000] }])).at(1);
    expect(!point.ok && point.problem).toMatchObject({ code: 'experiment.invalid', field: 'environment.iterations' });
  });

  it('may set whatever an experiment leaves out', () => {
    const [own] = copied.threads;
    const nested = {
      ...copied,
      threads: [{ id: own?.id, operations: [{ op: 'repeat', count: 2, ...own, id: undefined }] }],
    };
    const left = ['threads[0].operations[0].bytes', 'threads[0].operations[0].srcOffset'];
    for (const field of left) expect(requireSweep(ofCopy([{ fields: [field], values: [8, 16] }])).at(1).ok).toBe(true);
    const inRepeat = sweep([{ fields: ['threads[0].operations[0].operations[0].bytes'], values: [8] }], {
      experiment: JSON.parse(JSON.stringify(nested)),
    });
    expect(requireSweep(inRepeat).at(0).ok).toBe(true);
    const shaped = {
      ...copied,
      buffers: copied.buffers.map(({ id, memory }) => ({ id, memory, dtype: 'float32', shape: [8] })),
    };
    const sizes = [{ fields: ['buffers[0].bytes', 'buffers[1].bytes'], values: [64] }];
    expect(requireSweep(sweep(sizes, { experiment: shaped })).at(0).ok).toBe(true);
  });

  it('are every combination of the values once, whatever they are', () => {
    const count = fc.uniqueArray(fc.integer({ min: 1, max: 128 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(count, count, (some, others) => {
        const plan = requireSweep(
          sweep([
            { parameter: 'streams', values: some },
            { parameter: 'passes', values: others },
          ]),
        );
        const points = Array.from({ length: plan.count }, (_, point) => plan.valuesOf(point).join(':'));
        expect(points).toEqual(some.flatMap((one) => others.map((other) => `${one}:${other}`)));
      }),
    );
  });
});

it('a range has its ends exactly, goes one way, and has even steps or even factors', () => {
  const end = fc.integer({ min: 1, max: 2 ** 40 });
  fc.assert(
    fc.property(
      end,
      end,
      fc.integer({ min: 2, max: 50 }),
      fc.boolean(),
      fc.boolean(),
      (from, to, points, log, whole) => {
        fc.pre(from !== to);
        const scale = log ? 'geometric' : 'linear';
        const values = rangeValues({ from, to, points, scale }, whole);
        expect([values[0], values.at(-1)]).toEqual([from, to]);
        expect(values.length).toBeLessThanOrEqual(points);
        const up = to > from ? 1 : -1;
        for (const [index, value] of values.slice(1).entries()) {
          expect(Math.sign(value - (values[index] ?? 0))).toBe(up);
        }
        if (whole) for (const value of values) expect(Number.isInteger(value)).toBe(true);
        if (whole || values.length < points) return;
        const steps = values
          .slice(1)
          .map((value, index) => (log ? value / (values[index] ?? 1) : value - (values[index] ?? 0)));
        // Values are rounded to 12 digits, to remove errors of float arithmetic.
        const crumbs = log ? 1e-9 * (steps[0] ?? 0) : 3e-11 * Math.max(from, to);
        for (const step of steps) expect(Math.abs(step - (steps[0] ?? 0))).toBeLessThanOrEqual(crumbs);
      },
    ),
  );
});

describe('amounts', () => {
  it('read back as they were written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.constantFrom('B', 'ns', 'count'), (value, unit) => {
        expect(parseAmount(amountText(value, unit as 'B'), unit as 'B')).toBe(value);
      }),
    );
  });

  it.each([
    ['1 MiB', 'B', MiB],
    ['20 us', 'ns', 20_000],
    [20, 'ns', 20],
    ['5', 'count', 5],
    // A text without a unit could have either meaning.
    ['20', 'ns', null],
    ['20', 'B', null],
    ['20 us', 'B', null],
    ['1 MiB', 'count', null],
    [Number.NaN, 'count', null],
  ] as const)('%s as %s is %s', (amount, unit, value) => expect(parseAmount(amount, unit)).toBe(value));
});

describe('field paths', () => {
  it('lead to every number of an experiment and back', () => {
    const numbers: string[] = [];
    const walk = (value: unknown, path: (string | number)[]): void => {
      if (typeof value === 'number') numbers.push(fieldPath(path));
      else if (typeof value === 'object' && value !== null) {
        for (const [key, inner] of Object.entries(value))
          walk(inner, [...path, Array.isArray(value) ? Number(key) : key]);
      }
    };
    for (const { build } of templates) {
      const experiment = build();
      numbers.length = 0;
      walk(experiment, []);
      expect(numbers.length).toBeGreaterThan(5);
      for (const text of numbers) {
        const path = parseFieldPath(text) ?? [];
        const draft = structuredClone(experiment);
        expect(setNumber(draft, path, 77)).toBe(true);
        expect(valueAtPath(draft, path)).toBe(77);
      }
    }
  });

  it.each(['', 'buffers[', 'buffers[0]]', '__proto__.polluted', 'a..b', '[0]x', 'threads[1e3]'])(
    '%s is no field path',
    (text) => {
      expect(parseFieldPath(text)).toBeNull();
    },
  );

  it('never reach what an experiment inherits', () => {
    expect(setNumber({}, ['constructor', 'prototype', 'x'], 1)).toBe(false);
    expect(setNumber({ a: 'text' }, ['a'], 1)).toBe(false);
    expect(setNumber({ a: [1] }, ['a', 1], 1)).toBe(false);
    expect(fieldTitle(example(), ['environment', 'constructor'])).toBe('Constructor');
  });
});

const axis = { parameter: 'streams', values: [1] };
const items = { template: 'strategy-a' };
const misspelt = { fields: ['environment.warmup'], values: [1] };
const hundred = (parameter: string) => ({ parameter, from: 1, to: 100, points: 100 });
it.each([
  ['no sweep', {}, 'format'],
  ['a newer version', { ...sweep([axis]), version: 2 }, 'version'],
  ['no axis', sweep([]), 'axes'],
  ['three axes', sweep([axis, axis, axis]), 'axes'],
  ['an unknown field', sweep([{ ...axis, step: 1 }]), 'axes[0]'],
  ['no base', sweep([axis], {}), 'base'],
  ['an unknown template', sweep([axis], { template: 'none' }), 'base.template'],
  ['a bad experiment', sweep([axis], { experiment: {} }), 'base.experiment.format'],
  ['an unknown parameter', sweep([{ parameter: 'x', values: [1] }]), 'axes[0].parameter'],
  ['a parameter out of bounds', sweep([axis], { ...items, parameters: { items: 'many' } }), 'base.parameters.items'],
  ['an amount of another kind', sweep([{ parameter: 'chunkBytes', values: ['1 us'] }]), 'axes[0].values[0]'],
  ['values and a range', sweep([{ ...axis, from: 1 }]), 'axes[0]'],
  ['a value twice', sweep([{ parameter: 'streams', values: [1, 2, 1] }]), 'axes[0].values'],
  ['one target twice', sweep([axis, { ...axis, values: [2] }]), 'axes[1]'],
  ['a misspelt field that may be left out', ofExample([misspelt]), 'axes[0].fields[0]'],
  ['a misspelt field of a template', sweep([misspelt]), 'axes[0].fields[0]'],
  ['more points than are run', sweep([hundred('streams'), hundred('passes')]), 'axes'],
])('the error of a sweep names the field and a remedy: %s', (_, json, field) => {
  const [first] = problems(json);
  expect(first).toMatchObject({ code: 'sweep.invalid', field, remedy: expect.stringMatching(/./) });
});

describe('an axis of names', () => {
  const memory = { fields: ['buffers[0].memory'], values: ['pageable', 'pinned'] };
  const bytes = { fields: ['buffers[0].bytes', 'buffers[1].bytes'], values: ['1 MiB', '2 MiB'] };

  it('varies which memory a buffer is in, and every point is called after it', () => {
    const plan = requireSweep(ofCopy([bytes, memory]));
    expect(plan.axes[1]).toMatchObject({ names: ['pageable', 'pinned'], values: [0, 1] });
    expect(plan.nameOf(3)).toMatch(/^Size of \w+ 2 MiB, memory of \w+ pinned$/);
    const point = plan.at(3);
    expect(point.ok && point.experiment.buffers[0]?.memory).toBe('pinned');
    const before = plan.at(2);
    expect(before.ok && before.experiment.buffers[0]?.memory).toBe('pageable');
  });

  it('takes only what is possible there, and says what is', () => {
    expect(problems(ofCopy([{ ...memory, values: ['pinned', 'fast'] }]))[0]).toMatchObject({
      field: 'axes[0].values[1]',
      message: '"fast" is not possible here.',
      remedy: expect.stringContaining('pageable, pinned'),
    });
    expect(problems(ofCopy([{ fields: ['name'], values: ['x'] }]))[0]?.field).toBe('axes[0].fields[0]');
    expect(problems(ofCopy([{ fields: ['buffers[0].memory'], from: 1, to: 2, points: 2 }]))[0]?.message).toBe(
      'an axis of names needs "values".',
    );
  });
});

describe('sizes that follow each other', () => {
  it('are a copy’s source and target, and what else is copied from or to them as a whole', () => {
    expect(linkedSizes(copied, ['buffers', 0, 'bytes'])).toEqual(['buffers[1].bytes']);
  });

  it('are not those of a copy of a part', () => {
    const part = experimentOf(
      {
        buffers: [
          { id: 'host', memory: 'pinned', bytes: 2048 },
          { id: 'gpu', memory: 'device', bytes: 1024 },
        ],
      },
      [{ op: 'copy', src: 'host', dst: 'gpu', bytes: 1024 }],
    );
    expect(linkedSizes(part, ['buffers', 0, 'bytes'])).toEqual([]);
  });
});
