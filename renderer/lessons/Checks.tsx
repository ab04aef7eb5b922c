/** Results of checks, one per line: whether it holds, the value found, and the value needed. */
import { IconCircleCheck, IconCircleDashed, IconInfoCircle } from '@tabler/icons-react';
import type { CheckResult } from '../../core/lessons/check.ts';
import { asWritten } from '../../core/units.ts';
import classes from './Lesson.module.css';

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

export function Mark({ result: { holds, told } }: { readonly result: CheckResult }) {
  if (!told) return <IconInfoCircle size={16} aria-label="Unknown from this run" className={classes['dim']} />;
  return holds ? (
    <IconCircleCheck size={16} aria-label="Holds" className={classes['good']} />
  ) : (
    <IconCircleDashed size={16} aria-label="Not yet" className={classes['dim']} />
  );
}
