/** Costs that a run shows of its machine: those of its operations, without the run's own measurements. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { profileCosts, recordingCosts } from '../../../core/machine/cost/profileCosts.ts';
import { shownBy, shownCosts } from '../../../core/machine/cost/runCosts.ts';
import { slower } from '../../../core/machine/cost/spread.ts';
import type { DeviceProfile } from '../../../core/machine/profile/profile.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { lower } from '../../../core/program/lower.ts';
import type { Run } from '../../../core/trace/run.ts';
import { h200 } from '../machine/toy.ts';
import { runInfo } from '../trace/fixtures.ts';

const assets = join(import.meta.dirname, '../../../assets');
const read = (file: string): unknown => JSON.parse(readFileSync(join(assets, file), 'utf8'));
const experiment = (name: string): Experiment => requireExperiment(read(`examples/${name}`));

/** Returns a recorder's run of it on the machine of a profile. */
const recordedOn = (machine: DeviceProfile, name: string): Run => ({
  info: runInfo({ experiment: experiment(name) }),
  trace: simulate(lower(experiment(name)), recordingCosts(machine)).trace,
});

const lastsNs = (name: string, costs: ReturnType<typeof profileCosts>): number =>
  simulate(lower(experiment(name)), costs).makespanNs;

const oneGpu = ['lessons', 'overlap', 'pipelines', 'verdicts']
  .flatMap((folder) => readdirSync(join(assets, 'examples', folder)).map((file) => `${folder}/${file}`))
  .filter((name) => experiment(name).devices.length === 1);

describe('a run of the machine that the profile tells of', () => {
  it.each(oneGpu)('shows nothing that differs from it: %s', (name) => {
    const shown = shownBy(recordedOn(h200, name), h200);
    for (const [what, times] of shown) expect(times, what).toBeCloseTo(1, 6);
  });

  it.each(['lessons/both-directions.json', 'lessons/mapped-twice.json', 'overlap/pinned-side-stream.json'])(
    'tells how long it takes without a recorder, however its operations held each other up: %s',
    (name) => {
      const run = recordedOn(h200, name);
      const told = lastsNs(name, shownCosts(shownBy(run, h200))(h200, h200));
      expect(told).toBeCloseTo(lastsNs(name, profileCosts(h200)), 3);
    },
  );
});

it('shows what takes longer there than the profile says', () => {
  const slow = slower(h200, (parameter) => (parameter.startsWith('copies.') ? 1.5 : 1));
  const shown = shownBy(recordedOn(slow, 'overlap/pinned-same-stream.json'), h200);
  const copies = [...shown].filter(([what]) => what.startsWith('copy of'));
  expect(copies.length).toBeGreaterThan(0);
  for (const [what, times] of copies) expect(times, what).toBeCloseTo(1.5, 2);
});
