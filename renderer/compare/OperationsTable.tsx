import { IconMinus, IconPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { Difference, OperationDifference } from '../../core/compare/comparison.ts';
import { bySize, formatDifference } from '../../core/compare/format.ts';
import { setCompare, useCompare } from './compareStore.ts';
import classes from './Differences.module.css';
import { JudgementMark } from './JudgementMark.tsx';
import { SpreadBars, SpreadText, spreadExtent } from './SpreadBars.tsx';

interface Props {
  readonly operations: readonly OperationDifference[];
  readonly letter: string;
  readonly order: 'size' | 'program';
  readonly onlyLarger: boolean;
  /** Operations that the comparison holds no more. */
  readonly leftOut: number;
}

/** Rows shown; a copy has them all. */
const mostShown = 250;

export function OperationsTable({ operations, letter, order, onlyLarger, leftOut }: Props) {
  const listed = useMemo(() => {
    const kept = onlyLarger
      ? operations.filter(({ side, duration }) => side !== 'both' || duration.judgement === 'larger')
      : operations;
    // What only one of them has comes first: it explains most.
    const sided = [
      ...kept.filter(({ side }) => side !== 'both'),
      ...bySize(kept.filter(({ side }) => side === 'both')),
    ];
    return order === 'size' ? sided : kept;
  }, [operations, order, onlyLarger]);
  const extent = useMemo(() => spreadExtent(operations.map(({ duration }) => duration)), [operations]);
  const alignedBy = useCompare((state) => state.alignment?.op ?? null);
  const shown = listed.slice(0, mostShown);
  const hidden = listed.length - shown.length + leftOut;
  if (listed.length === 0) return <p className={classes['remarks']}>{emptyText(onlyLarger)}</p>;
  return (
    <>
      <table className={`${classes['table']} tabular`}>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            <th scope="col">A</th>
            <th scope="col">{letter}</th>
            <th scope="col" aria-label="Spreads" />
            <th scope="col">Difference</th>
            <th scope="col">Judgement</th>
            <th scope="col" title="Its first start, from the iteration's start">
              Starts
            </th>
            <th scope="col" title="In the calls that issue it, and in waiting for it">
              Host
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((one) => (
            <Row
              key={`${one.a ?? '-'}/${one.b ?? '-'}/${one.label}`}
              one={one}
              letter={letter}
              extent={extent}
              isAligned={one.a !== null && one.a === alignedBy}
            />
          ))}
        </tbody>
      </table>
      {hidden === 0 ? null : (
        <p className={classes['remarks']}>
          {hidden} more operations differ less.{' '}
          {leftOut === 0 ? 'A copy has them all.' : 'copyscope compare --all lists them.'}
        </p>
      )}
    </>
  );
}

const emptyText = (onlyLarger: boolean): string =>
  onlyLarger ? 'No operation differs by more than the spread.' : 'No operation was recorded in either run.';

interface RowProps {
  readonly one: OperationDifference;
  readonly letter: string;
  readonly extent: number;
  readonly isAligned: boolean;
}

function Row({ one, letter, extent, isAligned }: RowProps) {
  const { a, b, label, side, duration, start, host } = one;
  return (
    <tr data-side={side} aria-current={isAligned || undefined}>
      <th scope="row" title={label}>
        <OperationNumber a={a} b={b} />
        {a === null || side !== 'both' ? (
          label
        ) : (
          <button
            type="button"
            title="Align the runs by this operation's start"
            onClick={() => setCompare({ alignment: { op: a, edge: 'start' } })}
          >
            {label}
          </button>
        )}
      </th>
      <td>
        <SpreadText spread={duration.a} />
      </td>
      <td>
        <SpreadText spread={duration.b} />
      </td>
      <td>
        <SpreadBars a={duration.a} b={duration.b} extent={extent} />
      </td>
      {side === 'both' ? (
        <>
          <td data-judgement={duration.judgement}>{formatDifference(duration)}</td>
          <td>
            <JudgementMark difference={duration} />
          </td>
          <td>{changeOf(start)}</td>
          <td>{changeOf(host)}</td>
        </>
      ) : (
        <td colSpan={4}>
          <span className={classes['judgement']} data-side={side}>
            {side === 'only-a' ? <IconMinus size={13} aria-hidden /> : <IconPlus size={13} aria-hidden />}
            {side === 'only-a' ? `only in A, not in ${letter}` : `only in ${letter}, not in A`}
          </span>
        </td>
      )}
    </tr>
  );
}

/** Without the share, which means nothing of a point in time. */
const changeOf = ({ differenceNs }: Difference): string => formatDifference({ differenceNs, ratio: null });

function OperationNumber({ a, b }: { readonly a: number | null; readonly b: number | null }) {
  if (a === null && b === null) return null;
  return <span className={classes['number']}>{a === b ? a : `${a ?? '–'}/${b ?? '–'}`}</span>;
}
