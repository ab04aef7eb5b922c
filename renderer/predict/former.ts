/** The predicted makespan of a document before the last edit that changed it. */
import { create } from 'zustand';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { copiedAs } from '../store/ownCopy.ts';
import { loadedRun, pageDocumentKey, predictionId } from '../store/select.ts';
import { state, watch } from '../store/store.ts';
import type { AppState } from '../store/types.ts';
import { isLongerThan, predict } from './predict.ts';
import { chosenProfile } from './usePrediction.ts';

interface Formers {
  /** Makespans by the prediction's id. */
  readonly makespans: Readonly<Record<string, number>>;
}

const useFormers = create<Formers>()(() => ({ makespans: {} }));

/** Null without an edit, and for runs that are no predictions, since executed runs don't change. */
export const useFormerMakespan = (run: string): number | null => useFormers(({ makespans }) => makespans[run] ?? null);

/** Called once at the start of the window. */
export function followMakespans(): void {
  watch((now, before) => {
    if (now.documents !== before.documents) forgetGone(now.documents, before.documents);
    if (now.loadedRuns === before.loadedRuns) return;
    const key = pageDocumentKey(now) ?? '';
    const id = predictionId(key);
    const [made, last] = [loadedRun(now, id), loadedRun(before, id)];
    if (made === null || made === last) return;
    const copied = copiedAs(key);
    if (last !== null) note(id, last, made);
    else if (copied !== null) void noteCopied(id, copied, made);
  });
}

function forgetGone(now: AppState['documents'], before: AppState['documents']): void {
  const gone = new Set(
    Object.keys(before)
      .filter((key) => now[key] === undefined)
      .map(predictionId),
  );
  if (gone.size === 0) return;
  const { makespans } = useFormers.getState();
  useFormers.setState({ makespans: Object.fromEntries(Object.entries(makespans).filter(([id]) => !gone.has(id))) });
}

/** Longer programs aren't simulated again only for this mark. */
const mostOperations = 4000;

/** Simulates the original when an example's first edit made a copy, since the copy has no earlier prediction. */
async function noteCopied(id: string, copied: Experiment, made: LoadedRun): Promise<void> {
  if (isLongerThan(mostOperations, copied)) return;
  const profile = await chosenProfile();
  if (profile === null || profile.name !== made.run.info.profile || loadedRun(state(), id) !== made) return;
  const formerNs = predict(copied, profile, state().about?.version ?? '').iteration.makespanNs;
  if (formerNs !== made.view(null).makespanNs) keep(id, formerNs);
}

const keep = (id: string, formerNs: number): void =>
  useFormers.setState(({ makespans }) => ({ makespans: { ...makespans, [id]: formerNs } }));

/** Notes the old makespan after an edit that changed it. Another device profile is no edit and clears the note. */
function note(id: string, last: LoadedRun, made: LoadedRun): void {
  const [formerNs, nowNs] = [last.view(null).makespanNs, made.view(null).makespanNs];
  if (formerNs === nowNs) return;
  const isEdit =
    last.run.info.experiment !== made.run.info.experiment && last.run.info.profile === made.run.info.profile;
  // The empty program ended at time 0, so that there is nothing to compare with.
  if (isEdit && formerNs > 0) {
    keep(id, formerNs);
    return;
  }
  const { [id]: _, ...others } = useFormers.getState().makespans;
  useFormers.setState({ makespans: others });
}
