/** The plan of a real program's trace: its steps, where their time goes, and suggested changes. */
import { Alert, Button, Loader } from '@mantine/core';
import { useEffect } from 'react';
import type { RemedyAnswer } from '../../core/lift/answers.ts';
import { nothingHelps, ranksTable, slowestText } from '../../core/present/plan.ts';
import { Blocks } from '../blocks/Blocks.tsx';
import { ErrorText } from '../common/Page.tsx';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { useApp } from '../store/store.ts';
import { ChosenBar } from './ChosenBar.tsx';
import type { ShownSteps } from './messages.ts';
import classes from './Plan.module.css';
import { PlanSteps } from './PlanSteps.tsx';
import { cancelPlan, ensurePlan, type PlanState, usePlan, workOut } from './planStore.ts';
import { Remedies } from './Remedies.tsx';
import { SettledHere } from './SettledHere.tsx';
import { Steps } from './Steps.tsx';

export function PlanPanel({ run }: { readonly run: LoadedRun }) {
  const plan = usePlan(run.id);
  const connected = useApp((state) => state.connection.status === 'open');
  useEffect(() => {
    if (connected) ensurePlan(run);
  }, [run, connected]);
  const again = (
    <Button variant="default" size="xs" onClick={() => void workOut(run)}>
      {plan.isCancelled ? 'Work it out' : 'Try again'}
    </Button>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className={classes['panel']} aria-label="Plan" tabIndex={0}>
      {plan.doing === null ? null : (
        <div className={classes['doing']} role="status">
          <Loader size={14} /> {plan.doing}…
          <Button variant="default" size="compact-xs" onClick={() => cancelPlan(run.id)}>
            Cancel the plan
          </Button>
        </div>
      )}
      {plan.isCancelled && plan.doing === null ? (
        <div className={classes['doing']}>The plan was cancelled. {again}</div>
      ) : null}
      {plan.error === null ? null : (
        <Alert color="orange" title="No plan can be made of this trace" m={12}>
          <ErrorText error={plan.error} />
          {again}
        </Alert>
      )}
      {plan.answer === '' ? null : <p className={classes['answer']}>{plan.answer}</p>}
      {plan.steps?.ranks == null ? null : <p className={classes['slowest']}>{slowestText(plan.steps.ranks)}</p>}
      <div className={classes['columns']}>
        {plan.steps === null || plan.error !== null ? null : (
          <div className={classes['plan']}>
            <h2>Suggested changes</h2>
            {plan.plan === null ? null : <Changes run={run} plan={plan} remedies={plan.plan} steps={plan.steps} />}
          </div>
        )}
        {plan.steps === null ? null : <Steps run={run} steps={plan.steps} plan={plan} />}
        {plan.steps?.ranks == null ? null : (
          <div className={classes['ranks']}>
            <Blocks blocks={[ranksTable(plan.steps.ranks)]} />
          </div>
        )}
      </div>
    </section>
  );
}

interface ChangesProps {
  readonly run: LoadedRun;
  readonly plan: PlanState;
  readonly remedies: readonly RemedyAnswer[];
  readonly steps: ShownSteps;
}

/** The plan steps come first, since users look for it below the answer. */
function Changes({ run, plan, remedies, steps: { unprofiledNs } }: ChangesProps) {
  return (
    <>
      {remedies.length === 0 ? (
        <p>{nothingHelps}</p>
      ) : (
        <>
          {plan.planSteps.length < 2 ? null : <PlanSteps run={run} plan={plan} stepNs={unprofiledNs} />}
          <ChosenBar run={run} plan={plan} />
          <Remedies run={run} plan={plan} remedies={remedies} stepNs={unprofiledNs} />
        </>
      )}
      <p className={classes['note']}>
        Simulated, with 90 % intervals. What the trace does not tell is taken from the profile {plan.profile}.
      </p>
      {plan.profile === null ? null : <SettledHere profile={plan.profile} />}
    </>
  );
}
