import type { Difference, LaneDifference } from '../../core/compare/comparison.ts';
import { formatDifference } from '../../core/compare/format.ts';
import classes from './Differences.module.css';
import { JudgementMark } from './JudgementMark.tsx';
import { SpreadText } from './SpreadBars.tsx';

interface Props {
  readonly lanes: readonly LaneDifference[];
  readonly letter: string;
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
    meaning: 'The part of it in which another lane of the kind was busy too; for a host thread, the device.',
  },
  { key: 'idle', title: 'Idle', meaning: 'The rest of the makespan.' },
] as const;

const kindWords = { 'host-thread': 'host thread', stream: 'stream', 'copy-engine': 'copy engine', compute: 'kernels' };

export function LanesTable({ lanes, letter }: Props) {
  return (
    <table className={`${classes['table']} tabular`}>
      <thead>
        <tr>
          <th scope="col">Lane</th>
          <th scope="col">What</th>
          <th scope="col">A</th>
          <th scope="col">{letter}</th>
          <th scope="col">Difference</th>
          <th scope="col">Judgement</th>
        </tr>
      </thead>
      <tbody>
        {lanes.flatMap((lane) =>
          quantities.map(({ key, title, meaning }, index) => (
            <tr key={`${lane.a ?? lane.b} ${key}`} data-side={lane.side} data-first={index === 0 || undefined}>
              {index === 0 ? (
                <th scope="rowgroup" rowSpan={3}>
                  {lane.name} <small>{kindWords[lane.kind]}</small>
                </th>
              ) : null}
              <td title={meaning}>{title}</td>
              <Cells difference={lane[key]} />
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
}

function Cells({ difference }: { readonly difference: Difference }) {
  return (
    <>
      <td>
        <SpreadText spread={difference.a} />
      </td>
      <td>
        <SpreadText spread={difference.b} />
      </td>
      <td data-judgement={difference.judgement}>{formatDifference(difference)}</td>
      <td>
        <JudgementMark difference={difference} />
      </td>
    </>
  );
}
