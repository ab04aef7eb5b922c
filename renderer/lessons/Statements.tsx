/** What the step's text says, held against the simulated run and against the recorded one. */
import type { StatementResult } from '../../core/lessons/evaluate.ts';
import { Checks } from './Checks.tsx';
import classes from './Lesson.module.css';
import type { Checked } from './useChecks.ts';
import type { OpenStep } from './useLesson.ts';

export function Statements({ step: { step }, checked }: { readonly step: OpenStep; readonly checked: Checked }) {
  const result = checked.status === 'checked' ? checked.result : checked.status === 'checking' ? checked.before : null;
  return (
    <section className={classes['statements']} aria-label="What the runs show">
      <h3>What the runs show</h3>
      {step.holds.map(({ id, says }) => (
        <Statement key={id} says={says} result={result?.statements.find((one) => one.id === id)} />
      ))}
    </section>
  );
}

function Statement({ says, result }: { readonly says: string; readonly result: StatementResult | undefined }) {
  return (
    <div className={classes['statement']}>
      <p>{says}</p>
      {result?.simulated == null ? null : <Source name="Simulated" results={result.simulated} />}
      {result?.recorded == null ? null : <Source name="Recorded" results={result.recorded} />}
      {result !== undefined && result.simulated === null && result.recorded === null ? (
        <small>Only a run on real hardware shows it, and none is recorded yet.</small>
      ) : null}
    </div>
  );
}

function Source({
  name,
  results,
}: {
  readonly name: string;
  readonly results: NonNullable<StatementResult['simulated']>;
}) {
  return (
    <div className={classes['source']}>
      <strong>{name}</strong>
      <Checks results={results} label={name} />
    </div>
  );
}
