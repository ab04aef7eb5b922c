import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyChange } from '../../core/experiment/change.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { requireExperiment } from '../../core/experiment/parse.ts';
import { withEvidence } from '../../core/explain/hazards/evidence.ts';
import { checkExperiment } from '../../core/explain/hazards/repair.ts';
import { lower } from '../../core/program/lower.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import { describeNative, request, runOnCpu } from './support.ts';

const race = (name: string): Experiment =>
  requireExperiment(readFileSync(join(import.meta.dirname, `../../assets/examples/races/${name}.json`), 'utf8'));

/** Runs it until data is corrupted: if the scheduler is late, the right order can happen by chance. */
async function spoiled(experiment: Experiment): Promise<RunInfo> {
  for (let run = 0; run < 20; run += 1) {
    const { info } = await runOnCpu(request(experiment));
    if (info.verification.bytesWrong > 0) return info;
  }
  throw new Error('none of 20 runs had a wrong byte');
}

async function wrongBytes(experiment: Experiment): Promise<number> {
  const { info } = await runOnCpu(request(experiment));
  expect(info.status).toBe('complete');
  return info.verification.bytesWrong;
}

describeNative('the shipped races on the CPU engine', () => {
  for (const name of ['changed-source-pinned', 'early-read', 'unordered-streams']) {
    test(`${name} really spoils data, as its hazard says, and its change stops that`, async () => {
      const experiment = race(name);
      const info = await spoiled(experiment);
      const [hazard] = withEvidence(checkExperiment(experiment), lower(experiment), info.verification).hazards;
      expect(hazard?.evidence?.bytesWrong).toBeGreaterThan(0);
      expect(hazard?.evidence?.bytesWrong).toBe(info.verification.bytesWrong);
      if (hazard?.change == null) throw new Error('no change is offered');
      expect(await wrongBytes(applyChange(experiment, hazard.change))).toBe(0);
    });
  }

  const repaired = [
    'changed-source-pageable',
    'changed-source-synchronized',
    'early-read-synchronized',
    'unordered-streams-event',
  ];
  for (const name of repaired) {
    test(`${name} has no hazard and no wrong byte`, async () => {
      expect(checkExperiment(race(name)).hazards).toEqual([]);
      expect(await wrongBytes(race(name))).toBe(0);
    });
  }
});
