/** A whole run: verdicts, overlap, use of engines and host, and its origin. */
import { isTested } from '../../core/explain/remedies/remedy.ts';
import type { WindowSummary } from '../../core/explain/summary/windowSummary.ts';
import {
  byCause,
  byKernel,
  costlyGroups,
  groupTitle,
  mostSavedNs,
  verdictGroups,
} from '../../core/explain/verdicts/groups.ts';
import type { Verdict } from '../../core/explain/verdicts/verdict.ts';
import {
  dataBlocks,
  deviceBlocks,
  engineBlocks,
  hostBlocks,
  machineBlocks,
  memoryBlocks,
  overlapBlocks,
  timingBlocks,
} from '../../core/present/summary.ts';
import { formatDuration, formatShare } from '../../core/units.ts';
import { Blocks as Drawn } from '../blocks/Blocks.tsx';
import { withKeys } from '../commands/command.ts';
import { OriginBadge } from '../common/marks.tsx';
import { ErrorText } from '../common/Page.tsx';
import { formatInstant } from '../common/time.ts';
import { type LoadedRun, mostJudgedRows } from '../store/opened/loadedRun.ts';
import { useApp } from '../store/store.ts';
import { selectStretch, sumUpWhole } from '../timeline/commands.ts';
import { Block, Notes, SumUp } from './Facts.tsx';
import classes from './Inspector.module.css';
import { PlanBlock } from './remedies/PlanBlock.tsx';
import { VerdictCard } from './VerdictCard.tsx';

export function RunDetails({ run }: { readonly run: LoadedRun }) {
  return run.summary === null ? <Summarizing run={run} /> : <Summarized run={run} summary={run.summary} />;
}

/** Shown while a large run is summarised, after its lanes appear. */
function Summarizing({ run }: { readonly run: LoadedRun }) {
  const share = useApp((state) => state.judged[run.id]);
  return (
    <p className={classes['hint']} role="status">
      Summing up the run{share === undefined ? '' : `: ${formatShare(share)} of its copies are judged`}…
    </p>
  );
}

const nothing = ({ engine }: WindowSummary): string => (engine === 'sim' ? 'Nothing to run' : 'Nothing recorded');

function Summarized({ run, summary }: { readonly run: LoadedRun; readonly summary: WindowSummary }) {
  const origin = useApp((state) => state.runs[run.id]?.origin);
  return (
    <>
      <div className={classes['heading']}>
        <div>
          <small>Run</small>
          <h2>
            {summary.makespanNs === null ? (
              nothing(summary)
            ) : (
              <>
                Makespan <span className={classes['whole']}>{formatDuration(summary.makespanNs)}</span>
              </>
            )}
          </h2>
        </div>
        {origin === undefined ? null : <OriginBadge origin={origin} />}
      </div>
      {summary.error === null ? null : (
        <div className={classes['failure']} role="alert">
          <ErrorText error={summary.error} />
          {summary.makespanNs === null ? null : <p>This run is partial: it holds what was recorded until then.</p>}
        </div>
      )}
      {isOfNothing(summary) ? null : <Blocks run={run} summary={summary} />}
    </>
  );
}

/** Returns true for the prediction of an empty program, which has nothing to show. */
const isOfNothing = ({ engine, makespanNs, error }: WindowSummary): boolean =>
  engine === 'sim' && makespanNs === null && error === null;

function Blocks({ run, summary }: { readonly run: LoadedRun; readonly summary: WindowSummary }) {
  const made = formatInstant(summary.createdAt);
  const isLesson = useApp(({ page }) => page.kind === 'lesson');
  // A lesson speaks of verdicts, overlap and data, and of no machine.
  if (isLesson) {
    return (
      <>
        <Verdicts run={run} summary={summary} />
        <Drawn blocks={[...overlapBlocks(summary), ...dataBlocks(summary)]} />
      </>
    );
  }
  return (
    <>
      <Drawn blocks={deviceBlocks(summary)} />
      {isSeveral(summary) ? <PlanBlock run={run} /> : null}
      <Verdicts run={run} summary={summary} />
      <Drawn
        blocks={[...overlapBlocks(summary), ...engineBlocks(summary), ...hostBlocks(summary), ...memoryBlocks(summary)]}
      />
      <ByName run={run} />
      <Drawn blocks={[...dataBlocks(summary), ...timingBlocks(summary), ...machineBlocks(summary, made)]} />
      <Notes notes={summary.notes} />
    </>
  );
}

/** Returns whether several causes can be removed together. The change for a single one stands in its verdict. */
const isSeveral = ({ verdicts }: WindowSummary): boolean => verdicts.filter(isTested).length > 1;

const mostVerdicts = 20;

/** Returns the key of a verdict's card: one for each operation of a program, or one for each cause of a trace. */
const alike = (verdict: Verdict): unknown => (verdict.op >= 0 ? [byKernel(verdict), verdict.label] : byCause(verdict));

/** The verdicts, largest cost of makespan first, without copies that had no kernel to overlap. */
function Verdicts({ run, summary }: { readonly run: LoadedRun; readonly summary: WindowSummary }) {
  const { verdicts } = summary;
  const groups = verdictGroups(
    verdicts.filter(({ cause }) => cause !== 'nothing-to-overlap'),
    alike,
    mostSavedNs(summary.makespanNs),
  );
  const { from, to } = run.view(null).rows;
  if (to - from > mostJudgedRows) {
    return (
      <p className={classes['hint']}>
        Copies of more than {mostJudgedRows.toLocaleString('en')} activities are judged by the command line: copyscope
        explain.
      </p>
    );
  }
  if (groups.length === 0) return null;
  const judged = summary.verdictSums.reduce((sum, { count }) => sum + count, 0);
  const { costly, rest } = costlyGroups(groups, summary);
  const left = costly.slice(mostVerdicts).reduce((sum, { places }) => sum + places.length, 0);
  return (
    <section aria-label="Verdicts">
      {costly.slice(0, mostVerdicts).map((group) => (
        <VerdictCard
          key={`${group.verdict.op}:${group.places[0]}`}
          run={run}
          verdict={group.verdict}
          group={group}
          {...(group.places.length > 1 ? { several: groupTitle(group) } : {})}
          linked
        />
      ))}
      {rest === null ? null : <p className={classes['hint']}>{rest}</p>}
      {verdicts.length < judged ? (
        <p className={classes['hint']}>
          These are the costliest {verdicts.length.toLocaleString('en')} of {judged.toLocaleString('en')}: select
          another copy in the timeline for its own verdict.
        </p>
      ) : null}
      {left > 0 ? <p className={classes['hint']}>{left} more copies were judged: select one in the timeline.</p> : null}
    </section>
  );
}

/** Counts and durations by name, computed on demand, since that visits every row. */
function ByName({ run }: { readonly run: LoadedRun }) {
  const iteration = useApp((state) => state.iteration);
  const { makespanNs } = run.view(iteration);
  return (
    <Block title="By name">
      <SumUp title={withKeys(sumUpWhole)} onClick={() => selectStretch(run, { startNs: 0, endNs: makespanNs })} />
    </Block>
  );
}
