import { Collapse } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconInfoCircle, IconQuestionMark } from '@tabler/icons-react';
import { useState } from 'react';
import type { Verdict } from '../../core/analysis/verdicts/verdict.ts';
import { describeSource, rule } from '../../core/rules/rules.ts';
import { formatDuration, formatShare } from '../../core/units.ts';
import { select } from '../app/store/actions.ts';
import { Fact, Facts, ShareBar } from './Facts.tsx';
import classes from './VerdictCard.module.css';

type Tone = 'good' | 'missed' | 'neutral';

/** Why a copy did, or did not, overlap a kernel: what happened, the reason, what to change, and the rule behind it. */
export function VerdictCard({ verdict, linked = false }: { readonly verdict: Verdict; readonly linked?: boolean }) {
  const tone = verdictTone(verdict);
  return (
    <article className={classes['card']} data-tone={tone} aria-label={`Verdict on ${verdict.label}`}>
      <header>
        <VerdictIcon verdict={verdict} />
        <div>
          {linked ? (
            <button type="button" className={classes['link']} onClick={() => select({ kind: 'op', op: verdict.op })}>
              {verdict.label}
            </button>
          ) : null}
          <h3>{verdict.title}</h3>
        </div>
      </header>
      <Facts>
        <Fact name="Ran together" title="Time of the copy in which a kernel ran too">
          {formatDuration(verdict.overlapNs)}
        </Fact>
        <Fact name="of the copy">
          <ShareBar share={verdict.shareOfCopy} /> {formatShare(verdict.shareOfCopy)}
        </Fact>
        <Fact
          name="of the shorter one"
          title="Time in common over the shorter of copy and kernel: what the verdict goes by"
        >
          <ShareBar share={verdict.share} tone={tone === 'good' ? 'good' : 'warn'} /> {formatShare(verdict.share)}
        </Fact>
      </Facts>
      <p>{verdict.explanation}</p>
      {verdict.remedy === null ? null : (
        <p className={classes['remedy']}>
          <strong>What to change.</strong> {verdict.remedy}
        </p>
      )}
      {verdict.rule === null ? null : <RuleNote id={verdict.rule} />}
    </article>
  );
}

function RuleNote({ id }: { readonly id: NonNullable<Verdict['rule']> }) {
  const [open, setOpen] = useState(false);
  const { title, statement, sources } = rule(id);
  return (
    <div className={classes['rule']}>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <IconInfoCircle size={14} aria-hidden />
        <span>Rule: {title}</span>
      </button>
      <Collapse expanded={open}>
        <p>{statement}</p>
        <ul>
          {sources.map((source) => (
            <li key={describeSource(source)}>{describeSource(source)}</li>
          ))}
        </ul>
      </Collapse>
    </div>
  );
}

export function verdictTone({ cause }: Verdict): Tone {
  if (cause === 'overlapped') return 'good';
  return cause === 'nothing-to-overlap' || cause === 'too-small' || cause === 'unexplained' ? 'neutral' : 'missed';
}

export function VerdictIcon({ verdict, size = 18 }: { readonly verdict: Verdict; readonly size?: number }) {
  const Icon = { good: IconCircleCheck, missed: IconCircleX, neutral: IconQuestionMark }[verdictTone(verdict)];
  return <Icon size={size} aria-hidden className={classes['icon']} data-tone={verdictTone(verdict)} />;
}
