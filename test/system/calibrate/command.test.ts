/** The calibration in the host: on the simulator, with failing probes, and cancelled. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { calibrationPlan, standardOptions } from '../../../core/apps/calibrate/calibration.ts';
import type { Measured } from '../../../core/apps/calibrate/measurement.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { simEngine } from '../../../core/machine/cost/simEngine.ts';
import { parseProfile } from '../../../core/machine/profile/profile.ts';
import { lower } from '../../../core/program/lower.ts';
import { type CalibrateTools, calibrate } from '../../../host/calibrate/calibrate.ts';
import { Assets } from '../../../host/library/assets.ts';
import { newFolder } from '../../support/newFolder.ts';
import { buildEntry, repository } from '../../unit/host/support/buildEntry.ts';
import { copyscope, engineEntry } from '../../unit/host/support/terminal.ts';
import { h200 } from '../../unit/machine/toy.ts';

const plan = calibrationPlan({ ...standardOptions, largestBytes: 2 ** 20 });
const site = { machine: { os: '', cpu: '', cores: 1 }, version: '0', pause: async () => {} };
const engine = simEngine(async () => h200, site);
const tools = (changes: Partial<CalibrateTools> = {}): CalibrateTools => ({
  run: (experiment: Experiment) => engine.run({ experiment, program: lower(experiment) }),
  measure: null,
  onProgress: () => {},
  signal: new AbortController().signal,
  ...changes,
});

describe('running the probes', () => {
  it('goes on where one fails, and says which and why', async () => {
    const done: string[] = [];
    const { results, failed } = await calibrate(
      plan,
      tools({
        run: async (experiment) => {
          if (experiment.name === 'Calibration: graphs') throw new Error('no memory');
          return engine.run({ experiment, program: lower(experiment) });
        },
        onProgress: (count, total, what) => done.push(`${count}/${total} ${what}`),
      }),
    );
    expect(failed).toMatchObject([{ probe: 'graphs', error: { message: 'no memory' } }]);
    expect(results.readings.size).toBe(plan.probes.length - 1);
    expect(done).toHaveLength(plan.probes.length);
    expect(done[0]).toBe(`0/${plan.probes.length} copies h2d pinned up to 1.00 MiB`);
  });

  it('takes measurements without a recorder where the engine can', async () => {
    const measured: Measured = {
      ...{ ns: Float64Array.of(1021), callNs: Float64Array.of(2500), deviceNs: new Float64Array() },
      ...{ onHostClock: true, bytes: 4, checked: 0, wrong: 0, depth: 1021 },
    };
    const asked: string[] = [];
    const measure = async (measurement: object) => {
      asked.push(JSON.stringify(measurement));
      return measured;
    };
    const ran: string[] = [];
    const run = (experiment: Experiment) => {
      ran.push(experiment.name);
      return engine.run({ experiment, program: lower(experiment) });
    };
    const { results, failed } = await calibrate(plan, tools({ measure, run }));
    expect(failed).toEqual([]);
    const of = (path: string) => [...results.benched].find(([finding]) => finding.path === path)?.[1];
    expect(of('queue.depth')).toEqual([1021]);
    // The same five rounds measure the time of a launch and the recorder's addition to it.
    expect(of('calls.launchNs')).toEqual([2500, 2500, 2500, 2500, 2500]);
    expect(asked.length - new Set(asked).size).toBe(4);
    expect(results.added.get('recorder.callNs')).toEqual(Array(5).fill(h200.parameters['calls.launchNs'] - 2500));
    // Rounds alternate with other probes, since a processor may be slow for a while.
    const places = ran.flatMap((name, index) => (name === 'Calibration: launches behind work' ? [index] : []));
    const apart = places.slice(1).map((place, index) => place - (places[index] ?? 0));
    expect(Math.min(...apart)).toBeGreaterThan(5);
  });

  it('ends when it is cancelled, also in the middle of a probe', async () => {
    const cancel = new AbortController();
    const running = calibrate(
      plan,
      tools({
        signal: cancel.signal,
        run: (_, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('stopped')));
            cancel.abort();
          }),
      }),
    );
    await expect(running).rejects.toMatchObject({ code: 'run.cancelled' });
  });

  it('rejects where nothing came through, with the first reason', async () => {
    const failing = tools({ run: () => Promise.reject(new Error('no driver')) });
    await expect(calibrate(plan, failing)).rejects.toMatchObject({ code: 'calibrate.failed' });
  });

  it('gives up on a probe that takes too long', async () => {
    const slow = tools({
      limitMs: 20,
      run: (experiment, signal) =>
        experiment.name === 'Calibration: spin'
          ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
          : engine.run({ experiment, program: lower(experiment) }),
    });
    const { failed } = await calibrate(
      { ...plan, probes: plan.probes.filter(({ id }) => /spin|graphs/.test(id)) },
      slow,
    );
    expect(failed).toMatchObject([{ probe: 'spin', error: { code: 'calibrate.too-slow' } }]);
  });
});

const built = await buildEntry(engineEntry);

describe('copyscope calibrate', () => {
  const folder = newFolder();

  it('writes a profile that the simulator takes, and says how it was made', async () => {
    const out = join(folder, 'profiles/mine.json');
    const args = ['calibrate', '--engine', 'sim', '--quick', '--name', 'mine', '--out', out];
    const { exitCode, out: printed } = await copyscope(args, built);
    expect(exitCode).toBe(0);
    expect(printed).toContain('By copyscope calibrate, simulated on the profile "h200"');
    expect(printed.replace(/\s+/g, ' ')).toContain('staging.slots');
    const profile = parseProfile(JSON.parse(readFileSync(out, 'utf8')));
    expect(profile.parameters['calls.launchNs']).toBe(h200.parameters['calls.launchNs']);
    expect(profile.measurements?.length).toBeGreaterThan(100);
  });

  it('refuses a machine without a GPU, and the name of a profile that ships', async () => {
    const none = await copyscope(['calibrate'], built);
    expect(none.exitCode).not.toBe(0);
    expect(none.err).toContain('There is nothing to calibrate here with engine cuda: ');
    const bench = await copyscope(['bench'], built);
    expect(bench).toMatchObject({ exitCode: none.exitCode, err: none.err });
    const taken = await copyscope(['calibrate', '--engine', 'sim', '--name', 'H200'], built);
    expect(taken.err).toContain('"h200" is a profile that ships with Copyscope');
  });

  it('is found among the profiles, before those that ship; a damaged one is left out', async () => {
    const own = join(folder, 'profiles');
    writeFileSync(join(own, 'broken.json'), '{');
    writeFileSync(join(own, 'h200.json'), '{}');
    const assets = new Assets(join(repository, 'assets'), own);
    const [first, second] = await assets.profiles();
    expect(first).toMatchObject({ name: 'mine', own: true, basis: 'measured' });
    expect(second).toMatchObject({ name: 'h200', own: false });
    expect((await assets.profiles()).map(({ name }) => name)).not.toContain('broken');
    await expect(assets.readProfile('broken')).rejects.toMatchObject({ code: 'profile.invalid' });
  });
});
