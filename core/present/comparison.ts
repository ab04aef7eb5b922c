/** A comparison of two runs as blocks. */
import type { Difference, LaneDifference, OperationDifference, RunComparison } from '../explain/compare/comparison.ts';
import { bySize, formatDifference, formatSpread, matchedByWords, predictedWords } from '../explain/compare/format.ts';
import { judgementText } from '../explain/compare/text.ts';
import { readableName, shortKernelName } from '../explain/figures/kernelName.ts';
import { partWords } from '../lift/parts.ts';
import { type StepsCompared, settledWords } from '../lift/settle.ts';
import { lanePrefixes } from '../trace/laneTitles.ts';
import { formatDuration } from '../units.ts';
import { type Block, columns, type Row, type TableBlock, text } from './blocks.ts';

/** Parts are left out if their difference is a smaller share of the longer step. */
const leastPart = 0.005;
const mostLetters = 60;

interface Times {
  readonly aNs: number;
  readonly bNs: number;
}

/** Returns the differences between the steps of two traces, and the outcome of the prediction. `b` names the second. */
export function stepBlocks({ parts, settled }: StepsCompared, b = 'B'): Block[] {
  if (parts.length === 0) return [];
  const total = (side: keyof Times): number => parts.reduce((sum, part) => sum + part[side], 0);
  const least = leastPart * Math.max(total('aNs'), total('bNs'));
  const differs = ({ aNs, bNs }: Times): boolean => Math.abs(bNs - aNs) >= least;
  const row = (name: string, { aNs, bNs }: Times, isPart: boolean): Row => ({
    cells: [name, formatDuration(aNs), formatDuration(bNs), formatDifference({ differenceNs: bNs - aNs, ratio: null })],
    isPart,
  });
  const rows = parts
    .filter(differs)
    .flatMap(({ part, names, ...times }) => [
      row(partWords[part], times, false),
      ...names.filter(differs).map((one) => row(readableName(one.name).slice(0, mostLetters), one, true)),
    ]);
  return [
    ...text(settled === null ? null : settledWords(settled), 'answer'),
    table('Where the step time goes', ['Part of the step', 'A', b, `${b} − A`], rows),
  ];
}

/** Returns what differs between the programs; nothing for traces. `b` names the second run. */
export function programBlocks({ programs }: Pick<RunComparison, 'programs'>, b = 'B'): Block[] {
  if (programs === null) return [];
  return text(
    programs.length === 0 ? `A and ${b} run the same program.` : `Changed from A to ${b}: ${programs.join('; ')}.`,
    'answer',
  );
}

/** Returns what differs between the programs, makespan and step, and where a recorded run lies in its prediction. */
export const timeBlocks = (comparison: RunComparison): Block[] => [
  ...programBlocks(comparison),
  table(
    'Times',
    ['Figure', 'A', 'B', 'B − A', 'Judgement'],
    [
      { cells: ['Makespan', ...cells(comparison.makespan)] },
      ...(comparison.steps === null ? [] : [{ cells: ['Step', ...cells(comparison.steps.duration)] }]),
    ],
  ),
  ...text(predictedWords(comparison)),
];

/** Describes how differences were found. `b` is the letter of the second run. */
export function methodText({ a, b: second, matchedBy, steps }: RunComparison, b = 'B'): string {
  const of =
    steps === null
      ? `${a.iterations} and ${second.iterations} recorded iterations`
      : `${steps.a} and ${steps.b} steps; operations are those of one step`;
  return `Differences are ${b} − A, of medians over ${of}; operations are ${matchedByWords[matchedBy]}. The spread next to a median covers all values without strays; from more than ten values, a tenth is left out at each end. A difference is larger than the spread if the two spreads have no value in common.`;
}

export interface Listing {
  /** Limit of the listed operations. */
  readonly most: number;
  /** Number of operations that the comparison left out. */
  readonly leftOut?: number;
  /** Sentence that says how to list the rest. */
  readonly rest?: string;
}

/** Returns the differences by operation, the largest effect on the makespan first, and by lane. */
export function differenceBlocks(comparison: RunComparison, listing: Listing): Block[] {
  return [
    operationsTable(comparison, listing),
    table('Lanes', ['Lane', 'Busy', 'Overlapped', 'Idle', 'Busy time differs'], comparison.lanes.map(laneRow)),
    ...text(methodText(comparison), 'dim'),
  ];
}

function operationsTable({ operations }: RunComparison, { most, leftOut = 0, rest = '' }: Listing): TableBlock {
  const rows = bySize(operations).slice(0, most);
  const left = operations.length - rows.length + leftOut;
  return {
    kind: 'table',
    title: 'Operations',
    about: 'The largest effect on the makespan first.',
    columns: [
      { title: 'Op' },
      { title: 'Operation', isName: true },
      ...columns('A', 'B', 'B − A', 'Judgement', 'Starts', 'Host'),
    ],
    rows: rows.map(operationRow),
    empty: 'No operation was recorded in either run.',
    more: left === 0 ? undefined : `${left} more operations differ less.${rest}`,
  };
}

function operationRow(one: OperationDifference): Row {
  const { a, b, side, duration, start, host } = one;
  const op = a === b ? String(a ?? '') : `${a ?? '–'}/${b ?? '–'}`;
  const [first, second, difference, judgement] = cells(duration);
  const change = ({ differenceNs }: Difference): string => formatDifference({ differenceNs, ratio: null });
  const ends = side === 'both' ? [difference, judgement, change(start), change(host)] : ['', sideWords(side), '', ''];
  return { cells: [op, operationName(one), first, second, ...ends].map((cell) => cell ?? '') };
}

/** Shortens a kernel's full name, which is a C++ signature. */
const operationName = ({ kind, label }: OperationDifference): string =>
  (kind === 'kernel' ? shortKernelName(label) : label).slice(0, mostLetters);

const sideWords = (side: 'only-a' | 'only-b'): string => (side === 'only-a' ? 'only in A' : 'only in B');

const cells = (difference: Difference): string[] => [
  formatSpread(difference.a),
  formatSpread(difference.b),
  formatDifference(difference),
  judgementText(difference),
];

function laneRow({ side, name, kind, busy, overlap, idle }: LaneDifference): Row {
  const change = ({ a, b }: Difference): string => `${formatSpread(a, false)} → ${formatSpread(b, false)}`;
  const judgement = side === 'both' ? judgementText(busy) : sideWords(side);
  return { cells: [lanePrefixes[kind] + name, change(busy), change(overlap), change(idle), judgement] };
}

const table = (title: string, titles: readonly string[], rows: readonly Row[]): TableBlock => ({
  kind: 'table',
  title,
  columns: columns(...titles),
  rows,
});
