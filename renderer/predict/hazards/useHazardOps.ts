/** The hazards of the open experiment, by operation: for marking them in the lanes of a run that was made from it. */

import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { isOfPresent } from '../../store/select.ts';
import { useApp } from '../../store/store.ts';
import { type HazardsByOp, noHazards } from './hazardsByOp.ts';
import { useHazardMarks } from './useHazards.ts';

/** Empty where the experiment has none, has been changed since, or they are still being looked for. */
export function useHazardOps(run: LoadedRun): HazardsByOp {
  const found = useHazardMarks();
  const isPresent = useApp((state) => isOfPresent(state, run));
  return isPresent && found.size > 0 ? found : noHazards;
}
