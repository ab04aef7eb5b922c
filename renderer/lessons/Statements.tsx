/** The statements of the step's text, checked on the simulated run and on the recorded one. */

import { IconCircleCheck, IconCircleDashed, IconInfoCircle } from '@tabler/icons-react';
import type { CheckResult } from '../../core/apps/lessons/check.ts';
import type { StatementResult } from '../../core/apps/lessons/evaluate.ts';
import { asWritten } from '../../core/units.ts';
import classes from './Lesson.module.css';
import type { Checked } from './useChecks.ts';
import type { OpenStep } from './useLesson.ts';

/** Results of checks, one per line: whether it holds, the value found, and the value needed. */
export function Checks({ results, label }: { readonly results: readonly CheckResult[]; readonly label: string }) {
  return (
    <ul className={classes['checks']} aria-label={label}>
      {results.map((result) => (
        <li key={result.says} data-holds={result.holds || undefined}>
          <Mark result={result} />
          <span>
            {result.says}
            <small className="tabular">
              {asWritten(result.found)}
              {result.wanted === '' || result.wanted === result.found ? null : <> · needs {asWritten(result.wanted)}</>}
            </small>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Mark({ result: { holds, told } }: { readonly result: CheckResult }) {
  if (!told) return <IconInfoCircle size={16} aria-label="Unknown from this run" className={classes['dim']} />;
  return holds ? (
    <IconCircleCheck size={16} aria-label="Passed" className={classes['good']} />
  ) : (
    <IconCircleDashed size={16} aria-label="Not yet" className={classes['dim']} />
  );
}

export function Statements({
  step: { step },
  checked: { result },
}: {
  readonly step: OpenStep;
  readonly checked: Checked;
}) {
  return (
    <section className={classes['statements']} aria-label="Evidence from the runs">
      <h3>Evidence from the runs</h3>
      {step.holds.map(({ id, says }) => (
        <Statement key={id} says={says} result={result?.statements.find((one) => one.id === id)} />
      ))}
    </section>
  );
}

function Statement({ says, result }: { readonly says: string; readonly result: StatementResult | undefined }) {
  const sources = [
    { name: 'Simulated', results: result?.simulated ?? null },
    { name: 'Recorded', results: result?.recorded ?? null },
  ].filter((source): source is Source => source.results !== null);
  return (
    <div className={classes['statement']}>
      <p>{says}</p>
      {result !== undefined && sources.length === 0 ? (
        <small>Only a run on real hardware shows it, and none is recorded yet.</small>
      ) : null}
      {sources.length === 0 ? null : <Found sources={sources} />}
    </div>
  );
}

interface Source {
  readonly name: string;
  readonly results: readonly CheckResult[];
}

/** A table of checks with the value found in each run. */
function Found({ sources }: { readonly sources: readonly Source[] }) {
  return (
    <table className={classes['found']}>
      <thead>
        <tr>
          <td />
          {sources.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(sources[0]?.results ?? []).map(({ says }, index) => (
          <tr key={says}>
            <th scope="row">{says}</th>
            {sources.map(({ name, results }) => (
              <Cell key={name} result={results[index]} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Keeps a number and its unit on one line. */
const unbroken = (text: string): string => text.replace(/(\d) (?=\S)/g, '$1\u00a0');

/** The value found, and the needed one if the check failed. */
function Cell({ result }: { readonly result: CheckResult | undefined }) {
  if (result === undefined) return <td />;
  const { found, wanted, holds, told } = result;
  return (
    <td className="tabular" title={wanted === '' ? undefined : `Needs ${wanted}`}>
      <span>
        <Mark result={result} /> {unbroken(asWritten(found))}
      </span>
      {(holds && told) || wanted === '' ? null : <small>needs {asWritten(wanted)}</small>}
    </td>
  );
}
