/** Copies and waits by the line of the program that issued them: their number, bytes, and share of the step. */
import { CallStacks } from '../explain/figures/callStacks.ts';
import { hostCalls } from '../explain/figures/hostCalls.ts';
import { append } from '../groupBy.ts';
import { frameText, ownFrame, type StackFrame } from '../trace/callStack.ts';
import { coveredLength, union } from '../trace/intervals.ts';
import { activity, type Iteration, rowKind, rowsOfKind } from '../trace/iteration.ts';
import { rowEndNs } from '../trace/rows.ts';
import type { RowIndex } from '../trace/trace.ts';
import { hostLine } from './hostLine.ts';
import { findSteps, type StepRange } from './steps.ts';

export interface CalledFrom {
  /** For example 'train.py:44 in step'; null for calls without a recorded stack. */
  readonly line: string | null;
  readonly file: string;
  readonly function: string;
  /** Stack of the first of them, innermost first. */
  readonly stack: readonly StackFrame[];
  /** 'H2D copy', for example, or 'wait'. */
  readonly what: string;
  /** The copies on the device, or the waits of the host, in order of start. */
  readonly rows: readonly RowIndex[];
  readonly bytes: number;
  /** Total time. */
  readonly timeNs: number;
  /** Share of the steps' time in which one of them ran. */
  readonly stepShare: number;
}

export interface CallTable {
  readonly lines: readonly CalledFrom[];
  /** Whether the trace has stacks at all. */
  readonly hasStacks: boolean;
  /** Text that says what a step is. */
  readonly steps: string;
}

/** Returns lines, largest share of the step first. */
export function calledFrom(iteration: Iteration): CallTable {
  const { trace } = iteration;
  const stacks = new CallStacks(iteration);
  const found = findSteps(trace, hostLine(trace));
  const groups = new Map<string, RowIndex[]>();
  const callOf = hostCalls(iteration);
  const stackOf = (row: RowIndex): readonly StackFrame[] => {
    const call = rowKind(trace, row) === 'copy' ? callOf.get(row) : row;
    return call === undefined ? [] : stacks.of(call);
  };
  for (const row of rowsOfKind(iteration, 'copy', 'host-sync')) {
    const place = placeOf(stackOf(row));
    append(groups, JSON.stringify([whatOf(iteration, row), place === undefined ? null : frameText(place)]), row);
  }
  const lines = [...groups.values()].map((rows) => made(iteration, rows, stackOf(rows[0] ?? -1), found.ranges));
  lines.sort((a, b) => b.stepShare - a.stepShare || b.timeNs - a.timeNs);
  return { lines, hasStacks: stacks.areThere, steps: found.rule };
}

/** Returns the user's line, or the framework's if the program has none, as on the framework's own threads. */
const placeOf = (stack: readonly StackFrame[]): StackFrame | undefined => ownFrame(stack) ?? stack[0];

function whatOf({ trace }: Iteration, row: RowIndex): string {
  if (rowKind(trace, row) === 'host-sync') return 'wait';
  const { direction } = activity(trace, row);
  return direction === null ? 'copy' : `${direction.toUpperCase()} copy`;
}

function made(
  iteration: Iteration,
  rows: readonly RowIndex[],
  stack: readonly StackFrame[],
  steps: readonly StepRange[],
): CalledFrom {
  const { trace } = iteration;
  const place = placeOf(stack);
  const starts = rows.map((row) => trace.columns.startNs[row] ?? 0);
  const busy = union(
    starts,
    rows.map((row) => rowEndNs(trace, row)),
  );
  const sum = (of: (row: RowIndex) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const within = (total: number, { startNs, endNs }: StepRange): number => total + coveredLength(busy, startNs, endNs);
  const stepNs = steps.reduce((total, { startNs, endNs }) => total + endNs - startNs, 0);
  return {
    line: place === undefined ? null : frameText(place),
    file: place?.file ?? '',
    function: place?.function ?? '',
    stack,
    what: whatOf(iteration, rows[0] ?? -1),
    rows,
    bytes: sum((row) => trace.columns.bytes[row] ?? 0),
    timeNs: sum((row) => trace.columns.durationNs[row] ?? 0),
    stepShare: stepNs > 0 ? steps.reduce(within, 0) / stepNs : 0,
  };
}
