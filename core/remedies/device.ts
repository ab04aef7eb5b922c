/** Changes of what share of the device a kernel fills. Rule (core/rules): sm-share. */
import type { Change } from '../experiment/change.ts';
import { ChangeBuilder } from '../experiment/changeBuilder.ts';
import { find, type Situation } from './situation.ts';

/** Ways to share out the multiprocessors between two: what the one in the way gets, and what the waiting one gets. */
const divisions = [
  [0.75, 0.25],
  [0.5, 0.5],
  [0.25, 0.75],
] as const;

/** Both kernels get room beside each other. */
export function shareOut(situation: Situation): Change[] {
  const { experiment, verdict } = situation;
  const waiting = find(situation, verdict.subject === 'kernel' ? verdict.op : verdict.with, 'kernel');
  const filling = find(situation, verdict.subject === 'kernel' ? verdict.with : verdict.blockedBy, 'kernel');
  if (waiting === null || filling === null || waiting.info.op === filling.info.op) return [];
  return divisions.map((division) => {
    const edit = new ChangeBuilder(experiment);
    for (const [index, { info, operation }] of [filling, waiting].entries()) {
      const share = division[index] ?? 1;
      if (operation.smShare <= share) continue;
      const words = `Let "${info.label}" fill ${share * 100} % of the multiprocessors.`;
      edit.step(words).replace([...info.path, 'smShare'], share);
    }
    return edit.change;
  });
}
