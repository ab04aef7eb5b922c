import { IconCircleDashed, IconEqual, IconQuestionMark, IconTrendingDown, IconTrendingUp } from '@tabler/icons-react';
import type { Difference } from '../../core/explain/compare/comparison.ts';
import type { Judgement, Spread } from '../../core/explain/compare/spread.ts';
import { judgementText } from '../../core/explain/compare/text.ts';
import { formatDuration } from '../../core/units.ts';
import classes from './Differences.module.css';

/** A median, with its spread if there is one. */
export function SpreadText({ spread }: { readonly spread: Spread | null }) {
  if (spread === null) return <span className={classes['missing']}>not there</span>;
  const { median, low, high, count, min, max } = spread;
  const title = `Median of ${count}; from ${formatDuration(min)} to ${formatDuration(max)} in all`;
  return (
    <span className={classes['spread']} title={title}>
      {formatDuration(median)}
      {low === high ? null : (
        <small>
          {formatDuration(low)} to {formatDuration(high)}
        </small>
      )}
    </span>
  );
}

const width = 110;

/** Both spreads on one scale, with ticks for the medians. The next cells give the same in numbers. */
export function SpreadBars({
  a,
  b,
  extent,
}: {
  readonly a: Spread | null;
  readonly b: Spread | null;
  readonly extent: number;
}) {
  return (
    <svg width={width} height={18} aria-hidden="true" className={classes['bars']}>
      <Bar spread={a} extent={extent} y={2} />
      <Bar spread={b} extent={extent} y={10} />
    </svg>
  );
}

function Bar({ spread, extent, y }: { readonly spread: Spread | null; readonly extent: number; readonly y: number }) {
  if (spread === null || extent <= 0) return null;
  const at = (value: number): number => (value / extent) * (width - 2);
  return (
    <>
      <rect x={0} y={y + 2} width={at(spread.median)} height={2} className={classes['stem']} />
      <rect
        x={at(spread.low)}
        y={y}
        width={Math.max(1, at(spread.high) - at(spread.low))}
        height={6}
        className={classes['range']}
      />
      <rect x={at(spread.median)} y={y - 1} width={2} height={8} className={classes['median']} />
    </>
  );
}

/** Returns the largest value of all spreads. */
export const spreadExtent = (all: readonly Difference[]): number =>
  all.reduce((most, { a, b }) => Math.max(most, a?.high ?? 0, b?.high ?? 0), 0);

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
  if (judgement === 'undecided') return IconQuestionMark;
  if (judgement === 'within') return IconCircleDashed;
  return differenceNs < 0 ? IconTrendingDown : IconTrendingUp;
}
