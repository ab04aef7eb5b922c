/** Cards' texts about the cost of their verdicts. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { explainWithRemedies } from '../../../core/explain/remedies/remedies.ts';
import { costlyGroups, verdictGroups } from '../../../core/explain/verdicts/groups.ts';
import { h200Machine } from '../machine/toy.ts';

describe('verdicts of a trace', () => {
  const experiment = requireExperiment(readFileSync('assets/examples/overlap/pinned-side-stream.json', 'utf8'));
  const [group] = verdictGroups(explainWithRemedies(experiment, h200Machine)?.before.verdicts ?? []);
  const costing = (...costs: readonly number[]) =>
    costs.map((costNs) => ({ ...(group as NonNullable<typeof group>), costNs }));

  it('that cost less than 1 % of it together are one line', () => {
    const { costly, rest } = costlyGroups(costing(500, 6, 3), { imported: {}, makespanNs: 1000 });
    expect(costly.map(({ costNs }) => costNs)).toEqual([500]);
    expect(rest).toMatch(/^Other copies and kernels cost less than 1.* %/);
  });

  it('that cost more together have an entry each until the rest costs less', () => {
    const { costly } = costlyGroups(costing(6, 6, 6, 3), { imported: {}, makespanNs: 1000 });
    expect(costly.map(({ costNs }) => costNs)).toEqual([6, 6]);
  });

  it('have an entry each if the program was made here', () => {
    expect(costlyGroups(costing(500, 6, 3), { imported: null, makespanNs: 1000 }).costly).toHaveLength(3);
  });
});
