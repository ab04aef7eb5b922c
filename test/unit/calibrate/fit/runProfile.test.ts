/** What a run says of its own machine: gains that are predicted with it are those of that machine, not of the profile's. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { remediesFor } from '../../../../core/analysis/counterfactual/remedies.ts';
import { median } from '../../../../core/analysis/statistics.ts';
import { summarizeRun } from '../../../../core/analysis/summary.ts';
import { profileOfRun } from '../../../../core/calibrate/fit/runProfile.ts';
import type { Experiment } from '../../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../../core/experiment/parse.ts';
import { lower } from '../../../../core/program/lower.ts';
import type { DeviceProfile } from '../../../../core/simulator/profile.ts';
import { whileRecording } from '../../../../core/simulator/recorder.ts';
import { simulate } from '../../../../core/simulator/simulate.ts';
import { decodeRun } from '../../../../core/trace/arrow.ts';
import type { Run } from '../../../../core/trace/run.ts';
import { h200 } from '../../simulator/toy.ts';
import { runOf } from './support.ts';

const example = (name: string): Experiment =>
  requireExperiment(readFileSync(`assets/examples/verdicts/${name}.json`, 'utf8'));
const recorded = (name: string): Run => decodeRun(readFileSync(`test/fixtures/corpus/verdicts/${name}.arrow`));

/** A run as the recorder of another machine would bring it, with iterations without recording. */
function runOn(machine: DeviceProfile, experiment: Experiment): Run {
  const run = runOf(experiment, whileRecording(machine), { engine: 'cuda' });
  const plainWallNs = [simulate(lower(experiment), machine).makespanNs];
  return { ...run, info: { ...run.info, iterations: { ...run.info.iterations, plainWallNs } } };
}

const withPlain = (run: Run, plainWallNs: number[]): Run => ({
  ...run,
  info: { ...run.info, iterations: { ...run.info.iterations, plainWallNs } },
});

/** Only some sections: `by` times the time there. */
const slowed = (section: object, by: number): never =>
  JSON.parse(JSON.stringify(section), (key, value) => (key === 'ns' ? value * by : value)) as never;

/** Its driver stages half as fast, its host copies at two thirds of the rate, its kernels start later. */
const other: DeviceProfile = {
  ...h200,
  copies: {
    ...h200.copies,
    h2d: { ...h200.copies.h2d, pageable: slowed(h200.copies.h2d.pageable, 2) },
    d2h: { ...h200.copies.d2h, pageable: slowed(h200.copies.d2h.pageable, 2) },
  },
  host: { ...h200.host, memcpyBytesPerSecond: h200.host.memcpyBytesPerSecond * 0.66 },
  kernel: { ...h200.kernel, startNs: h200.kernel.startNs + 40_000 },
};

describe('a gain told of a run of a machine that is not as the profile says', () => {
  it.each([
    'pageable-source',
    'late-pageable-call',
    'pageable-destination',
    'copied-by-host',
    'same-stream',
    'late-host-work',
    'too-small',
    'multiprocessors-full',
  ])('%s: within two hundredths of what that machine gains', (name) => {
    const run = runOn(other, example(name));
    const { verdicts, remedies, predictedWith } = summarizeRun(run, { profile: h200 });
    const [told] = remedies;
    const [wanted] = remediesFor(example(name), verdicts, other);
    expect(told?.steps).toEqual(wanted?.steps);
    // How long ago its memory was touched, which the run doesn't tell, has a part in that one.
    const most = name === 'late-pageable-call' ? 0.05 : 0.02;
    expect(Math.abs((told?.gainNs ?? 0) / (wanted?.gainNs ?? 0) - 1)).toBeLessThan(most);
    expect(predictedWith?.profile).toBe('h200');
    expect(predictedWith?.fromRun.length).toBeGreaterThan(0);
  });

  it('is another one than the profile gives, where the rates that matter are others', () => {
    const run = runOn(other, example('pageable-source'));
    const [told] = summarizeRun(run, { profile: h200 }).remedies;
    const [plain] = remediesFor(example('pageable-source'), summarizeRun(run).verdicts, h200);
    expect(told?.gainNs).toBeGreaterThan(1.5 * (plain?.gainNs ?? 0));
  });
});

