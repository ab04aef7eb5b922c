/** The comparison of predicted and measured gains (bench/gpu), with the simulator as the device that is measured. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Gain, type GainTools, gainsOf } from '../../../bench/gpu/gain.ts';
import { gainLine, gainSummary } from '../../../bench/gpu/gainLines.ts';
import { KeptRuns } from '../../../bench/gpu/keptRuns.ts';
import { simEngine } from '../../../core/cost/simEngine.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import type { DeviceProfile } from '../../../core/profile/profile.ts';
import { lower } from '../../../core/program/lower.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import { h200 } from '../machine/toy.ts';

const folder = 'assets/examples/verdicts';
const names = readdirSync(folder).map((file) => file.replace('.json', ''));
const example = (name: string): Experiment => requireExperiment(readFileSync(`${folder}/${name}.json`, 'utf8'));

function device(profile: DeviceProfile): (experiment: Experiment) => Promise<Run> {
  const engine = simEngine(async () => profile, { machine: null, version: '0', pause: () => Promise.resolve() });
  return (experiment) => engine.run({ experiment, program: lower(experiment) });
}

async function all(name: string, tools: GainTools): Promise<Gain[]> {
  const gains: Gain[] = [];
  for await (const gain of gainsOf(example(name), tools)) gains.push(gain);
  return gains;
}

/** The same machine, where copies take twice as long. */
const slower: DeviceProfile = {
  ...h200,
  parameters: {
    ...h200.parameters,
    'copies.h2d.pinned': h200.parameters['copies.h2d.pinned'].map(([bytes, ns]) => [bytes, 2 * ns] as const),
    'copies.h2d.pageable': h200.parameters['copies.h2d.pageable'].map(([bytes, ns]) => [bytes, 2 * ns] as const),
  },
};

describe('gains on a device that is as its profile says', () => {
  it.each(names)('%s: seen, removed, and gained to the nanosecond', async (name) => {
    const gains = await all(name, { run: device(h200), profile: h200 });
    expect(gains.length).toBeGreaterThan(0);
    for (const gain of gains) {
      expect(gain).toMatchObject({ seen: gain.cause, held: true });
      if (name === 'not-on-a-copy-engine') expect(gain).toMatchObject({ gain: null, removed: null });
      else expect(gain).toMatchObject({ error: 0, removed: true, remedyOf: 'run' });
      expect(gainLine(name, gain)).toMatch(/ seen, .* held$/);
    }
  });
});

describe('several rounds', () => {
  it('run before and after in turn, and the gain is that between the medians of all of them', async () => {
    const ran: string[] = [];
    const run = async (experiment: Experiment): Promise<Run> => {
      const isBefore = JSON.stringify(experiment.threads) === JSON.stringify(example('same-stream').threads);
      ran.push(isBefore ? 'before' : 'after');
      const made = await device(h200)(experiment);
      // Each round is 10 us slower before, and as long after.
      const plainWallNs = [isBefore ? 500_000 + 10_000 * ran.length : 300_000];
      return { ...made, info: { ...made.info, iterations: { ...made.info.iterations, plainWallNs } } };
    };
    const [gain] = await all('same-stream', { run, profile: h200, rounds: 3 });
    expect(ran).toEqual(['before', 'after', 'before', 'after', 'before', 'after']);
    expect(gain?.gain).toMatchObject({ measuredNs: 230_000, leastNs: 210_000, mostNs: 250_000 });
    expect(gain?.measured.before.plainNs).toMatchObject({ min: 510_000, median: 530_000, max: 550_000, count: 3 });
  });
});

describe('kept runs', () => {
  it('are found by what they ran, however often, in turn, and give the same gain again', async () => {
    const kept = mkdtempSync(join(tmpdir(), 'copyscope-gains-'));
    try {
      let made = 0;
      const run = async (experiment: Experiment): Promise<Run> => {
        const ran = await device(h200)(experiment);
        made += 1;
        const plainWallNs = [made * 1000];
        const told = { ...ran, info: { ...ran.info, iterations: { ...ran.info.iterations, plainWallNs } } };
        writeFileSync(join(kept, `${made}.arrow`), encodeRun(told));
        return told;
      };
      const gains = await all('same-stream', { run, profile: h200, rounds: 3 });
      expect(made).toBe(6);
      const runs = new KeptRuns(kept);
      const found = async (experiment: Experiment): Promise<Run> => {
        const often = { ...experiment, environment: { ...experiment.environment, iterations: 99 } };
        return runs.of(often) ?? Promise.reject(new Error('not kept'));
      };
      expect(await all('same-stream', { run: found, profile: h200, rounds: 3 })).toEqual(gains);
      expect(runs.of(example('engine-busy'))).toBeUndefined();
    } finally {
      rmSync(kept, { recursive: true });
    }
  });
});

describe('gains on a device that is not', () => {
  it('says how far the measured gain is from the predicted one', async () => {
    const [gain] = await all('same-stream', { run: device(slower), profile: h200 });
    expect(gain).toMatchObject({ cause: 'same-stream', seen: 'same-stream', removed: true });
    const { predictedNs = 0, measuredNs = 0 } = gain?.gain ?? {};
    expect(gain?.error).toBeCloseTo(predictedNs / measuredNs - 1);
  });

  it('counts what held', async () => {
    const gains = await all('same-stream', { run: device(h200), profile: h200 });
    const other = gains.map((gain) => ({ ...gain, cause: 'engine-busy' as const, error: 0.2, held: false }));
    const results = [
      { experiment: 'verdicts/same-stream', gains: [...gains, ...other] },
      { experiment: 'races/early-read', gains: other },
    ];
    expect(gainSummary(results)).toEqual([
      'Causes seen: 1 of 2, not engine-busy',
      'Causes with an example that holds in all: 1 of 2, not engine-busy',
      'Examples of causes: verdicts seen 1 of 2',
      'Examples of causes: remedies that take the cause away 2 of 2',
      'Examples of causes: gains within 10 % of the measured 1 of 2',
      'Examples of causes: verdicts that hold in all 1 of 2',
      'Other experiments (overlap, races): verdicts seen 0 of 1',
      'Other experiments (overlap, races): remedies that take the cause away 1 of 1',
      'Other experiments (overlap, races): gains within 10 % of the measured 0 of 1',
      'Other experiments (overlap, races): verdicts that hold in all 0 of 1',
    ]);
  });
});
