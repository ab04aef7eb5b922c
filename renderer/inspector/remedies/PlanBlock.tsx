/** The changes that gain most together, with one button that applies them all. */
import { useEffect, useState } from 'react';
import type { PlannedChanges } from '../../../core/explain/remedies/plan.ts';
import { maxTriedInstructions } from '../../../core/explain/remedies/predict.ts';
import { formatDuration, formatShare, unbroken } from '../../../core/units.ts';
import { askAbout } from '../../predict/openDocument.ts';
import { isLongerThan } from '../../predict/predict.ts';
import { predictingProfile } from '../../store/attainable.ts';
import { host } from '../../store/host.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { isOfPresent } from '../../store/select.ts';
import { state, useApp } from '../../store/store.ts';
import { Block } from '../Facts.tsx';
import { ApplyButton } from './ApplyButton.tsx';
import classes from './RemedyBlock.module.css';
import { AskFirst } from './RemedyBlock.tsx';

/** Plans of runs, asked for once. */
const known = new WeakMap<LoadedRun, Promise<PlannedChanges | null>>();

async function planOf(run: LoadedRun): Promise<PlannedChanges | null> {
  const { info } = run.run;
  const { experiment } = info;
  if (experiment === null || isLongerThan(maxTriedInstructions, experiment)) return null;
  const profile = await predictingProfile(info, state().profiles, host());
  if (profile === null) return null;
  const plan = await askAbout(experiment, profile).plan();
  // An edit cancelled it.
  if (plan === null) known.delete(run);
  return plan?.[0] ?? null;
}

function usePlan(run: LoadedRun, isPresent: boolean): PlannedChanges | null {
  const [plan, setPlan] = useState<PlannedChanges | null>(null);
  useEffect(() => {
    let isShown = true;
    setPlan(null);
    if (!isPresent) return;
    const asked = known.get(run) ?? planOf(run);
    known.set(run, asked);
    // If the worker fails, the next time asks again.
    asked.then((found) => isShown && setPlan(found)).catch(() => known.delete(run));
    return () => {
      isShown = false;
    };
  }, [run, isPresent]);
  return plan;
}

export function PlanBlock({ run }: { readonly run: LoadedRun }) {
  const isPresent = useApp((now) => isOfPresent(now, run));
  const plan = usePlan(run, isPresent);
  if (plan === null || !isPresent) return null;
  const words = plan.steps.join(' ');
  const range = `${formatShare(plan.lowShare)} to ${formatShare(plan.highShare)}`;
  return (
    <Block title="Plan">
      <AskFirst>
        <div className={classes['remedy']}>
          <p>{unbroken(words)}</p>
          <dl className={classes['gain']}>
            <dt>Predicted gain</dt>
            <dd>
              {formatShare(plan.gainShare)}
              <small>{range} (90 %)</small>
            </dd>
            <dt>Predicted makespan</dt>
            <dd>
              {formatDuration(plan.stepNs)}
              <small>at least {formatDuration(plan.floorNs)}</small>
            </dd>
          </dl>
          {plan.needs.map((need) => (
            <p key={need}>{unbroken(need)}</p>
          ))}
          <ApplyButton step="Plan" change={plan} id={null} label={words} />
        </div>
      </AskFirst>
    </Block>
  );
}
