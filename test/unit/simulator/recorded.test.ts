/** The H200 profile's predictions held against the runs of the four cases that were recorded on an H200. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { summarizeRun } from '../../../core/analysis/summary.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { lower } from '../../../core/program/lower.ts';
import { attainableBandwidth, parseProfile } from '../../../core/simulator/profile.ts';
import { simulate } from '../../../core/simulator/simulate.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import { bytes } from '../../../core/units.ts';

const assets = join(import.meta.dirname, '../../../assets');
const profile = parseProfile(JSON.parse(readFileSync(join(assets, 'profiles/h200.json'), 'utf8')));
const recorded = (id: string) => decodeRun(readFileSync(join(assets, 'runs', `${id}.arrow`)));

const experimentOf = ({ info }: Run): Experiment => {
  if (info.experiment === null) throw new Error('a recorded run without its experiment');
  return info.experiment;
};

const cases = [
  { id: 'overlap/pageable-same-stream', overlaps: false, cause: 'pageable-source' },
  { id: 'overlap/pinned-same-stream', overlaps: false, cause: 'same-stream' },
  { id: 'overlap/pageable-side-stream', overlaps: false, cause: 'pageable-source' },
  { id: 'overlap/pinned-side-stream', overlaps: true, cause: 'overlapped' },
] as const;

describe('runs recorded on an H200', () => {
  it.each(cases)('$id: predicted makespan within 10 %', ({ id }) => {
    const run = recorded(id);
    const measured = summarizeRun(run).makespanNs ?? Number.NaN;
    const { makespanNs } = simulate(lower(experimentOf(run)), profile);
    expect(Math.abs(makespanNs / measured - 1)).toBeLessThan(0.1);
  });

  it.each(cases)('$id: overlap, verdict and data are those of the lesson', ({ id, overlaps, cause }) => {
    const summary = summarizeRun(recorded(id), {
      attainable: (direction, memory, size) => attainableBandwidth(profile, direction, memory, bytes(size)),
    });
    const share = summary.overlap.h2dKernel.shareOfKernel ?? Number.NaN;
    if (overlaps) expect(share).toBeGreaterThanOrEqual(0.95);
    else expect(share).toBe(0);
    expect(summary.verdicts.map((verdict) => verdict.cause)).toEqual([cause]);
    expect(summary.verification).toMatchObject({ bytesChecked: 2 * 20 * 2 ** 20, bytesWrong: 0 });
    expect(summary).toMatchObject({ engine: 'cuda', timing: 'cupti', status: 'complete', notes: [] });
    expect(summary.device?.name).toBe('NVIDIA H200');
  });

  it('the recorded experiment is the shipped example', () => {
    for (const { id } of cases) {
      const example = JSON.parse(readFileSync(join(assets, 'examples', `${id}.json`), 'utf8'));
      const { environment, ...rest } = experimentOf(recorded(id));
      expect({ ...rest, environment: { ...environment, iterations: example.environment.iterations } }).toMatchObject(
        example,
      );
    }
  });
});
