/**
 * Before and after an edit: what the makespan of a document's prediction was before the last edit that changed it. The
 * first edit of an example goes on in a copy, whose own prediction comes before the edit's.
 */
import { create } from 'zustand';
import type { LoadedRun } from './opened/loadedRun.ts';
import { loadedRun, pageDocumentKey, predictionId } from './select.ts';
import { watch } from './store.ts';

interface Formers {
  /** By the prediction's id. */
  readonly makespans: Readonly<Record<string, number>>;
}

const useFormers = create<Formers>()(() => ({ makespans: {} }));

/** Null where nothing was edited, and for runs that are no predictions: what was executed stays as it is. */
export const useFormerMakespan = (run: string): number | null => useFormers(({ makespans }) => makespans[run] ?? null);

/** Called once, when the window begins. */
export function followMakespans(): void {
  watch((now, before) => {
    if (now.loadedRuns === before.loadedRuns) return;
    const id = predictionId(pageDocumentKey(now) ?? '');
    const [made, last] = [loadedRun(now, id), loadedRun(before, id)];
    if (made !== null && last !== null && made !== last) note(id, last, made);
  });
}

/** A name changes no makespan, and leaves what was; another device profile is no edit, and leaves nothing to compare. */
function note(id: string, last: LoadedRun, made: LoadedRun): void {
  const [formerNs, nowNs] = [last.view(null).makespanNs, made.view(null).makespanNs];
  if (formerNs === nowNs) return;
  const isEdit =
    last.run.info.experiment !== made.run.info.experiment && last.run.info.profile === made.run.info.profile;
  const { [id]: _, ...others } = useFormers.getState().makespans;
  useFormers.setState({ makespans: isEdit ? { ...others, [id]: formerNs } : others });
}
