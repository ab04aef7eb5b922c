/** The hazards of the open experiment, by operation: for marking them in the lanes of a run that was made from it. */
import { useMemo } from 'react';
import type { LoadedRun } from '../app/loadedRun.ts';
import { isOfPresent } from '../app/store/select.ts';
import { useApp } from '../app/store/store.ts';
import { useHazards } from '../inspector/useHazards.ts';

/** Titles of the hazards that an operation has part in, by its number. */
export type HazardOps = ReadonlyMap<number, readonly string[]>;

const none: HazardOps = new Map();

/** Empty where the experiment has none, has been changed since, or they are still being looked for. */
export function useHazardOps(run: LoadedRun): HazardOps {
  const report = useHazards();
  const isPresent = useApp((state) => isOfPresent(state, run));
  return useMemo(() => {
    if (report === null || !isPresent || report.hazards.length === 0) return none;
    const titles = new Map<number, string[]>();
    for (const { first, second, title } of report.hazards) {
      for (const op of new Set([first.op, second.op])) titles.set(op, [...(titles.get(op) ?? []), title]);
    }
    return titles;
  }, [report, isPresent]);
}
