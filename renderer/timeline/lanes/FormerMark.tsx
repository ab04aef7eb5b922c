/** A mark at the program's end before the edit, with the change. */
import { useLayoutEffect, useRef } from 'react';
import { formatChange } from '../../../core/explain/compare/format.ts';
import { formatDuration, formatRange } from '../../../core/units.ts';
import { toPixels } from '../time/timeView.ts';
import type { SharedTime } from '../time/timeWindow.ts';
import classes from './LanesView.module.css';

/** Returns the effect of an edit, such as '510 → 388 µs (−23.9 %)'. */
const changeText = (beforeNs: number, afterNs: number): string =>
  `${formatRange(beforeNs, afterNs, formatDuration).replace(' to ', ' → ')} (${formatChange(afterNs / beforeNs)})`;

interface Props {
  readonly formerNs: number;
  readonly nowNs: number;
  readonly time: SharedTime;
  readonly width: number;
}

/** It moves with each frame of a zoom, and so outside of React. */
export function FormerMark({ formerNs, nowNs, time, width }: Props) {
  const mark = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const place = (): void => {
      const left = toPixels(time.view, width, formerNs);
      const element = mark.current;
      if (element === null) return;
      element.style.left = `${left}px`;
      element.hidden = left < 0 || left > width;
      element.toggleAttribute('data-left', left > width / 2);
    };
    place();
    return time.subscribe(place);
  }, [formerNs, time, width]);
  return (
    <div
      className={classes['former']}
      ref={mark}
      data-testid="former-makespan"
      data-shorter={nowNs < formerNs || undefined}
    >
      <span className="tabular">{changeText(formerNs, nowNs)}</span>
    </div>
  );
}
