/** Tables of a comparison as text for spreadsheets and reports: plain numbers in nanoseconds. */
import type { TextTable } from '../../tableText.ts';
import type { Difference, LaneDifference, OperationDifference } from './comparison.ts';
import type { Judgement, Spread } from './spread.ts';

const judgementWords: Readonly<Record<Judgement, string>> = {
  equal: 'no difference',
  larger: 'larger than the spread',
  within: 'within the spread',
  undecided: 'too few iterations to tell',
};

/** Returns a judgement in words; empty if there is none. */
export function judgementText({ a, b, judgement }: Pick<Difference, 'a' | 'b' | 'judgement'>): string {
  if (judgement === null) return '';
  // Simulated runs have no spread to compare a difference with.
  const hasSpread = a?.low !== a?.high || b?.low !== b?.high;
  return judgement === 'larger' && !hasSpread ? 'differs' : judgementWords[judgement];
}

const sideTitles = (name: 'A' | 'B'): string[] =>
  ['median', 'low', 'high', 'iterations'].map((one) => `${name} ${one}`);
const titles = [...sideTitles('A'), ...sideTitles('B'), 'Difference (ns)', 'B/A', 'Judgement'];

const number = (value: number): string => String(Math.round(value * 1000) / 1000);

const sideCells = (side: Spread | null): string[] =>
  side === null ? ['', '', '', '0'] : [side.median, side.low, side.high, side.count].map(number);

const cells = (difference: Difference): string[] => [
  ...sideCells(difference.a),
  ...sideCells(difference.b),
  difference.differenceNs === null ? '' : number(difference.differenceNs),
  difference.ratio === null ? '' : difference.ratio.toFixed(4),
  judgementText(difference),
];

const operationNumber = ({ a, b }: OperationDifference): string => {
  if (a === null && b === null) return '';
  return a === b ? String(a) : `${a ?? '-'}/${b ?? '-'}`;
};

/** Writes three lines for each operation: its duration, its start and its host time. */
export const operationsText = (operations: readonly OperationDifference[]): TextTable => ({
  titles: ['Operation', 'Number', 'Kind', 'What', ...titles],
  words: 4,
  rows: operations.flatMap((one) =>
    (['duration', 'start', 'host'] as const)
      .filter((what) => one[what].a !== null || one[what].b !== null)
      .map((what) => [one.label, operationNumber(one), one.kind, what, ...cells(one[what])]),
  ),
});

/** Writes three lines for each lane: busy, overlap and idle. */
export const lanesText = (lanes: readonly LaneDifference[]): TextTable => ({
  titles: ['Lane', 'Kind', 'What', ...titles],
  words: 3,
  rows: lanes.flatMap((lane) =>
    (['busy', 'overlap', 'idle'] as const).map((what) => [lane.name, lane.kind, what, ...cells(lane[what])]),
  ),
});
