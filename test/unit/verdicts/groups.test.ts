/** What cards say of the cost of what they stand for. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { explainWithRemedies } from '../../../core/remedies/remedies.ts';
import { groupText, verdictGroups } from '../../../core/verdicts/groups.ts';
import { h200Machine } from '../machine/toy.ts';

it('of a copy that overlapped it is no cost, but the part that had no kernel beside', () => {
  const experiment = requireExperiment(readFileSync('assets/examples/overlap/pinned-side-stream.json', 'utf8'));
  const summary = explainWithRemedies(experiment, h200Machine)?.before;
  const [group] = verdictGroups(summary?.verdicts ?? []);
  expect(group?.verdict.cause).toBe('overlapped');
  expect(group === undefined ? '' : groupText(group, summary?.makespanNs ?? null)).toMatch(
    /^\d.* of it had no kernel beside, .* of the makespan\.$/,
  );
});
