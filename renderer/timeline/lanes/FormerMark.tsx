/** A mark at the program's end before the edit, with the change. */
import { useLayoutEffect, useRef } from 'react';
import { formatDuration, formatRange } from '../../../core/units.ts';
import { toPixels } from '../time/timeView.ts';
import type { SharedTime } from '../time/timeWindow.ts';
import classes from './LanesView.module.css';

/** The effect of an edit as text. */
const unitOf = (text: string): string => text.slice(text.indexOf(' ') + 1);

/** Returns '1.32 to 6.16 ms, +4.84'. The difference has a unit if its unit differs. */
export function changeText(beforeNs: number, afterNs: number): string {
  const range = formatRange(beforeNs, afterNs, formatDuration);
  const difference = formatDuration(Math.abs(afterNs - beforeNs));
  const [from, to] = [beforeNs, afterNs].map((value) => unitOf(formatDuration(value)));
  const isShared = from === to && to === unitOf(difference);
  const amount = isShared ? difference.slice(0, difference.indexOf(' ')) : difference;
  return `${range}, ${afterNs < beforeNs ? '−' : '+'}${amount}`;
}

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
      <span className="tabular">
        <small>before</small> {changeText(formerNs, nowNs)}
      </span>
    </div>
  );
}
