/** A copy that uses several devices at once. */
import { expect, it } from 'vitest';
import { verdicts } from '../../../core/explain/verdicts/verdicts.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { iterationRows, makespanNs } from '../../../core/trace/rows.ts';
import { readRecording } from '../../support/recordings.ts';

it('costs what it costs on one of them, and never more than the makespan', () => {
  const run = readRecording('test/fixtures/runs', 'relay-two-gpus');
  const iteration = iterationOf(run.trace, 0);
  const [copy] = verdicts(iteration, run.info.experiment);
  expect(copy?.occurrences).toBeGreaterThan(100);
  expect(copy?.costNs).toBeGreaterThan(0);
  expect(copy?.costNs).toBeLessThan(makespanNs(run.trace, iterationRows(run.trace, 0)));
});
