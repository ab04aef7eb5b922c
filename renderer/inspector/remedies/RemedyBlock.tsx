/** The change suggested for a verdict's cause: its text, its predicted gain, and a button that applies it. */

import { Button } from '@mantine/core';
import { IconBulb } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { gainIntervalText } from '../../../core/explain/remedies/remedy.ts';
import type { Verdict } from '../../../core/explain/verdicts/verdict.ts';
import { formatDuration, formatShare } from '../../../core/units.ts';
import { useLessonView } from '../../store/lessonView.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { isOfPresent } from '../../store/select.ts';
import { useApp } from '../../store/store.ts';
import { ApplyButton } from './ApplyButton.tsx';
import classes from './RemedyBlock.module.css';
import type { PredictedRemedy, RemedyState } from './remedyQueue.ts';

/** Hides a suggested change while a lesson's task is open, until the learner asks for it. */
export function AskFirst({ children }: { readonly children: ReactNode }) {
  const solving = useLessonView((view) => view.solving);
  const [asked, setAsked] = useState(false);
  if (!solving || asked) return children;
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      leftSection={<IconBulb size={14} aria-hidden />}
      onClick={() => setAsked(true)}
    >
      Show the suggested change
    </Button>
  );
}

interface Props {
  readonly run: LoadedRun;
  readonly verdict: Verdict;
  readonly tested: RemedyState;
}

export function RemedyBlock(props: Props) {
  const { tested, verdict } = props;
  const hasRemedy = (typeof tested !== 'string' && tested?.remedy.after != null) || verdict.remedy !== null;
  if (!hasRemedy) return null;
  return (
    <AskFirst>
      <Remedy {...props} />
    </AskFirst>
  );
}

function Remedy({ run, verdict, tested }: Props) {
  const predicted = typeof tested === 'string' ? null : tested;
  if (predicted?.remedy.after != null) return <Predicted run={run} verdict={verdict} predicted={predicted} />;
  if (verdict.remedy === null) return null;
  return (
    <div className={classes['remedy']}>
      <p>
        <strong>Suggested change.</strong> {verdict.remedy}
      </p>
      {tested === 'testing' ? <p className={classes['testing']}>Predicting the gain…</p> : null}
    </div>
  );
}

function Predicted({ run, verdict, predicted }: Omit<Props, 'tested'> & { readonly predicted: PredictedRemedy }) {
  const { remedy } = predicted;
  const isPresent = useApp((state) => isOfPresent(state, run));
  const words = remedy.steps.join(' ');
  return (
    <div className={classes['remedy']}>
      <p>
        <strong>Suggested change.</strong> {words}
      </p>
      <Gain predicted={predicted} />
      {isPresent ? (
        <ApplyButton step={`Remedy: ${verdict.title}`} change={remedy} id={verdict.id} label={words} />
      ) : (
        <p className={classes['testing']}>The experiment has changed since this run: run it again to apply this.</p>
      )}
    </div>
  );
}

function Gain({ predicted }: { readonly predicted: PredictedRemedy }) {
  const { before, after, gainNs, gainShare } = predicted.remedy;
  const sure = gainIntervalText(predicted.remedy);
  if (after === null) return null;
  return (
    <dl className={classes['gain']}>
      <dt>Predicted gain</dt>
      <dd>
        {gainNs > 0
          ? `${formatDuration(gainNs)} (${formatShare(gainShare)})`
          : 'none: without the cause the program takes as long'}
        {sure === null ? null : <small>{sure}</small>}
      </dd>
      <dt>Predicted makespan</dt>
      <dd>
        {formatDuration(before.makespanNs)} → {formatDuration(after.makespanNs)}
      </dd>
      <dt>Profile</dt>
      <dd>
        {predicted.profile}
        {predicted.ownRates ? ', with the rates of this run' : ''}
      </dd>
    </dl>
  );
}
