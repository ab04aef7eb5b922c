/** The axis above several runs' lanes on one time scale, and the keys that move it. */
import { useElementSize } from '@mantine/hooks';
import { viewCommands } from '../timeline/commands.ts';
import { gutterWidth } from '../timeline/lanes/LanesView.tsx';
import { labelSpace, timeTicks } from '../timeline/time/ticks.ts';
import { toPixels } from '../timeline/time/timeView.ts';
import { type TimeWindow, useShownView } from '../timeline/time/timeWindow.ts';
import { useKeys } from '../timeline/useTimelineKeys.ts';
import classes from './ComparePage.module.css';

/** One axis for all lanes below, which share its scale and place. A line marks the moment of alignment. */
export function SharedAxis({ time, anchorNs }: { readonly time: TimeWindow; readonly anchorNs: number | null }) {
  const { ref, width } = useElementSize();
  const view = useShownView(time);
  const ticks = timeTicks(view, width);
  const anchorAt = anchorNs === null ? null : toPixels(view, width, anchorNs);
  return (
    <div className={classes['axis']} aria-hidden>
      <span className={`${classes['anchor']} tabular`} style={{ width: gutterWidth }}>
        {ticks.anchorLabel}
      </span>
      <div ref={ref} className={classes['ticks']}>
        {ticks.ticks.map((tick) => (
          <span key={tick.timeNs} className="tabular" style={{ left: Math.round(toPixels(view, width, tick.timeNs)) }}>
            {toPixels(view, width, tick.timeNs) < width - labelSpace ? tick.label : null}
          </span>
        ))}
        {anchorAt === null || anchorAt < 0 || anchorAt > width ? null : (
          <i className={classes['alignedAt']} data-testid="aligned-at" style={{ left: anchorAt }} />
        )}
      </div>
    </div>
  );
}

const list = Object.values(viewCommands);

export const useSharedKeys = (time: TimeWindow): void => useKeys(list, { time });
