/** Experiments of the lessons' source documents, recorded on an H200 that no profile knows (test/fixtures/seeds-h200). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { overlap } from '../../../core/explain/figures/overlap.ts';
import { figuresAround, rangeAround } from '../../../core/machine/cost/interval.ts';
import { recordingCosts } from '../../../core/machine/cost/profileCosts.ts';
import { machinesAround, spreadGroups } from '../../../core/machine/cost/spread.ts';
import type { CostModel } from '../../../core/machine/costModel.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { lower } from '../../../core/program/lower.ts';
import { atOnce } from '../../../core/steps.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { h200 } from './toy.ts';

interface Recorded {
  readonly experiment: { readonly name: string };
  readonly makespanNs: number;
  readonly shareOfKernel: number | null;
}

const file = join(import.meta.dirname, '../../fixtures/seeds-h200.json');
const recordings: readonly Recorded[] = JSON.parse(readFileSync(file, 'utf8'));
const overlapping = recordings.filter(({ shareOfKernel }) => shareOfKernel !== null);

const simulated = ({ experiment }: Recorded, costs: CostModel) => simulate(lower(requireExperiment(experiment)), costs);
const shareOfKernel = (recorded: Recorded, costs: CostModel): number =>
  overlap(iterationOf(simulated(recorded, costs).trace, 0)).h2dKernel.shareOfKernel ?? 0;

/** Costs of similar machines whose host memory alone is faster, the profile's, and slower. */
function hostsMemories(): readonly CostModel[] {
  const group = spreadGroups.findIndex(({ name }) => name === 'host memory');
  return [recordingCosts(h200), ...(machinesAround(h200, recordingCosts)?.pairs[group] ?? [])];
}

describe('experiments of the source documents', () => {
  it.each(overlapping)('$experiment.name: kernels overlap copies within 10 points of the recording', (recorded) => {
    // How long the driver stages, so how much of an earlier kernel it covers, differs from host to host.
    const costs = recorded.experiment.name === 'kfirst_pageable' ? hostsMemories() : [recordingCosts(h200)];
    const shares = costs.map((one) => shareOfKernel(recorded, one));
    expect(recorded.shareOfKernel).toBeGreaterThanOrEqual(Math.min(...shares) - 0.1);
    expect(recorded.shareOfKernel).toBeLessThanOrEqual(Math.max(...shares) + 0.1);
  });

  it.each(recordings.filter(({ experiment }) => experiment.name.startsWith('pins')))(
    '$experiment.name: threads that pin share the host memory as recorded, within a tenth',
    (recorded) => {
      const { makespanNs } = simulated(recorded, recordingCosts(h200));
      expect(Math.abs(makespanNs / recorded.makespanNs - 1)).toBeLessThan(0.1);
    },
  );

  it('64 working threads take turns on 16 processors: four rounds, and five as the system spread them', () => {
    const recorded = recordings.find(({ experiment }) => experiment.name === 'cores');
    if (recorded === undefined) throw new Error('no recording');
    const rounds = simulated(recorded, recordingCosts(h200)).makespanNs / 1e6;
    expect(rounds).toBeCloseTo(4);
    expect(recorded.makespanNs / 1e6).toBeLessThan(rounds + 1.1);
  });

  it('small tensors of four threads take longer than those of one, as recorded, within the interval', () => {
    for (const recorded of recordings.filter(({ experiment }) => experiment.name.startsWith('f_small'))) {
      const [{ makespanNs }, machines] = [
        simulated(recorded, recordingCosts(h200)),
        machinesAround(h200, recordingCosts),
      ];
      const program = lower(requireExperiment(recorded.experiment));
      const around = atOnce(figuresAround(program, machines ?? expect.fail(), (result): number => result.makespanNs));
      const [low, high] = rangeAround(makespanNs, around ?? expect.fail());
      expect(recorded.makespanNs).toBeGreaterThan(low);
      expect(recorded.makespanNs).toBeLessThan(high);
    }
  });
});
