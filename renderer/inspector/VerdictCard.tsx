import { IconCircleCheck, IconCircleX, IconQuestionMark } from '@tabler/icons-react';
import { type Remedy, trialOutcome } from '../../core/analysis/counterfactual/remedy.ts';
import type { Verdict } from '../../core/analysis/verdicts/verdict.ts';
import { termOfCause } from '../../core/glossary/termOf.ts';
import { formatDuration, formatShare, unbroken } from '../../core/units.ts';
import type { LoadedRun } from '../app/loadedRun.ts';
import { select } from '../app/store/store.ts';
import { LinkButton } from '../common/LinkButton.tsx';
import { TermRow } from '../common/TermRow.tsx';
import { Fact, Facts, ShareBar } from './Facts.tsx';
import { RuleNote } from './RuleNote.tsx';
import { RemedyBlock } from './remedies/RemedyBlock.tsx';
import { useRemedy } from './remedies/useRemedy.ts';
import classes from './VerdictCard.module.css';

type Tone = 'good' | 'missed' | 'neutral';

interface Props {
  readonly run: LoadedRun;
  readonly verdict: Verdict;
  /** Its name leads to the operation, or to the row of a trace whose operations have no number. */
  readonly linked?: boolean;
}

/** Why a copy did, or did not, overlap a kernel: what happened, the reason, what to change, and the rule behind it. */
export function VerdictCard({ run, verdict, linked = false }: Props) {
  const tone = verdictTone(verdict);
  const tested = useRemedy(run, verdict);
  if (typeof tested !== 'string' && tested.remedy.borneOut === false) {
    return <Refuted run={run} verdict={verdict} remedy={tested.remedy} linked={linked} />;
  }
  return (
    <article className={classes['card']} data-tone={tone} aria-label={`Verdict on ${subjectName(run, verdict)}`}>
      <header>
        <VerdictIcon verdict={verdict} />
        <div>
          {linked ? <VerdictLink run={run} verdict={verdict} /> : null}
          <h3>{verdict.title}</h3>
        </div>
      </header>
      <RanTogether verdict={verdict} />
      <p>{unbroken(verdict.explanation)}</p>
      <RemedyBlock run={run} verdict={verdict} tested={tested} />
      {verdict.rule === null ? null : <RuleNote id={verdict.rule} />}
      <TermRow terms={[termOfCause(verdict.cause)]} />
    </article>
  );
}

function RanTogether({ verdict }: Pick<Props, 'verdict'>) {
  const { subject, overlapNs, shareOfCopy, share } = verdict;
  return (
    <Facts>
      <Fact name="Ran together" title={`Time of the ${subject} in which a kernel ran too`}>
        {formatDuration(overlapNs)}
      </Fact>
      <Fact name={`of the ${subject}`}>
        <ShareBar share={shareOfCopy} /> {formatShare(shareOfCopy)}
      </Fact>
      <Fact name="of the shorter one" title="Time in common over the shorter of the two: what the verdict goes by">
        <ShareBar share={share} tone={verdictTone(verdict) === 'good' ? 'good' : 'warn'} /> {formatShare(share)}
      </Fact>
    </Facts>
  );
}

/** A cause that, taken away in a simulation, changes nothing is none by itself: what was seen stands, and what was tried. */
function Refuted({ run, verdict, remedy, linked = false }: Props & { readonly remedy: Remedy }) {
  return (
    <article className={classes['card']} data-tone="neutral" aria-label={`Verdict on ${subjectName(run, verdict)}`}>
      <header>
        <IconQuestionMark size={18} aria-hidden className={classes['icon']} data-tone="neutral" />
        <div>
          {linked ? <VerdictLink run={run} verdict={verdict} /> : null}
          <h3>No single cause</h3>
        </div>
      </header>
      <RanTogether verdict={verdict} />
      <p>{unbroken(verdict.explanation)}</p>
      <p>The likeliest cause ({verdict.title}) was taken away in a simulation, and nothing was gained by it.</p>
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
  const { op, row } = verdict;
  const open = (): void => select(op >= 0 ? { kind: 'op', op } : { kind: 'row', run: run.id, row });
  return <LinkButton onClick={open}>{unbroken(subjectName(run, verdict))}</LinkButton>;
}

/** Many copies of a trace have one name: their times tell them apart. */
function subjectName({ run }: LoadedRun, { op, row, label }: Verdict): string {
  return op >= 0 ? label : `${label} at ${formatDuration(run.trace.columns.startNs[row] ?? 0)}`;
}

export function verdictTone({ cause }: Verdict): Tone {
  if (cause === 'overlapped') return 'good';
  return cause === 'nothing-to-overlap' || cause === 'too-small' || cause === 'unexplained' ? 'neutral' : 'missed';
}

export function VerdictIcon({ verdict, size = 18 }: { readonly verdict: Verdict; readonly size?: number }) {
  const Icon = { good: IconCircleCheck, missed: IconCircleX, neutral: IconQuestionMark }[verdictTone(verdict)];
  return <Icon size={size} aria-hidden className={classes['icon']} data-tone={verdictTone(verdict)} />;
}
