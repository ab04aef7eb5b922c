/** Names of a program's phases above the lanes, each as wide as its duration. They move with each frame of a zoom. */
import { memo, useLayoutEffect, useMemo, useRef } from 'react';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { isOfPresent } from '../../store/select.ts';
import { select, state } from '../../store/store.ts';
import { selectStretch } from '../commands.ts';
import { gutterWidth } from '../gutter/Gutter.tsx';
import { type Phase, phasesOf } from '../phases.ts';
import { toPixels } from '../time/timeView.ts';
import type { SharedTime } from '../time/timeWindow.ts';
import classes from './LanesView.module.css';

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly time: SharedTime;
  readonly width: number;
}

export const PhaseStrip = memo(function PhaseStrip({ run, view, time, width }: Props) {
  const phases = useMemo(() => phasesOf(run.run.info.experiment, view), [run, view]);
  // If the experiment changed since the run, the operation may be another one, so only its time range is shown.
  const open = (phase: Phase): void => {
    if (isOfPresent(state(), run)) select({ kind: 'op', id: phase.id });
    else selectStretch(run, phase);
  };
  const strip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const place = (): void => {
      for (const [index, phase] of phases.entries()) {
        const element = strip.current?.children[index];
        if (element instanceof HTMLElement) placePhase(element, phase, phases[index + 1], time, width);
      }
    };
    place();
    return time.subscribe(place);
  }, [phases, time, width]);
  if (phases.length === 0) return null;
  return (
    <div className={classes['phaseStrip']}>
      <span className={classes['phasesTitle']} style={{ width: gutterWidth }}>
        Phases
      </span>
      <div className={classes['phases']} ref={strip}>
        {phases.map((phase) => (
          <button key={phase.id} type="button" tabIndex={-1} title={phase.label} onClick={() => open(phase)}>
            {phase.label}
          </button>
        ))}
      </div>
    </div>
  );
});

/** Draws a phase that overlaps the next one only up to its beginning, so that the next name is visible. */
function placePhase(
  element: HTMLElement,
  phase: Phase,
  next: Phase | undefined,
  { view }: SharedTime,
  width: number,
): void {
  const endNs = next === undefined ? phase.endNs : Math.max(phase.startNs, Math.min(phase.endNs, next.startNs));
  const [left, right] = [toPixels(view, width, phase.startNs), toPixels(view, width, endNs)];
  // A phase that is zoomed in on keeps its name visible.
  const [from, to] = [Math.max(left, 0), Math.min(right, width)];
  element.hidden = to - from < 2;
  element.style.left = `${from}px`;
  element.style.width = `${Math.max(to - from, 2)}px`;
}
