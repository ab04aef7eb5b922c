/** The answers of a report: the plan of a real program, and why copies overlapped kernels or not. */
import type { Remedy } from '../../core/explain/remedies/remedy.ts';
import type { WindowSummary } from '../../core/explain/summary/windowSummary.ts';
import { costlyGroups, groupText, type VerdictGroup, verdictGroups } from '../../core/explain/verdicts/groups.ts';
import type { TraceAnswers } from '../../core/lift/answers.ts';
import { answerBlocks, changeBlocks, stepTimeBlocks } from '../../core/present/plan.ts';
import { formatDuration, unbroken } from '../../core/units.ts';
import { Blocks } from '../blocks/Blocks.tsx';
import { VerdictIcon } from '../common/marks.tsx';
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
const mostLabels = 8;

export function VerdictsPart({ summary }: { readonly summary: WindowSummary }) {
  const { verdicts, verdictSums, makespanNs, remedies } = summary;
  if (verdicts.length === 0) return null;
  const { costly, rest } = costlyGroups(verdictGroups(verdicts), summary);
  const judged = verdictSums.reduce((sum, { count }) => sum + count, 0);
  return (
    <section aria-label="Verdicts">
      <h2>Verdicts</h2>
      <ul className={classes['verdicts']}>
        {costly.slice(0, mostShown).map((group) => (
          <VerdictItem key={group.places[0]} group={group} makespanNs={makespanNs} remedies={remedies} />
        ))}
      </ul>
      {rest === null ? null : <p>{rest}</p>}
      {judged > verdicts.length ? (
        <p>
          {judged} copies and kernels were judged; these are the {verdicts.length} with the largest cost.
        </p>
      ) : null}
    </section>
  );
}

interface ItemProps {
  readonly group: VerdictGroup;
  readonly makespanNs: number | null;
  readonly remedies: readonly Remedy[];
}

function VerdictItem({ group, makespanNs, remedies }: ItemProps) {
  const { verdict, labels } = group;
  const remedy = remedies.find(({ op, cause }) => op === verdict.op && cause === verdict.cause);
  const more = labels.length - mostLabels;
  return (
    <li>
      <h3>
        <VerdictIcon verdict={verdict} size={16} /> {verdict.title}
      </h3>
      <p className={classes['labels']}>
        {labels.slice(0, mostLabels).join(', ')}
        {more > 0 ? ` and ${more} more` : ''}
      </p>
      <p>{unbroken(verdict.explanation)}</p>
      <p>{unbroken(groupText(group, makespanNs))}</p>
      {remedy === undefined || remedy.borneOut === false ? null : <RemedyText remedy={remedy} />}
    </li>
  );
}

function RemedyText({ remedy: { steps, before, after } }: { readonly remedy: Remedy }) {
  if (steps.length === 0 || after === null) return null;
  return (
    <p>
      <strong>Remedy:</strong> {steps.join(' ')} Simulated: {formatDuration(before.makespanNs)} to{' '}
      {formatDuration(after.makespanNs)}.
    </p>
  );
}
