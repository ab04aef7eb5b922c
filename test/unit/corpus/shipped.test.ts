/**
 * The shipped profile predicts recorded runs as docs/concepts/accuracy.md says: a rule and its number must change
 * together.
 */
import { expect, it } from 'vitest';
import { figuresOf, judge, readJudged } from '../../../bench/support/judged.ts';
import { h200 } from '../machine/toy.ts';

it('h200 predicts a recorded set within its targets', () => {
  const judged = readJudged('test/fixtures/trials/seed-20261145').map((run) => judge(run, h200));
  const { median, high, close, overlaps } = figuresOf(judged.filter(({ run }) => !run.isHostBound));
  expect(judged.length).toBeGreaterThanOrEqual(60);
  expect(median).toBeLessThan(0.04);
  expect(high).toBeLessThan(0.15);
  expect(close).toBeGreaterThanOrEqual(0.8 * overlaps);
});
