/** Programs of two GPUs, as recorded on two H200 (bench/gpu/blind/twoGpus.ts) and as predicted with the profile that ships. */
import { expect, it } from 'vitest';
import { figuresAround, rangeAround } from '../../../core/machine/cost/interval.ts';
import { profileCosts, recordingCosts } from '../../../core/machine/cost/profileCosts.ts';
import { machinesAround } from '../../../core/machine/cost/spread.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { lower } from '../../../core/program/lower.ts';
import { spread } from '../../../core/statistics.ts';
import { atOnce } from '../../../core/steps.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import { recordings } from '../../support/recordings.ts';
import { h200 } from '../machine/toy.ts';

const medianOf = (times: readonly number[]): number => spread(times)?.median ?? Number.NaN;

/** CUDA events around each operation cost more than CUPTI: such a run is compared without them. */
function isWithin({ info }: Run): boolean {
  const program = lower(info.experiment ?? expect.fail('it has no experiment'));
  const { plainWallNs, recordedWallNs, recordedMakespanNs } = info.iterations;
  const isPlain = info.timing !== 'cupti';
  const costsOf = isPlain ? profileCosts : recordingCosts;
  const machines = machinesAround(h200, costsOf) ?? expect.fail('the profile has no spread');
  const pointNs = simulate(program, costsOf(h200)).makespanNs;
  const around = atOnce(figuresAround(program, machines, ({ makespanNs }): number => makespanNs));
  const [low, high] = rangeAround(pointNs, around ?? expect.fail('it takes too long'));
  const beyondNs = medianOf(recordedWallNs) - medianOf(recordedMakespanNs);
  const ns = isPlain ? medianOf(plainWallNs) - Math.max(0, beyondNs) : medianOf(recordedMakespanNs);
  return ns >= low && ns <= high;
}

it('has every byte right, and 86 of 100 makespans within the interval that is predicted, 90 without tensors and peers', () => {
  const runs = [...recordings('test/fixtures/two-gpus-unseen')].map(([id, bytes]) => ({ id, run: decodeRun(bytes) }));
  expect(runs).toHaveLength(96);
  for (const { run } of runs) {
    expect(run.info.verification.bytesChecked).toBeGreaterThan(0);
    expect(run.info.verification.bytesWrong).toBe(0);
  }
  const tested = runs.filter(({ id }) => !/tensorsToTwo|peers/.test(id));
  const within = new Set(runs.filter(({ run }) => isWithin(run)));
  expect(within.size).toBeGreaterThanOrEqual(0.86 * runs.length);
  expect(tested.filter((one) => within.has(one)).length).toBeGreaterThanOrEqual(0.9 * tested.length);
});
