/** The answers of a report: the plan of a real program, and why copies overlapped kernels or not. */
import type { WindowSummary } from '../../core/explain/summary/windowSummary.ts';
import type { TraceAnswers } from '../../core/lift/answers.ts';
import { answerBlocks, changeBlocks, stepTimeBlocks } from '../../core/present/plan.ts';
import { verdictBlocks } from '../../core/present/verdicts.ts';
import { Blocks } from '../blocks/Blocks.tsx';
import classes from './Report.module.css';

interface PlanProps {
  readonly answers: Omit<TraceAnswers, 'tried'> & Partial<Pick<TraceAnswers, 'tried'>>;
  /** Unfolds everything, since paper can't. */
  readonly unfolded?: boolean;
}

/** The answer first, then the step at the left and the suggested changes at the right. */
export const PlanPart = ({ answers, unfolded = false }: PlanProps) => (
  <section aria-label="Step and plan">
    <Blocks blocks={answerBlocks(answers)} />
    <div className={classes['columns']}>
      <div>
        <h2>The step</h2>
        <Blocks blocks={stepTimeBlocks(answers.steps)} />
      </div>
      <div>
        <h2>Suggested changes</h2>
        <Blocks blocks={changeBlocks(answers)} unfolded={unfolded} />
      </div>
    </div>
  </section>
);

const mostShown = 20;

export const VerdictsPart = ({ summary }: { readonly summary: WindowSummary }) =>
  summary.verdicts.length === 0 ? null : (
    <section aria-label="Verdicts">
      <h2>Verdicts</h2>
      <Blocks blocks={verdictBlocks(summary, mostShown)} />
    </section>
  );
