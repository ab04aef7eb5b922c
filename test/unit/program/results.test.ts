/** Expected results of library kernels: known if operands contain numbers and nothing has overwritten them. */
import { describe, expect, it } from 'vitest';
import type { ExperimentInput } from '../../../core/experiment/experiment.ts';
import { findHazards } from '../../../core/explain/hazards/hazards.ts';
import { lower } from '../../../core/program/lower.ts';
import { patternWord } from '../../support/pattern.ts';
import { experimentOf } from '../support/experiments.ts';

type Operation = object;
const numbers = { kind: 'float32', seed: 3 } as const;

const parts: Partial<Omit<ExperimentInput, 'threads'>> = {
  buffers: [
    { id: 'host', memory: 'pinned', bytes: 1024, pattern: { kind: 'float32', seed: 9 } },
    { id: 'a', memory: 'device', bytes: 1024, pattern: numbers },
    { id: 'b', memory: 'device', bytes: 1024, pattern: numbers },
    { id: 'random', memory: 'device', bytes: 1024 },
    { id: 'c', memory: 'device', bytes: 1024 },
  ],
  streams: [{ id: 's' }, { id: 't' }],
};
const product = (reads: string[], stream = 's'): Operation => ({
  ...{ op: 'kernel', reads, writes: ['c'], stream },
  kernel: { kind: 'matmul', m: 16, n: 16, k: 16 },
});
const of = (...operations: Operation[]) => lower(experimentOf(parts, operations));

describe('the result of a product', () => {
  it('is known by what its factors hold when it is their turn', () => {
    const { results, unverifiable } = of(
      product(['a', 'b']),
      { op: 'copy', src: 'host', dst: 'b', stream: 's' },
      product(['a', 'b']),
    );
    const content = (seed: number) => ({ pattern: { kind: 'float32', seed }, patternOffset: 0, multiplier: 1 });
    expect(results).toMatchObject([{ op: 2, operands: [content(3), content(9)] }]);
    expect(unverifiable).toEqual([]);
  });

  it('is not known of bits that are no numbers, and the reason says what to do', () => {
    const { results, unverifiable } = of(product(['a', 'random']));
    expect(results).toEqual([]);
    expect(unverifiable).toMatchObject([{ buffer: 4, reason: expect.stringContaining('pattern "float32"') }]);
  });

  it('is no longer known once something else has written to it', () => {
    const over = of(product(['a', 'b']), { op: 'memset', buffer: 'c', bytes: 4, stream: 's' });
    expect(over.results).toEqual([]);
    expect(over.unverifiable).toHaveLength(1);
    const whole = of(product(['a', 'b']), { op: 'copy', src: 'host', dst: 'c', stream: 's' });
    expect(whole).toMatchObject({ results: [], unverifiable: [] });
  });

  it('is known after a loop that does the same in each round', () => {
    const { results } = of({ op: 'repeat', count: 1000, operations: [product(['a', 'b'])] });
    expect(results).toMatchObject([{ op: 1 }]);
  });
});

it('the hazards know that a product reads both factors and writes the third buffer', () => {
  const found = (...operations: Operation[]): number => {
    const experiment = experimentOf(parts, operations);
    return findHazards(lower(experiment)).hazards.length;
  };
  const copy: Operation = { op: 'copy', src: 'host', dst: 'b', stream: 't' };
  expect(found(product(['a', 'b']), { op: 'synchronizeDevice' }, copy)).toBe(0);
  expect(found(product(['a', 'b']), copy)).toBeGreaterThan(0);
  expect(found(product(['a', 'b']), { op: 'memset', buffer: 'c', stream: 't' })).toBeGreaterThan(0);
});

const floats = (kind: 'float32' | 'float16' | 'bfloat16'): number[] =>
  Array.from({ length: 2000 }, (_, index) => patternWord({ kind, seed: 5 }, index)).flatMap((word) => {
    if (kind === 'float32') return [new Float32Array(Uint32Array.of(word).buffer)[0] ?? Number.NaN];
    return [word & 0xffff, word >>> 16].map((bits) => (kind === 'bfloat16' ? upper(bits) : half(bits)));
  });
const upper = (bits: number): number => new Float32Array(Uint32Array.of(bits << 16).buffer)[0] ?? Number.NaN;
const half = (bits: number): number => {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
};

it.each(['float32', 'float16', 'bfloat16'] as const)('patterns of %s lie evenly between -1 and 1', (kind) => {
  const values = floats(kind);
  expect(values.every((value) => value >= -1 && value < 1)).toBe(true);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + value * value, 0) / values.length;
  expect(Math.abs(mean)).toBeLessThan(0.05);
  expect(square).toBeGreaterThan(0.31);
  expect(square).toBeLessThan(0.36);
});
