/** The experiment as its document, which another Copyscope runs again. */
import type { Experiment } from '../../core/experiment/experiment.ts';
import classes from './Report.module.css';

interface Props {
  readonly experiment: Experiment | null;
  readonly letter: string | null;
}

export function ExperimentPart({ experiment, letter }: Props) {
  if (experiment === null) return null;
  return (
    <section aria-label={`Experiment${letter === null ? '' : ` ${letter}`}`}>
      <h2>Experiment{letter === null ? '' : ` of ${letter}`}</h2>
      {experiment.description === '' ? null : <p>{experiment.description}</p>}
      <details className={classes['document']}>
        <summary>The document (JSON): copyscope run executes it</summary>
        <pre>{JSON.stringify(experiment, null, 2)}</pre>
      </details>
    </section>
  );
}
