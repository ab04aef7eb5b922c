/** The kernel that a copy overlapped, for every relation of two, and of all kernels. */
import { expect, it } from 'vitest';
import { programFacts } from '../../../core/explain/verdicts/facts.ts';
import { findPartner, overlapThreshold } from '../../../core/explain/verdicts/partner.ts';
import { buildScene, commonNs, durationOf } from '../../../core/explain/verdicts/scene.ts';
import { type Activity, activity, iterationOf, rowsOfKind } from '../../../core/trace/iteration.ts';
import type { Run } from '../../../core/trace/run.ts';
import { complete, read, traceOf } from '../import/support.ts';
import { Random } from '../support/random.ts';

type Span = readonly [startUs: number, durationUs: number];

const traced = (kernels: readonly Span[], copies: readonly Span[]): Promise<Run> =>
  read(
    traceOf([
      ...kernels.map(([ts, dur], at) =>
        complete('kernel', 'k', ts, dur, { device: 0, stream: 7, correlation: at + 1 }),
      ),
      ...copies.map(([ts, dur], at) =>
        complete('gpu_memcpy', 'Memcpy HtoD (Pinned -> Device)', ts, dur, {
          device: 0,
          stream: 8,
          correlation: kernels.length + at + 1,
          bytes: 100,
        }),
      ),
    ]),
  );

const spans = (random: Random, count: number, from: number): Span[] => {
  const longest = random.pick([3, 20, 400]);
  return Array.from({ length: count }, () => [random.below(from), random.below(longest)]);
};

/** Returns the best of all kernels; of equal ones the last to begin. */
function lookedAtAll(copy: Activity, kernels: readonly Activity[]): Activity | null {
  let found: Activity | null = null;
  for (const kernel of kernels.toReversed()) {
    const common = commonNs(copy, kernel);
    const isOverlapped = common > 0 && common >= overlapThreshold * Math.min(durationOf(copy), durationOf(kernel));
    if (isOverlapped && (found === null || common > commonNs(copy, found))) found = kernel;
  }
  return found;
}

it('is the one that a look at all of them finds', async () => {
  const random = new Random(8);
  let overlapped = 0;
  for (let round = 0; round < 40; round += 1) {
    const run = await traced(spans(random, random.below(300), 300), spans(random, 30, 300));
    const iteration = iterationOf(run.trace, 0);
    const kernels = rowsOfKind(iteration, 'kernel').map((row) => activity(run.trace, row));
    const scene = buildScene(iteration, programFacts(null), {});
    for (const row of rowsOfKind(iteration, 'copy')) {
      const copy = activity(run.trace, row);
      const partner = findPartner(scene, copy);
      const expected = lookedAtAll(copy, kernels);
      expect(partner?.overlapped === true ? partner.kernel.row : null, `round ${round}`).toBe(expected?.row ?? null);
      if (expected !== null) overlapped += 1;
    }
  }
  expect(overlapped).toBeGreaterThan(100);
});
