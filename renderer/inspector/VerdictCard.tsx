import { Collapse } from '@mantine/core';
import { IconInfoCircle, IconQuestionMark } from '@tabler/icons-react';
import { useState } from 'react';
import { termOfCause } from '../../core/explain/glossary/termOf.ts';
import { type Remedy, trialOutcome } from '../../core/explain/remedies/remedy.ts';
import { groupText, type VerdictGroup, verdictGroups } from '../../core/explain/verdicts/groups.ts';
import type { Verdict } from '../../core/explain/verdicts/verdict.ts';
import { verdictTone } from '../../core/present/verdicts.ts';
import { describeSource, type RuleId, rule } from '../../core/rules/rules.ts';
import { formatDuration, formatShare, unbroken } from '../../core/units.ts';
import { LinkButton } from '../common/buttons.tsx';
import icon from '../common/marks.module.css';
import { VerdictIcon } from '../common/marks.tsx';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { isOfPresent } from '../store/select.ts';
import { select, useApp } from '../store/store.ts';
import { SourceList, TermRow } from '../terms/TermLink.tsx';
import { Fact, Facts, ShareBar } from './Facts.tsx';
import { RemedyBlock } from './remedies/RemedyBlock.tsx';
import { useRemedy } from './remedies/remedyQueue.ts';
import classes from './VerdictCard.module.css';

/** The rule behind a verdict: its name, and on demand its text and sources. */
export function RuleNote({ id }: { readonly id: RuleId }) {
  const [open, setOpen] = useState(false);
  const { title, statement, sources } = rule(id);
  return (
    <div className={icon['rule']}>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <IconInfoCircle size={14} aria-hidden />
        <span>Rule: {title}</span>
      </button>
      <Collapse expanded={open}>
        <p className={icon['statement']}>{statement}</p>
        <SourceList sources={sources.map(describeSource)} />
      </Collapse>
    </div>
  );
}

interface Props {
  readonly run: LoadedRun;
  readonly verdict: Verdict;
  /** Links the name to the operation, or to the row if the trace's operations have no number. */
  readonly linked?: boolean;
  /** Equal verdicts that the card stands for; left out, the verdict alone. */
  readonly group?: VerdictGroup | undefined;
  /** Number and total time of the verdicts that the card stands for, if there are several. */
  readonly several?: string;
}

/** Why a copy overlapped a kernel or not: the facts, the reason, the change, and the rule. */
export function VerdictCard({ run, verdict, linked = false, group, several }: Props) {
  const tone = verdictTone(verdict);
  const tested = useRemedy(run, verdict);
  const remedy = typeof tested === 'string' ? null : tested.remedy;
  const cost = costText(run, group ?? verdictGroups([verdict])[0], remedy);
  if (remedy?.isConfirmed === false) {
    return <Refuted run={run} verdict={verdict} remedy={remedy} linked={linked} cost={cost} />;
  }
  return (
    <article className={classes['card']} data-tone={tone} aria-label={`Verdict on ${subjectName(run, verdict)}`}>
      <header>
        <VerdictIcon verdict={verdict} />
        <div>
          {linked ? <VerdictLink run={run} verdict={verdict} /> : null}
          <h3>
            {verdict.title}
            {several === undefined ? null : <small>{several}</small>}
          </h3>
        </div>
      </header>
      <RanTogether verdict={verdict} />
      <p>{unbroken(verdict.explanation)}</p>
      {cost === '' ? null : <p>{unbroken(cost)}</p>}
      <RemedyBlock run={run} verdict={verdict} tested={tested} />
      {verdict.rule === null ? null : <RuleNote id={verdict.rule} />}
      <TermRow terms={[termOfCause(verdict.cause)]} />
    </article>
  );
}

/** Returns the cost in words. A tested remedy tells what its cause costs: the gain. */
function costText({ summary }: LoadedRun, group: VerdictGroup | undefined, remedy: Remedy | null): string {
  if (group === undefined) return '';
  const isKnown = remedy !== null && remedy.isConfirmed !== null;
  return groupText(isKnown ? { ...group, costNs: 0 } : group, summary?.makespanNs ?? null);
}

function RanTogether({ verdict }: Pick<Props, 'verdict'>) {
  const { subject, overlapNs, shareOfCopy, share, cause } = verdict;
  if (cause === 'nothing-to-overlap' || subject === 'host-call') return null;
  return (
    <Facts>
      <Fact name="Ran together" title={`Time of the ${subject} in which a kernel ran too`}>
        {formatDuration(overlapNs)}
      </Fact>
      <Fact name={`of the ${subject}`}>
        <ShareBar share={shareOfCopy} /> {formatShare(shareOfCopy)}
      </Fact>
      <Fact name="of the shorter" title="Time in common over the shorter of the two. The verdict is based on it">
        <ShareBar share={share} tone={verdictTone(verdict) === 'good' ? 'good' : 'warn'} /> {formatShare(share)}
      </Fact>
    </Facts>
  );
}

/** Shown if removing the likeliest cause gained nothing in a simulation: the observation, and the changes tried. */
function Refuted({
  run,
  verdict,
  remedy,
  linked = false,
  cost,
}: Props & { readonly remedy: Remedy; readonly cost: string }) {
  return (
    <article className={classes['card']} data-tone="neutral" aria-label={`Verdict on ${subjectName(run, verdict)}`}>
      <header>
        <IconQuestionMark size={18} aria-hidden className={icon['icon']} data-tone="neutral" />
        <div>
          {linked ? <VerdictLink run={run} verdict={verdict} /> : null}
          <h3>No single cause</h3>
        </div>
      </header>
      <RanTogether verdict={verdict} />
      <p>{unbroken(verdict.explanation)}</p>
      {cost === '' ? null : <p>{unbroken(cost)}</p>}
      <p>A simulation without the likeliest cause ({verdict.title}) gained nothing.</p>
      <ul>
        {remedy.tried.map((trial) => (
          <li key={trial.steps.join(' ')}>
            {trial.steps.join(' ')} {unbroken(trialOutcome(trial, remedy.before))}
          </li>
        ))}
      </ul>
    </article>
  );
}

function VerdictLink({ run, verdict }: Props) {
  const { id, row } = verdict;
  // If the experiment changed since the run, the operation may be another one, so the link leads to the row.
  const isPresent = useApp((state) => isOfPresent(state, run));
  const open = (): void => select(id !== null && isPresent ? { kind: 'op', id } : { kind: 'row', run: run.id, row });
  return <LinkButton onClick={open}>{unbroken(subjectName(run, verdict))}</LinkButton>;
}

/** Returns the verdict's subject. Copies of a trace often share a name, so their start times are added. */
function subjectName({ run }: LoadedRun, { op, row, label }: Verdict): string {
  return op >= 0 ? label : `${label} at ${formatDuration(run.trace.columns.startNs[row] ?? 0)}`;
}
