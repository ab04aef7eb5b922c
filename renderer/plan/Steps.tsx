/** The steps that were found, the step time, and where that time goes. */
import { Alert, Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { durationText, partsTable } from '../../core/present/plan.ts';
import { Blocks } from '../blocks/Blocks.tsx';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import type { ShownSteps } from './messages.ts';
import classes from './Plan.module.css';
import { type PlanState, workOut } from './planStore.ts';
import { markSteps, stepsText, typedStep } from './words.ts';

interface Props {
  readonly run: LoadedRun;
  readonly steps: ShownSteps;
  readonly plan: PlanState;
}

export function Steps({ run, steps, plan }: Props) {
  const mark = markSteps(run.run.info);
  return (
    <div className={classes['steps']}>
      <h2>The step</h2>
      <p title={steps.list.map(({ name, ns }) => `${name}: ${durationText(ns)}`).join('\n')}>{stepsText(steps)}</p>
      {steps.isWhole ? (
        <>
          <p>{mark.text}</p>
          <pre>{mark.code}</pre>
        </>
      ) : null}
      <dl className={`${classes['facts']} tabular`}>
        <dt>Recorded, median</dt>
        <dd>{durationText(steps.medianNs)}</dd>
        <dt>Without the profiler, {plan.knownStepNs === null ? 'predicted' : 'fitted to what you typed'}</dt>
        <dd>{durationText(steps.unprofiledNs)}</dd>
      </dl>
      <KnownStep run={run} plan={plan} />
      {steps.caution === null ? null : (
        <Alert color="orange" my="sm" p="xs">
          {steps.caution}
        </Alert>
      )}
      <Blocks blocks={[partsTable(steps)]} />
      <details>
        <summary>Assumptions</summary>
        <ul>
          {steps.inferred.map((one) => (
            <li key={one}>{one}</li>
          ))}
          <li>The next kernel in a copy’s stream reads the copied data.</li>
        </ul>
      </details>
    </div>
  );
}

function KnownStep({ run, plan }: Omit<Props, 'steps'>) {
  const [text, setText] = useState(plan.knownStepNs === null ? '' : String(plan.knownStepNs / 1e6));
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const typed = typedStep(text);
    setProblem('problem' in typed ? typed.problem : null);
    if ('ns' in typed && typed.ns !== plan.knownStepNs) void workOut(run, typed.ns);
  };
  return (
    <form className={classes['known']} onSubmit={submit}>
      <TextInput
        size="xs"
        label="Measured without the profiler, ms"
        placeholder="not known"
        inputMode="decimal"
        value={text}
        error={problem}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button type="submit" variant="default" size="xs">
        Calibrate
      </Button>
    </form>
  );
}
