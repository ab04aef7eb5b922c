/** Runs that have left the library: what a part of the window keeps for one of them goes with it. */
import { watch } from './store.ts';

/** `forget` is told of each run that goes, from here or elsewhere. */
export function whenRunGoes(forget: (id: string) => void): void {
  watch((now, before) => {
    if (now.runs === before.runs) return;
    for (const id of Object.keys(before.runs)) if (now.runs[id] === undefined) forget(id);
  });
}
