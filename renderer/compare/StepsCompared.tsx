/** Differences between the steps of two traces, largest first, and whether the second confirms the prediction. */
import { Loader } from '@mantine/core';
import { readableName } from '../../core/explain/figures/kernelName.ts';
import { partWords } from '../../core/lift/parts.ts';
import { settledWords } from '../../core/lift/settle.ts';
import { formatDuration } from '../../core/units.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import classes from './Differences.module.css';
import { useStepsCompared } from './useComparison.ts';

interface Props {
  readonly a: LoadedRun | null;
  readonly b: LoadedRun | null;
  readonly letter: string;
}

interface Times {
  readonly aNs: number;
  readonly bNs: number;
}

/** Parts are left out if their difference is a smaller share of the longer step. */
const leastPart = 0.005;

export function StepsCompared({ a, b, letter }: Props) {
  const found = useStepsCompared(a, b);
  if (found === null) {
    return (
      <div className={classes['pending']} role="status">
        <Loader size={14} /> Finding the steps…
      </div>
    );
  }
  if (found.parts.length === 0) {
    return <p className={classes['pending']}>These runs are not both traces of a program in which steps are found.</p>;
  }
  const { parts, settled } = found;
  const stepNs = Math.max(...(['aNs', 'bNs'] as const).map((side) => parts.reduce((sum, part) => sum + part[side], 0)));
  const differs = ({ aNs, bNs }: Times): boolean => Math.abs(bNs - aNs) >= leastPart * stepNs;
  const lines = parts.filter(differs).flatMap(({ part, names, ...times }) => [
    { key: part, text: partWords[part], isName: false, ...times },
    ...names.filter(differs).map((one) => ({
      key: `${part} ${one.name}`,
      text: readableName(one.name).slice(0, 80),
      isName: true,
      aNs: one.aNs,
      bNs: one.bNs,
    })),
  ]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={classes['steps']} aria-label="Steps of both traces" tabIndex={0}>
      {settled === null ? null : <p>{settledWords(settled)}</p>}
      <table className="tabular" aria-label="Where the step time goes">
        <thead>
          <tr>
            <th scope="col">Part of the step</th>
            <th scope="col">A</th>
            <th scope="col">{letter}</th>
            <th scope="col">{letter} − A</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ key, text, isName, aNs, bNs }) => (
            <tr key={key} data-name={isName || undefined}>
              <th scope="row">{text}</th>
              <td>{formatDuration(aNs)}</td>
              <td>{formatDuration(bNs)}</td>
              <td>
                {bNs < aNs ? '−' : '+'}
                {formatDuration(Math.abs(bNs - aNs))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
