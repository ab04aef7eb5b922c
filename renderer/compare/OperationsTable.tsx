/** Differences by operation, the largest effect on the makespan first. */
import { Checkbox } from '@mantine/core';
import { IconMinus, IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { Difference, OperationDifference } from '../../core/explain/compare/comparison.ts';
import { bySize, effectNs, formatDifference } from '../../core/explain/compare/format.ts';
import { shortKernelName } from '../../core/explain/figures/kernelName.ts';
import type { DataColumn } from '../common/table/columns.ts';
import { DataTable } from '../common/table/DataTable.tsx';
import { setCompare, useCompare } from './compareStore.ts';
import classes from './Differences.module.css';
import { JudgementMark, SpreadBars, SpreadText, spreadExtent } from './SpreadBars.tsx';

interface Props {
  readonly operations: readonly OperationDifference[];
  readonly letter: string;
  readonly order: 'size' | 'program';
  /** Number of operations that the comparison left out. */
  readonly leftOut: number;
  /** Figures are for one step, not for the whole makespan. */
  readonly byStep: boolean;
  readonly children: React.ReactNode;
}

export function OperationsTable({ operations, letter, order, leftOut, byStep, children }: Props) {
  const [onlyLarger, setOnlyLarger] = useState(false);
  const listed = useMemo(() => {
    const kept = onlyLarger
      ? operations.filter(({ side, duration }) => side !== 'both' || duration.judgement === 'larger')
      : operations;
    return order === 'size' ? bySize(kept) : kept;
  }, [operations, order, onlyLarger]);
  const extent = useMemo(() => spreadExtent(operations.map(({ duration }) => duration)), [operations]);
  const columns = useMemo(() => columnsOf(letter, extent, byStep), [letter, extent, byStep]);
  const alignedBy = useCompare(({ alignment }) => (alignment !== null && 'op' in alignment ? alignment.op : null));
  return (
    <DataTable
      key={order}
      label="Table of differences"
      noun="operations"
      empty={onlyLarger ? 'No operation differs by more than the spread.' : 'No operation was recorded in either run.'}
      items={listed}
      columns={columns}
      keyOf={keyOf}
      rowProps={({ a, side }) => ({
        'data-side': side,
        'aria-current': (a !== null && a === alignedBy) || undefined,
      })}
      tools={
        <Checkbox
          size="xs"
          label="Only larger than the spread"
          checked={onlyLarger}
          onChange={(event) => setOnlyLarger(event.currentTarget.checked)}
        />
      }
      fills
    >
      {leftOut === 0 ? null : (
        <p className={classes['remarks']}>{leftOut} more operations differ less. copyscope compare --all lists them.</p>
      )}
      {children}
    </DataTable>
  );
}

const keyOf = ({ a, b, kind, label }: OperationDifference): string => `${a ?? '-'}/${b ?? '-'}/${kind}/${label}`;

function columnsOf(letter: string, extent: number, byStep: boolean): readonly DataColumn<OperationDifference>[] {
  const change = (id: string, title: string, meaning: string, of: (one: OperationDifference) => Difference) =>
    ({
      ...{ id, title, meaning, isNumber: true },
      value: (one) => of(one).differenceNs,
      // Leaves out the share, which means nothing for a point in time.
      cell: (one) => formatDifference({ ...of(one), ratio: null }),
    }) satisfies DataColumn<OperationDifference>;
  const side = (id: 'a' | 'b', title: string): DataColumn<OperationDifference> => ({
    ...{ id, title, isNumber: true },
    value: ({ duration }) => duration[id]?.median ?? null,
    cell: ({ duration }) => <SpreadText spread={duration[id]} />,
  });
  return [
    {
      ...{ id: 'operation', title: 'Operation', isHead: true },
      value: ({ label }) => label,
      tip: ({ label }) => label,
      cell: (one) => <Name one={one} />,
    },
    side('a', 'A'),
    side('b', letter),
    {
      ...{ id: 'effect', title: byStep ? 'Step' : 'Makespan', isNumber: true },
      meaning: 'Makespan spent on this operation, compared with A. It is zero if a kernel ran at the same time',
      value: (one) => Math.abs(effectNs(one)),
      cell: (one) => <strong>{formatDifference({ differenceNs: effectNs(one), ratio: null })}</strong>,
    },
    {
      ...{ id: 'spreads', title: 'Spreads' },
      value: () => null,
      cell: ({ duration: { a, b } }) => <SpreadBars a={a} b={b} extent={extent} />,
    },
    {
      ...{ id: 'difference', title: 'Difference', isNumber: true },
      value: ({ duration: { differenceNs } }) => (differenceNs === null ? null : Math.abs(differenceNs)),
      cell: ({ duration }) => <span data-judgement={duration.judgement}>{formatDifference(duration)}</span>,
    },
    {
      ...{ id: 'judgement', title: 'Judgement' },
      value: ({ side: of, duration: { judgement } }) => (of === 'both' ? judgement : of),
      cell: (one) =>
        one.side === 'both' ? <JudgementMark difference={one.duration} /> : <OneSided one={one} letter={letter} />,
    },
    change('starts', 'Starts', "Its first start, from the iteration's start or that of its step", ({ start }) => start),
    change('host', 'Host', 'In the calls that issue it, and in waiting for it', ({ host }) => host),
  ];
}

function Name({ one: { a, b, kind, label, side } }: { readonly one: OperationDifference }) {
  const name = kind === 'kernel' ? shortKernelName(label) : label;
  return (
    <>
      <OperationNumber a={a} b={b} />
      {a === null || side !== 'both' ? (
        name
      ) : (
        <button
          type="button"
          title="Align the runs by this operation's start"
          onClick={() => setCompare({ alignment: { op: a, edge: 'start' } })}
        >
          {name}
        </button>
      )}
    </>
  );
}

function OneSided({ one: { side }, letter }: { readonly one: OperationDifference; readonly letter: string }) {
  return (
    <span className={classes['judgement']} data-side={side}>
      {side === 'only-a' ? <IconMinus size={13} aria-hidden /> : <IconPlus size={13} aria-hidden />}
      {side === 'only-a' ? `only in A, not in ${letter}` : `only in ${letter}, not in A`}
    </span>
  );
}

function OperationNumber({ a, b }: { readonly a: number | null; readonly b: number | null }) {
  if (a === null && b === null) return null;
  return <span className={classes['number']}>{a === b ? a : `${a ?? '–'}/${b ?? '–'}`}</span>;
}
