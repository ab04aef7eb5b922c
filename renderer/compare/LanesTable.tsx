/** Differences by lane: busy time, how much of it overlapped, and idle time. */
import { useMemo } from 'react';
import type { LaneDifference } from '../../core/explain/compare/comparison.ts';
import { formatDifference } from '../../core/explain/compare/format.ts';
import type { DataColumn } from '../common/table/columns.ts';
import { DataTable } from '../common/table/DataTable.tsx';
import { JudgementMark, SpreadText } from './SpreadBars.tsx';

interface Props {
  readonly lanes: readonly LaneDifference[];
  readonly letter: string;
  readonly children: React.ReactNode;
}

const quantities = [
  {
    key: 'busy',
    title: 'Busy',
    meaning: 'Time in which the lane did anything. Waiting in a synchronising call is idle.',
  },
  {
    key: 'overlap',
    title: 'Overlapped',
    meaning: 'The part in which another lane of the kind was busy too; for a host thread, the device.',
  },
  { key: 'idle', title: 'Idle', meaning: 'The rest of the makespan.' },
] as const;

const kindWords = { 'host-thread': 'host thread', stream: 'stream', 'copy-engine': 'copy engine', compute: 'kernels' };

interface Line {
  readonly lane: LaneDifference;
  readonly quantity: (typeof quantities)[number];
}

export function LanesTable({ lanes, letter, children }: Props) {
  const lines = useMemo(
    () => lanes.flatMap((lane) => quantities.map((quantity): Line => ({ lane, quantity }))),
    [lanes],
  );
  const columns = useMemo(() => columnsOf(letter), [letter]);
  return (
    <DataTable
      label="Table of differences"
      noun="figures"
      empty="Neither run has a lane."
      items={lines}
      columns={columns}
      keyOf={({ lane, quantity }) => `${lane.a ?? lane.b} ${quantity.key}`}
      rowProps={({ lane, quantity }) => ({
        'data-side': lane.side,
        'data-first': quantity.key === 'busy' || undefined,
      })}
      fills
    >
      {children}
    </DataTable>
  );
}

function columnsOf(letter: string): readonly DataColumn<Line>[] {
  const of = ({ lane, quantity }: Line) => lane[quantity.key];
  const side = (id: 'a' | 'b', title: string): DataColumn<Line> => ({
    ...{ id, title, isNumber: true },
    value: (line) => of(line)[id]?.median ?? null,
    cell: (line) => <SpreadText spread={of(line)[id]} />,
  });
  return [
    {
      ...{ id: 'lane', title: 'Lane', isHead: true },
      value: ({ lane }) => `${lane.name} ${kindWords[lane.kind]}`,
      cell: ({ lane }) => (
        <>
          {lane.name} <small>{kindWords[lane.kind]}</small>
        </>
      ),
    },
    { id: 'what', title: 'What', value: ({ quantity }) => quantity.title, tip: ({ quantity }) => quantity.meaning },
    side('a', 'A'),
    side('b', letter),
    {
      ...{ id: 'difference', title: 'Difference', isNumber: true },
      value: (line) => Math.abs(of(line).differenceNs ?? 0),
      cell: (line) => <span data-judgement={of(line).judgement}>{formatDifference(of(line))}</span>,
    },
    {
      ...{ id: 'judgement', title: 'Judgement' },
      value: (line) => of(line).judgement,
      cell: (line) => <JudgementMark difference={of(line)} />,
    },
  ];
}
