/** The lanes of a run on paper: a drawing in the light theme with every lane. */
import { useMemo } from 'react';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { lanesSvg } from '../timeline/picture/lanesSvg.ts';
import type { TimeView } from '../timeline/time/timeView.ts';
import { limitsOf } from '../timeline/time/timeView.ts';
import classes from './Report.module.css';

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
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a drawing of our own, in which names are escaped (svgParts.ts).
      dangerouslySetInnerHTML={{ __html: text }}
    />
  );
}
