import { describe, expect, it } from 'vitest';
import { CopyscopeError } from '../../../core/errors.ts';
import type { ExperimentInput } from '../../../core/experiment/experiment.ts';
import { parseExperiment } from '../../../core/experiment/parse.ts';
import { lower } from '../../../core/program/lower.ts';
import { experimentOf } from '../support/experiments.ts';

type Operation = object;

const buffers: ExperimentInput['buffers'] = [
  { id: 'first', memory: 'device', bytes: 2048 },
  { id: 'second', memory: 'device', bytes: 2048 },
  { id: 'product', memory: 'device', bytes: 1024 },
  { id: 'mapped', memory: 'mapped', bytes: 2048 },
];

/** Returns field and message of each problem. */
function problems(operation: object): string[] {
  const parsed = parseExperiment({
    ...{ format: 'copyscope/experiment', version: 1, name: 'test', buffers },
    threads: [{ id: 'main', operations: [operation] }],
  });
  return parsed.ok ? [] : parsed.problems.map(({ field, message }) => `${field}: ${message}`);
}

const matmul = (more: object = {}, kernel: object = {}): object => ({
  ...{ op: 'kernel', reads: ['first', 'second'], writes: ['product'] },
  kernel: { kind: 'matmul', m: 16, n: 16, k: 32, ...kernel },
  ...more,
});
const fft = (more: object = {}, kernel: object = {}): object => ({
  ...{ op: 'kernel', reads: ['first'], writes: ['second'] },
  kernel: { kind: 'fft', size: 64, batch: 4, ...kernel },
  ...more,
});

describe('a kernel of a library', () => {
  it('is taken where its buffers hold just what it works on', () => {
    expect(problems(matmul())).toEqual([]);
    expect(problems(fft())).toEqual([]);
  });

  it.each([
    [
      'a factor that is too small',
      matmul({}, { k: 33 }),
      'threads[0].operations[0].reads[0]: "first" has 2048 bytes, and its first factor, 16 by 33 numbers of float32, needs 2112.',
    ],
    [
      'a product that is too small',
      matmul({}, { m: 17, k: 2 }),
      'threads[0].operations[0].writes[0]: "product" has 1024 bytes, and its product, 17 by 16 numbers of float32, needs 1088.',
    ],
    [
      'one factor alone',
      matmul({ reads: ['first'] }),
      'threads[0].operations[0].reads: a matmul kernel takes exactly 2 buffers here, not 1.',
    ],
    [
      'a transform of two buffers',
      fft({ reads: ['first', 'second'], writes: ['product'] }, { size: 2 }),
      'threads[0].operations[0].reads: a fft kernel takes exactly one buffer here, not 2.',
    ],
    [
      'too many transforms',
      fft({}, { batch: 5 }),
      'threads[0].operations[0].reads[0]: "first" has 2048 bytes, and its input, 5 by 64 complex numbers, needs 2560.',
    ],
    [
      'a transform in place',
      fft({ writes: ['first'] }),
      'threads[0].operations[0].writes[0]: "first" is read and written by one fft kernel.',
    ],
    [
      'a share of the device',
      matmul({ smShare: 0.5 }),
      "threads[0].operations[0].smShare: the library chooses how much of the device a matmul kernel fills, so it can't be 0.5.",
    ],
    [
      'TF32 of half precision',
      matmul({}, { dtype: 'float16', tf32: true }),
      'threads[0].operations[0].kernel.tf32: TF32 is a way to multiply float32, and the numbers are float16.',
    ],
  ])('is refused with field, value and remedy: %s', (_, operation, problem) => {
    expect(problems(operation)).toContain(problem);
  });

  it('is refused on memory that no library would work on, and at first use inside of a capture', () => {
    const lowered = (...operations: Operation[]): string => {
      try {
        lower(experimentOf({ buffers, streams: [{ id: 's' }] }, operations));
        return '';
      } catch (error) {
        return error instanceof CopyscopeError ? error.message : String(error);
      }
    };
    expect(lowered(fft({ writes: ['mapped'] }) as Operation)).toContain(
      'a fft kernel works on device memory, and "mapped" is mapped memory.',
    );
    const capture = (plan: string): Operation =>
      ({ op: 'graphCapture', graph: 'g', stream: 's', operations: [fft({ stream: 's' }, { plan })] }) as Operation;
    expect(lowered(capture('before-run'))).toBe('');
    expect(lowered(capture('first-use'))).toContain('capture');
  });
});
