import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setLibraryField } from '../../../core/experiment/edit/libraryKernel.ts';
import { setKernelKind } from '../../../core/experiment/edit/newOperation.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { experimentOf } from '../support/experiments.ts';

const path = ['threads', 0, 'operations', 0];
const start = experimentOf({ buffers: [{ id: 'first', memory: 'device', bytes: 64 }] }, [
  { op: 'kernel', kernel: { kind: 'spin', durationNs: 1000 } },
]);

const size = fc.integer({ min: 1, max: 4096 });
const change = fc.oneof(
  fc.tuple(fc.constantFrom('m', 'n', 'k'), size),
  fc.tuple(fc.constant('dtype'), fc.constantFrom('float32', 'float16', 'bfloat16')),
);

describe('a field of a library kernel', () => {
  it('leaves an experiment that is valid, whatever the buffers held before', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        let experiment: Experiment = setKernelKind(start, path, 'matmul').experiment;
        experiment = setLibraryField(experiment, path, 'tf32', true).experiment;
        for (const [field, value] of changes) {
          experiment = setLibraryField(experiment, path, field, value).experiment;
          expect(requireExperiment(experiment)).toEqual(experiment);
        }
      }),
    );
  });

  it('makes no buffer smaller', () => {
    const fft = setKernelKind(start, path, 'fft').experiment;
    const { buffers } = setLibraryField(fft, path, 'size', 2).experiment;
    expect(buffers).toEqual(fft.buffers);
  });
});
