/** Prints the outcome of a sweep, and rejects with the command's error. */

import type { SweepPlan } from '../../core/apps/sweep/plan.ts';
import { type PointResults, sweepResults } from '../../core/apps/sweep/results.ts';
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import { text } from '../../core/present/blocks.ts';
import { pointsTable, reachedText } from '../../core/present/sweep.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import { exitCodeOf, exitCodes } from './exitCodes.ts';
import type { Terminal } from './io.ts';
import { drawBlocks } from './render/blocks.ts';

export interface Ran {
  readonly outcomes: readonly Omit<PointResults, 'values'>[];
  readonly device: string;
  /** Error that ended the sweep before its last point. */
  readonly failure: unknown;
}

interface Facts extends Ran {
  readonly createdAt: string;
  readonly engine: EngineKind;
  readonly json: boolean;
}

/** Rejects, after printing, as the sweep command does. */
export async function printSweep(terminal: Terminal, plan: SweepPlan, facts: Facts): Promise<void> {
  const { createdAt, engine, device, outcomes, failure } = facts;
  const origin = engine === 'sim' ? ('simulated' as const) : ('measured' as const);
  const status = failure === null ? ('complete' as const) : ('cancelled' as const);
  const results = sweepResults(plan, { createdAt, engine, origin, device, status }, outcomes);
  if (outcomes.length > 0) {
    if (facts.json) await terminal.json(results);
    else
      terminal.out(
        drawBlocks(
          [
            ...text(results.name, 'answer'),
            ...text(`${origin} on ${device}; ${reachedText(outcomes, plan.count)}`),
            pointsTable(plan, outcomes),
          ],
          terminal,
        ),
      );
  }
  if (failure !== null) throw failure;
  requireAllDone(results.points, plan);
}

function requireAllDone(points: readonly PointResults[], { count }: SweepPlan): void {
  const failed = points.filter(({ status }) => status === 'failed');
  const [first] = failed;
  if (first === undefined) return;
  const { message, remedy } = first.error ?? toErrorInfo('no reason given.');
  const isBadInput = ({ error }: PointResults): boolean =>
    error !== undefined && exitCodeOf(error) === exitCodes.badInput;
  // If every point fails on its input, the sweep itself is invalid.
  if (failed.length === count && failed.every(isBadInput)) {
    const invalid = { code: 'sweep.invalid', message: `No point could be run, the first because ${message}` };
    throw new CopyscopeError({ ...invalid, remedy: remedy ?? 'Check the values of the axes.' });
  }
  throw new CopyscopeError({
    code: 'sweep.failed-points',
    message: `${failed.length} of ${count} points failed, the first because ${message}`,
    remedy: remedy ?? 'The others are above.',
  });
}
