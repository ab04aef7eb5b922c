/** Stored arrangements of lanes: one for each experiment, whose runs have the same lanes, or imported run. */
import { useSyncExternalStore } from 'react';
import { Listeners } from '../../common/listeners.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { forget, recall, remember } from '../../store/settings.ts';
import { whenRunGoes } from '../../store/store.ts';
import { type Arrangement, arrangementSchema, isNatural, naturalArrangement } from './arrangement.ts';

const known = new Map<string, Arrangement>();
const { subscribe, tell } = new Listeners();

/** Runs of the same key share an arrangement. */
export const arrangementKey = ({ id, run }: LoadedRun): string =>
  run.info.experiment === null ? keyOfRun(id) : `lanes:${run.info.experiment.name}`;
const keyOfRun = (id: string): string => `lanes:run ${id}`;

// A stored one is there again if its run is restored.
whenRunGoes((id) => known.delete(keyOfRun(id)));

export function arrangementOf(run: LoadedRun): Arrangement {
  const key = arrangementKey(run);
  const found = known.get(key) ?? stored(key);
  known.set(key, found);
  return found;
}

/** Returns the natural arrangement if the stored one can't be read. */
function stored(key: string): Arrangement {
  const text = recall(key);
  if (text === null) return naturalArrangement;
  try {
    return arrangementSchema.parse(JSON.parse(text));
  } catch {
    return naturalArrangement;
  }
}

export function arrange(run: LoadedRun, arrangement: Arrangement): void {
  const key = arrangementKey(run);
  known.set(key, arrangement);
  if (isNatural(arrangement)) forget(key);
  else remember(key, JSON.stringify(arrangement));
  tell();
}

export const useArrangement = (run: LoadedRun): Arrangement =>
  useSyncExternalStore(subscribe, () => arrangementOf(run));
