/** The hazards of the open experiment, by operation: for marking them in the lanes of a run that was made from it. */
import type { LoadedRun } from '../app/loadedRun.ts';
import { isOfPresent } from '../app/store/select.ts';
import { useApp } from '../app/store/store.ts';
import type { HazardsByOp } from '../inspector/hazardsByOp.ts';
import { useHazardMarks } from '../inspector/useHazards.ts';

const none: HazardsByOp = new Map();

/** Empty where the experiment has none, has been changed since, or they are still being looked for. */
export function useHazardOps(run: LoadedRun): HazardsByOp {
  const found = useHazardMarks();
  const isPresent = useApp((state) => isOfPresent(state, run));
  return isPresent && found.size > 0 ? found : none;
}
