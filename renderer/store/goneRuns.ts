/** Runs deleted from the library, whose data in the window must go too. */
import { watch } from './store.ts';

/** Calls `forget` for each deleted run, also if another window or program deleted it. */
export function whenRunGoes(forget: (id: string) => void): void {
  watch((now, before) => {
    if (now.runs === before.runs) return;
    for (const id of Object.keys(before.runs)) if (now.runs[id] === undefined) forget(id);
  });
}
