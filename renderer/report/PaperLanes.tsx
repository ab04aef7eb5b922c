/** The lanes of a run on paper: a drawing in the light theme with every lane. */
import { useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { lanesSvg } from '../timeline/picture/lanesSvg.ts';
import { limitsOf, type TimeView } from '../timeline/time/timeView.ts';
import classes from './Report.module.css';

/** Returns true while the page is printed, in time for a drawing for paper. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const media = window.matchMedia('print');
    const set = (now: boolean) => (): void => flushSync(() => setPrinting(now));
    window.addEventListener('beforeprint', set(true), { signal });
    window.addEventListener('afterprint', set(false), { signal });
    media.addEventListener('change', () => set(media.matches)(), { signal });
    return () => stop.abort();
  }, []);
  return printing;
}

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly title: string;
  readonly about: string;
  /** Part of the iteration to draw; left out, all of it. */
  readonly shown?: TimeView;
  /** Time scale shared by all runs of a comparison. */
  readonly extentNs?: number;
}

/** Width in pixels that keeps text readable on A4 and letter paper. */
const paperWidth = 900;

export function PaperLanes({ run, view, title, about, shown, extentNs = view.makespanNs }: Props) {
  const { text } = useMemo(
    () => lanesSvg({ run, view, title, about, shown: shown ?? limitsOf(extentNs), width: paperWidth, scheme: 'light' }),
    [run, view, title, about, shown, extentNs],
  );
  return (
    <figure
      className={classes['paperLanes']}
      aria-label={`Lanes of ${title}`}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a drawing of our own, in which names are escaped (svgPen.ts).
      dangerouslySetInnerHTML={{ __html: text }}
    />
  );
}
