/** A comparison of two runs as text. */
import type {
  Difference,
  LaneDifference,
  OperationDifference,
  RunComparison,
} from '../../../core/explain/compare/comparison.ts';
import {
  bySize,
  formatDifference,
  formatSpread,
  matchedByWords,
  predictedWords,
} from '../../../core/explain/compare/format.ts';
import { judgementText } from '../../../core/explain/compare/text.ts';
import { shortKernelName } from '../../../core/explain/figures/kernelName.ts';
import { partWords } from '../../../core/lift/parts.ts';
import { type StepsCompared, settledWords } from '../../../core/lift/settle.ts';
import { heldWords, type SettledPrediction } from '../../../core/service/settled.ts';
import { type Run, runOrigin } from '../../../core/trace/run.ts';
import { formatDuration } from '../../../core/units.ts';
import type { Colors, Terminal } from '../io.ts';
import { describeOrigin } from './summary.ts';
import { table, wrap } from './text.ts';

/** Operations shown unless --all is given. */
const mostShown = 20;

/** Parts are left out if their difference is a smaller share of the longer step. */
const leastPart = 0.005;

/** Draws the differences between the steps of two traces, largest first, and the outcome of the prediction. */
export function drawSteps(
  { parts, settled }: StepsCompared,
  settledHere: readonly SettledPrediction[],
  { columns, colors }: Screen,
): string[] {
  if (parts.length === 0) return [];
  const stepNs = Math.max(...(['aNs', 'bNs'] as const).map((side) => parts.reduce((sum, part) => sum + part[side], 0)));
  const shown = parts.filter(({ aNs, bNs }) => Math.abs(bNs - aNs) >= leastPart * stepNs);
  return [
    colors.bold('Where the step time goes'),
    ...table([
      ['', 'A', 'B', 'B - A'],
      ...shown.flatMap(({ part, names, ...times }) => [
        partCells(partWords[part], times),
        ...names
          .filter(({ aNs, bNs }) => Math.abs(bNs - aNs) >= leastPart * stepNs)
          .map((one) => partCells(`  ${shortKernelName(one.name).slice(0, mostLetters)}`, one)),
      ]),
    ]),
    ...(settled === null ? [] : wrap(settledWords(settled), columns, '')),
    ...(settledHere.length < 2 ? [] : [`Settled on this machine so far: ${heldWords(settledHere)}`]),
    '',
  ];
}

const partCells = (name: string, { aNs, bNs }: { readonly aNs: number; readonly bNs: number }): string[] => [
  name,
  formatDuration(aNs),
  formatDuration(bNs),
  `${bNs < aNs ? '-' : '+'}${formatDuration(Math.abs(bNs - aNs))}`,
];

type Screen = Pick<Terminal, 'columns' | 'colors'>;

export function drawComparison(a: Run, b: Run, comparison: RunComparison, all: boolean, screen: Screen): string[] {
  const { colors, columns } = screen;
  return [
    ...[a, b].flatMap((run, index) => drawRun('AB'.charAt(index), run, comparison[index === 0 ? 'a' : 'b'], colors)),
    '',
    colors.bold('Makespan'),
    ...table([['A', 'B', 'B - A', ''], differenceCells(comparison.makespan)]),
    ...drawStep(comparison, colors),
    ...wrap(predictedWords(comparison) ?? '', columns, '').filter((line) => line !== ''),
    '',
    ...drawOperations(comparison, all, screen),
    '',
    ...drawLanes(comparison.lanes, colors),
    '',
    ...wrap(legend, columns, ''),
  ];
}

const legend =
  'Medians over the recorded iterations, with their spread in brackets: from the least to the greatest, without strays and, of more than ten values, without a tenth at each end. A difference is larger than the spread if the two spreads have no value in common.';

function drawRun(
  name: string,
  { info }: Run,
  { name: title, iterations }: RunComparison['a'],
  colors: Colors,
): string[] {
  const times = `${iterations} recorded iteration${iterations === 1 ? '' : 's'}`;
  const recorder = info.whileRecording === true ? ', with what recording costs' : '';
  const origin = describeOrigin({ ...info, ranOn: info.host }, runOrigin(info, false));
  return [`${colors.bold(`${name}  ${title}`)}: ${origin}${recorder}; ${times}`];
}

function drawStep({ steps }: RunComparison, colors: Colors): string[] {
  if (steps === null) return [];
  return [
    '',
    `${colors.bold('Step')}, of ${steps.a} and ${steps.b}; operations are those of one step`,
    ...table([['A', 'B', 'B - A', ''], differenceCells(steps.duration)]),
  ];
}

const differenceCells = (difference: Difference): string[] => [
  formatSpread(difference.a),
  formatSpread(difference.b),
  formatDifference(difference),
  judgementText(difference),
];

function drawOperations({ operations, matchedBy }: RunComparison, all: boolean, { colors, columns }: Screen): string[] {
  const both = bySize(operations.filter(({ side }) => side === 'both'));
  const shown = all ? both : both.slice(0, mostShown);
  const left = both.length - shown.length;
  return [
    `${colors.bold('Operations')}, the largest effect on the makespan first; ${matchedByWords[matchedBy]}`,
    ...(both.length === 0 ? ['The runs have none in common.'] : table([operationTitles, ...shown.map(operationCells)])),
    ...(left === 0 ? [] : [`${left} more: --all shows them.`]),
    ...drawOneSided(
      'Only in A',
      operations.filter(({ side }) => side === 'only-a'),
      columns,
    ),
    ...drawOneSided(
      'Only in B',
      operations.filter(({ side }) => side === 'only-b'),
      columns,
    ),
  ];
}

const operationTitles = ['op', 'operation', 'A', 'B', 'B - A', '', 'starts'];

const operationCells = ({ a, b, kind, label, duration, start }: OperationDifference): string[] => [
  a === b ? String(a ?? '') : `${a}/${b}`,
  shortLabel({ kind, label }),
  ...differenceCells(duration),
  formatDifference({ ...start, ratio: null }),
];

/** Shortens a kernel's full name, a C++ signature that is longer than any terminal. */
const shortLabel = ({ kind, label }: Pick<OperationDifference, 'kind' | 'label'>): string =>
  kind === 'kernel' ? shortKernelName(label).slice(0, mostLetters) : label.slice(0, mostLetters);

const mostLetters = 60;

function drawOneSided(title: string, operations: readonly OperationDifference[], columns: number): string[] {
  if (operations.length === 0) return [];
  const names = bySize(operations)
    .slice(0, mostShown)
    .map(({ a, b, kind, label }) => `${a ?? b ?? ''} ${shortLabel({ kind, label })}`.trim());
  const more = operations.length - names.length;
  return wrap(`${title}: ${names.join(', ')}${more === 0 ? '' : `, and ${more} more`}.`, columns, '');
}

function drawLanes(lanes: readonly LaneDifference[], colors: Colors): string[] {
  const line = ({ side, name, kind, busy, overlap, idle }: LaneDifference): string[] => [
    `${name} (${kind === 'host-thread' ? 'host' : kind})`,
    ...(side === 'both'
      ? [busy, overlap, idle].map((one) => `${formatSpread(one.a, false)} → ${formatSpread(one.b, false)}`)
      : [side === 'only-a' ? 'only in A' : 'only in B', '', '']),
    judgementText(busy),
  ];
  return [
    colors.bold('Lanes'),
    ...table([['', 'busy', 'overlapped', 'idle', 'busy time differs'], ...lanes.map(line)]),
  ];
}
