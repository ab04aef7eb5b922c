/** Phases over the lanes, and the common scale of a lesson's variants. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { predict } from '../../../renderer/predict/predict.ts';
import { IterationView } from '../../../renderer/store/opened/loadedRun.ts';
import { phasesOf } from '../../../renderer/timeline/phases.ts';
import { h200 as profile } from '../machine/toy.ts';

const asset = (path: string): string => readFileSync(new URL(`../../../assets/${path}`, import.meta.url), 'utf8');

function phases(example: string) {
  const experiment = requireExperiment(asset(`examples/${example}.json`));
  const { run, iteration } = predict(experiment, profile, '');
  return phasesOf(experiment, new IterationView(run, iteration));
}

describe('the phases of a program', () => {
  it('are its copies of many tensors, by name, from first call to last activity', () => {
    const found = phases('lessons/six-ways');
    expect(found.map(({ label }) => label)).toEqual([
      'pageable, blocking',
      'pageable, non-blocking',
      'pinned, blocking',
      'pinned, non-blocking',
      'pin and copy, blocking',
      'pin and copy, non-blocking',
    ]);
    for (const { startNs, endNs } of found) expect(endNs).toBeGreaterThan(startNs);
    expect(found.map(({ startNs }) => startNs)).toEqual(found.map(({ startNs }) => startNs).sort((a, b) => a - b));
  });

  it('a program whose activities all bear their own name has no phases', () => {
    expect(phases('overlap/pinned-side-stream')).toEqual([]);
  });
});
