/** The chosen changes one by one, the step time with exactly these, and actions on them. */
import { Button, Chip } from '@mantine/core';
import { useState } from 'react';
import { changeTitles } from '../../core/lift/words.ts';
import { durationText, gainText } from '../../core/present/plan.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { editAsExperiment } from './actions.ts';
import classes from './Plan.module.css';
import { choose, chosenGain, type PlanState, setTrying, wordsOf } from './planStore.ts';

export function ChosenBar({ run, plan }: { readonly run: LoadedRun; readonly plan: PlanState }) {
  const [busy, setBusy] = useState(false);
  const { choice, trying } = plan;
  const edit = async (): Promise<void> => {
    setBusy(true);
    await editAsExperiment(run, choice);
    setBusy(false);
  };
  return (
    <section className={classes['chosen']} aria-label="Chosen changes">
      <div className={classes['result']}>
        <Predicted plan={plan} />
        <Button size="xs" disabled={choice.length === 0 || trying} onClick={() => void setTrying(run, true)}>
          Try
        </Button>
        <Button size="xs" variant="default" loading={busy} disabled={busy} onClick={() => void edit()}>
          Edit as experiment
        </Button>
      </div>
      <div className={classes['chips']}>
        {wordsOf(plan.plan ?? []).map((word) => (
          <Chip key={word} size="xs" checked={choice.includes(word)} onChange={() => void choose(run, [word])}>
            {changeTitles[word]}
          </Chip>
        ))}
      </div>
    </section>
  );
}

function Predicted({ plan }: { readonly plan: PlanState }) {
  const { steps, choice } = plan;
  if (steps === null) return null;
  const gain = chosenGain(plan);
  if (choice.length === 0) return <p>Nothing is chosen: the step stays {durationText(steps.unprofiledNs)}.</p>;
  if (gain === null) return <p>The step with these changes is being predicted…</p>;
  return (
    <p className="tabular">
      {durationText(steps.unprofiledNs)} → <strong>{durationText(gain.stepNs)}</strong>; gain{' '}
      {gainText(gain, steps.unprofiledNs).time}
      {gain.mayGainNothing ? '; it may gain nothing' : ''}
    </p>
  );
}