describe('a recorder that costs more than the profile says', () => {
  it('is told by the iterations without it: short rows are left to the profile then', () => {
    const { recorder } = h200;
    if (recorder === undefined) throw new Error('the profile says nothing of a recorder');
    const heavy = { ...h200, recorder: { ...recorder, callNs: 6 * recorder.callNs } };
    const experiment = example('too-small');
    const run = runOn(heavy, experiment);
    const plain = simulate(lower(experiment), h200).makespanNs;
    const gain = (plainWallNs: number[]): number => {
      const { remedies } = summarizeRun(withPlain(run, plainWallNs), { profile: h200 });
      return remedies[0]?.gainNs ?? Number.NaN;
    };
    const [wanted] = remediesFor(experiment, summarizeRun(run).verdicts, h200);
    expect(gain([plain]) / (wanted?.gainNs ?? 0)).toBeCloseTo(1, 2);
    expect(gain([]) / (wanted?.gainNs ?? 0)).toBeGreaterThan(1.1);
  });
});

describe('recorded runs', () => {
  const names = ['pageable-source', 'pageable-destination', 'copied-by-host', 'free-synchronises'];

  // One of the H200 machines; the shipped profile is of others.
  it.each(names)('%s: with its own rates the simulation lies within 0.03 of what was recorded', (name) => {
    const run = recorded(name);
    const own = profileOfRun(withPlain(run, []), h200);
    const { makespanNs } = simulate(lower(run.info.experiment as Experiment), whileRecording(own.profile));
    expect(Math.abs(makespanNs / median(run.info.iterations.recordedMakespanNs) - 1)).toBeLessThan(0.03);
  });

  it.each(names.slice(0, 3))(
    '%s: and within 0.02 of its iterations without a recorder, where the host decides',
    (name) => {
      const run = recorded(name);
      const { plainWallNs, recordedWallNs, recordedMakespanNs } = run.info.iterations;
      const plain = median(plainWallNs) - (median(recordedWallNs) - median(recordedMakespanNs));
      const { makespanNs } = simulate(lower(run.info.experiment as Experiment), profileOfRun(run, h200).profile);
      expect(Math.abs(makespanNs / plain - 1)).toBeLessThan(0.02);
    },
  );
});

describe('the profile stays as it is', () => {
  it('of a simulated run, a failed one, and one that no experiment describes', () => {
    const run = runOn(other, example('same-stream'));
    const cases: readonly Partial<Run['info']>[] = [
      { engine: 'sim' },
      { engine: 'cpu' },
      { status: 'failed' },
      { experiment: null },
      { iterations: { ...run.info.iterations, recordedMakespanNs: [] } },
    ];
    for (const info of cases) {
      const told = profileOfRun({ ...run, info: { ...run.info, ...info } }, h200);
      expect(told).toEqual({ profile: h200, fromRun: [] });
    }
  });

  it('where the run shows nothing: a remedy that pins takes page-locked copies from it', () => {
    const { profile, fromRun } = profileOfRun(runOn(other, example('pageable-source')), h200);
    expect(profile.copies.h2d.pinned.device).toEqual(h200.copies.h2d.pinned.device);
    expect(fromRun).toContain('copies.h2d.pageable.call');
    expect(fromRun).not.toContain('copies.h2d.pinned.device');
  });

  it('in what only recording costs: a run of the profile itself gives the profile again', () => {
    const { profile } = profileOfRun(runOn(h200, example('launch-queue-full')), h200);
    const { makespanNs } = simulate(lower(example('launch-queue-full')), profile);
    expect(makespanNs / simulate(lower(example('launch-queue-full')), h200).makespanNs).toBeCloseTo(1, 3);
  });
});

describe('a wait that no simulation knows of', () => {
  it('is not taken for a latency', () => {
    const lazy = { ...h200, queue: { ...h200.queue, acrossEnginesNs: 2_000_000 } };
    const { profile, fromRun } = profileOfRun(runOn(lazy, example('event-not-needed')), h200);
    expect(profile.queue.acrossEnginesNs).toBe(h200.queue.acrossEnginesNs);
    expect(fromRun).not.toContain('queue.acrossEnginesNs');
  });
});
