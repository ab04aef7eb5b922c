/** The recommended order of changes with the gain of each rung. A click on a rung chooses all changes up to it. */
import { Button } from '@mantine/core';
import { durationText, percentText, titleOf } from '../../core/present/plan.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import classes from './Plan.module.css';
import { chooseOnly, keyOf, type PlanState } from './planStore.ts';

interface Props {
  readonly run: LoadedRun;
  readonly plan: Pick<PlanState, 'ladder' | 'choice'>;
  readonly stepNs: number;
}

export function Ladder({ run, plan: { ladder, choice }, stepNs }: Props) {
  if (ladder.length === 0) return null;
  return (
    <ol className={classes['ladder']} aria-label="Recommended order of changes">
      <li>
        <span>The step as it is</span>
        <span className="tabular">{durationText(stepNs)}</span>
        <span />
      </li>
      {ladder.map((rung) => (
        <li key={keyOf(rung.changes)}>
          <Button
            variant={keyOf(choice) === keyOf(rung.changes) ? 'light' : 'subtle'}
            size="compact-sm"
            justify="start"
            classNames={{ root: classes['rung'] ?? '', label: classes['rungLabel'] ?? '' }}
            aria-pressed={keyOf(choice) === keyOf(rung.changes)}
            onClick={() => void chooseOnly(run, rung.changes)}
          >
            {titleOf(rung.adds)}
          </Button>
          <span className="tabular">{durationText(rung.stepNs)}</span>
          <span className="tabular">{percentText(-rung.addsShare)}</span>
        </li>
      ))}
    </ol>
  );
}
