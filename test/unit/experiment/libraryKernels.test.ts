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

/** Returns the field of each problem. */
function problems(operation: object): string[] {
  const parsed = parseExperiment({
    ...{ format: 'copyscope/experiment', version: 1, name: 'test', buffers },
    threads: [{ id: 'main', operations: [operation] }],
  });
  return parsed.ok ? [] : parsed.problems.map(({ field = '' }) => field);
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
    ['a factor that is too small', matmul({}, { k: 33 }), 'reads[0]'],
    ['a product that is too small', matmul({}, { m: 17, k: 2 }), 'writes[0]'],
    ['one factor alone', matmul({ reads: ['first'] }), 'reads'],
    ['a transform of two buffers', fft({ reads: ['first', 'second'], writes: ['product'] }, { size: 2 }), 'reads'],
    ['too many transforms', fft({}, { batch: 5 }), 'reads[0]'],
    ['a transform in place', fft({ writes: ['first'] }), 'writes[0]'],
    ['a share of the device', matmul({ smShare: 0.5 }), 'smShare'],
    ['TF32 of half precision', matmul({}, { dtype: 'float16', tf32: true }), 'kernel.tf32'],
  ])('the error names the field: %s', (_, operation, field) => {
    expect(problems(operation)).toContain(`threads[0].operations[0].${field}`);
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
