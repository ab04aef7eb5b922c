/** Prints a run, as text or as JSON, and sets its exit code. */

import { CopyscopeError } from '../../core/errors.ts';
import { type LazySummary, summarizeLazily } from '../../core/explain/summary/summary.ts';
import type { TraceAnswers } from '../../core/lift/answers.ts';
import { planBlocks } from '../../core/present/plan.ts';
import {
  dataBlocks,
  deviceBlocks,
  engineBlocks,
  headingText,
  overlapBlocks,
  timingBlocks,
} from '../../core/present/summary.ts';
import { iterationOf } from '../../core/trace/iteration.ts';
import { type Run, type RunOrigin, runOrigin } from '../../core/trace/run.ts';
import type { Assets } from '../library/assets.ts';
import { attainableFor } from './attainable.ts';
import type { Terminal } from './io.ts';
import { statusLine } from './progress.ts';
import { drawBlocks } from './render/blocks.ts';
import { drawLanes } from './render/lanes.ts';
import { wrap } from './render/text.ts';
import { drawPlan, drawVerdicts } from './render/verdicts.ts';

export interface PrintOptions {
  readonly json: boolean;
  /** True if this command executed the run, so that it is measured and not recorded. */
  readonly madeHere: boolean;
  /** Steps of a real program's trace, and the gains of changes. */
  readonly answers?: TraceAnswers | undefined;
}

/** Rejects, after printing, with the run's own error or `verification.failed`. */
export async function printRun(run: Run, assets: Assets, terminal: Terminal, options: PrintOptions): Promise<void> {
  const known = await attainableFor(run.info, assets, terminal.err);
  const line = statusLine(terminal);
  line.show(`Explaining: ${run.trace.count} activities`);
  let summary: LazySummary;
  try {
    summary = summarizeLazily(run, known);
  } finally {
    line.clear();
  }
  if (options.json) await terminal.json({ ...summary, ...options.answers });
  else terminal.out(forPeople(run, summary, runOrigin(run.info, options.madeHere), terminal, options.answers));
  requireGood(summary);
}

function forPeople(
  run: Run,
  summary: LazySummary,
  origin: RunOrigin,
  { columns, colors }: Terminal,
  answers?: TraceAnswers,
): string[] {
  const shown = iterationOf(run.trace, run.info.iterations.representative);
  const figures = [overlapBlocks, deviceBlocks, engineBlocks, timingBlocks].flatMap((blocks) => blocks(summary));
  return [
    colors.bold(summary.name),
    ...headingText(summary, origin),
    '',
    ...drawLanes(shown, columns, colors),
    '',
    ...(answers === undefined ? [] : [...drawBlocks(planBlocks(answers), { columns, colors }), '']),
    ...drawBlocks(figures, { columns, colors }),
    '',
    ...drawVerdicts(summary, columns, colors),
    '',
    ...(answers === undefined ? drawPlan(summary, columns, colors) : []),
    ...drawBlocks(dataBlocks(summary), { columns, colors }),
    ...summary.notes.flatMap((note) => wrap(`Note: ${note}`, columns, '')),
  ];
}

function requireGood({ status, error, verification }: LazySummary): void {
  if (error !== null) throw new CopyscopeError(error);
  if (status === 'cancelled') throw new CopyscopeError({ code: 'run.cancelled', message: 'The run was cancelled.' });
  if (verification.bytesWrong === 0) return;
  throw new CopyscopeError({
    code: 'verification.failed',
    message: `${verification.bytesWrong} of ${verification.bytesChecked} bytes are not what the experiment should have left.`,
    remedy:
      'Look for a source that something changes, or a destination that something reads, before its copy has completed.',
  });
}
