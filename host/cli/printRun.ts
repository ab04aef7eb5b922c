/** Prints a run, as text or as JSON, and sets its exit code. */

import { CopyscopeError } from '../../core/errors.ts';
import { hazardNote } from '../../core/explain/hazards/races.ts';
import { type LazySummary, summarizeLazily } from '../../core/explain/summary/summary.ts';
import type { TraceAnswers } from '../../core/lift/answers.ts';
import { type Block, text } from '../../core/present/blocks.ts';
import { planBlocks } from '../../core/present/plan.ts';
import {
  dataBlocks,
  deviceBlocks,
  engineBlocks,
  headingText,
  memoryBlocks,
  overlapBlocks,
  timingBlocks,
} from '../../core/present/summary.ts';
import { experimentPlanBlocks, verdictBlocks } from '../../core/present/verdicts.ts';
import { iterationOf } from '../../core/trace/iteration.ts';
import { type Run, type RunOrigin, runOrigin } from '../../core/trace/run.ts';
import type { Assets } from '../library/assets.ts';
import { attainableFor } from './attainable.ts';
import type { Terminal } from './io.ts';
import { statusLine } from './progress.ts';
import { drawBlocks } from './render/blocks.ts';
import { drawLanes } from './render/lanes.ts';

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
    const made = summarizeLazily(run, known);
    const note = hazardNote(run.info.experiment);
    summary = note === null ? made : { ...made, notes: [note, ...made.notes] };
  } finally {
    line.clear();
  }
  if (options.json) await terminal.json({ ...summary, ...options.answers });
  else terminal.out(forPeople(run, summary, runOrigin(run.info, options.madeHere), terminal, options.answers));
  requireGood(summary);
}

const mostVerdicts = 10;

function forPeople(
  run: Run,
  summary: LazySummary,
  origin: RunOrigin,
  { columns, colors }: Terminal,
  answers?: TraceAnswers,
): string[] {
  const shown = iterationOf(run.trace, run.info.iterations.representative);
  const plan = answers === undefined ? [] : planBlocks(answers);
  // A partial trace first says that it is one.
  const isAnswer = (block: Block): boolean =>
    summary.error === null && block.kind === 'text' && block.look === 'answer';
  const answer = drawBlocks(plan.filter(isAnswer), { columns, colors });
  const blocks = [
    ...plan.filter((block) => !isAnswer(block)),
    ...[overlapBlocks, deviceBlocks, engineBlocks, memoryBlocks, timingBlocks].flatMap((made) => made(summary)),
    ...verdictBlocks(summary, mostVerdicts),
    ...(answers === undefined ? experimentPlanBlocks(summary) : []),
    ...dataBlocks(summary),
    ...summary.notes.flatMap((note) => text(`Note: ${note}`)),
  ];
  return [
    ...(answer.length === 0 ? [] : [...answer, '']),
    colors.bold(summary.name),
    ...headingText(summary, origin),
    '',
    ...drawLanes(shown, columns, colors),
    '',
    ...drawBlocks(blocks, { columns, colors }),
  ];
}

function requireGood({ status, error, verification }: LazySummary): void {
  if (error !== null) throw new CopyscopeError(error);
  if (status === 'cancelled') throw new CopyscopeError({ code: 'run.cancelled', message: 'The run was cancelled.' });
  if (verification.bytesWrong === 0) return;
  throw new CopyscopeError({
    code: 'verification.failed',
    message: `${verification.bytesWrong} of ${verification.bytesChecked} bytes differ from what the experiment should leave.`,
    remedy: 'Look for a source that changes, or a destination that is read, before its copy has completed.',
  });
}
