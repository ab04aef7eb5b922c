/** The sign in score, lists and cards that says if a copy or kernel overlapped. */
import { IconCircleCheck, IconCircleX, IconQuestionMark } from '@tabler/icons-react';
import type { Verdict } from '../../core/verdicts/verdict.ts';
import classes from './VerdictIcon.module.css';

type Tone = 'good' | 'missed' | 'neutral';

export function verdictTone({ cause }: Verdict): Tone {
  if (cause === 'overlapped') return 'good';
  return cause === 'nothing-to-overlap' || cause === 'too-small' || cause === 'unexplained' ? 'neutral' : 'missed';
}

export function VerdictIcon({ verdict, size = 18 }: { readonly verdict: Verdict; readonly size?: number }) {
  const Icon = { good: IconCircleCheck, missed: IconCircleX, neutral: IconQuestionMark }[verdictTone(verdict)];
  return <Icon size={size} aria-hidden className={classes['icon']} data-tone={verdictTone(verdict)} />;
}
