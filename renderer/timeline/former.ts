/** Before and after an edit: what the makespan was before the last one that changed it. */
import { useRef } from 'react';
import { formatDuration, formatRange } from '../../core/units.ts';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { isPrediction } from '../store/select.ts';

interface Seen {
  readonly run: LoadedRun;
  readonly makespanNs: number;
  /** Null before anything was edited. */
  readonly formerNs: number | null;
}

/** Null where nothing was edited, or the run is no prediction: what was executed stays as it is. */
export function useFormerMakespan(run: LoadedRun, { makespanNs }: IterationView): number | null {
  const last = useRef<Seen | null>(null);
  last.current = follow(last.current, run, makespanNs);
  return last.current.formerNs;
}

/** An edit is another experiment in the same place; another device profile is none. */
function follow(before: Seen | null, run: LoadedRun, makespanNs: number): Seen {
  if (before === null || before.run.id !== run.id || !isPrediction(run.id)) return { run, makespanNs, formerNs: null };
  if (before.run === run) return before;
  const isEdit = before.run.run.info.experiment !== run.run.info.experiment;
  if (isEdit && before.makespanNs !== makespanNs) return { run, makespanNs, formerNs: before.makespanNs };
  return { run, makespanNs, formerNs: before.makespanNs === makespanNs ? before.formerNs : null };
}

const unitOf = (text: string): string => text.slice(text.indexOf(' ') + 1);

/** '1.32 to 6.16 ms, +4.84'. The difference has its unit where it is another one. */
export function changeText(beforeNs: number, afterNs: number): string {
  const range = formatRange(beforeNs, afterNs, formatDuration);
  const difference = formatDuration(Math.abs(afterNs - beforeNs));
  const [from, to] = [beforeNs, afterNs].map((value) => unitOf(formatDuration(value)));
  const isShared = from === to && to === unitOf(difference);
  const amount = isShared ? difference.slice(0, difference.indexOf(' ')) : difference;
  return `${range}, ${afterNs < beforeNs ? '−' : '+'}${amount}`;
}
