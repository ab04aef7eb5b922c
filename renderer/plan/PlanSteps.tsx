/** The recommended order of changes with the gain of each plan step. A click on one chooses all changes up to it. */
import { Button } from '@mantine/core';
import { durationText, percentText, titleOf } from '../../core/present/plan.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import classes from './Plan.module.css';
import { chooseOnly, keyOf, type PlanState } from './planStore.ts';

interface Props {
  readonly run: LoadedRun;
  readonly plan: Pick<PlanState, 'planSteps' | 'choice'>;
  readonly stepNs: number;
}

export function PlanSteps({ run, plan: { planSteps, choice }, stepNs }: Props) {
  if (planSteps.length === 0) return null;
  return (
    <ol className={classes['planSteps']} aria-label="Recommended order of changes">
      <li>
        <span>The step as it is</span>
        <span className="tabular">{durationText(stepNs)}</span>
        <span />
      </li>
      {planSteps.map((one) => (
        <li key={keyOf(one.changes)}>
          <Button
            variant={keyOf(choice) === keyOf(one.changes) ? 'light' : 'subtle'}
            size="compact-sm"
            justify="start"
            classNames={{ root: classes['planStep'] ?? '', label: classes['planStepLabel'] ?? '' }}
            aria-pressed={keyOf(choice) === keyOf(one.changes)}
            onClick={() => void chooseOnly(run, one.changes)}
          >
            {titleOf(one.adds)}
          </Button>
          <span className="tabular">{durationText(one.stepNs)}</span>
          <span className="tabular">{percentText(-one.addsShare)}</span>
        </li>
      ))}
    </ol>
  );
}
