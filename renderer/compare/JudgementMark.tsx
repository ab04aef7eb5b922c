import { IconCircleDashed, IconEqual, IconQuestionMark, IconTrendingDown, IconTrendingUp } from '@tabler/icons-react';
import type { Difference } from '../../core/compare/comparison.ts';
import type { Judgement } from '../../core/compare/spread.ts';
import { judgementText } from '../../core/compare/text.ts';
import classes from './Differences.module.css';

/** Says if a difference is larger than the spread; the icon repeats the words. */
export function JudgementMark({ difference }: { readonly difference: Difference }) {
  const { judgement, differenceNs } = difference;
  if (judgement === null) return null;
  const Icon = iconOf(judgement, differenceNs ?? 0);
  return (
    <span className={classes['judgement']} data-judgement={judgement}>
      <Icon size={13} aria-hidden /> {judgementText(difference)}
    </span>
  );
}

function iconOf(judgement: Judgement, differenceNs: number) {
  if (judgement === 'equal') return IconEqual;
  if (judgement === 'untold') return IconQuestionMark;
  if (judgement === 'within') return IconCircleDashed;
  return differenceNs < 0 ? IconTrendingDown : IconTrendingUp;
}
