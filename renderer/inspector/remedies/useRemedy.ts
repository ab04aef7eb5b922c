/** The remedy of a verdict, predicted when its card is shown. */
import { useEffect, useSyncExternalStore } from 'react';
import { isTested } from '../../../core/remedies/remedy.ts';
import type { Verdict } from '../../../core/verdicts/verdict.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { askRemedy, type RemedyState, remedyOf, subscribe } from './remedyQueue.ts';

export function useRemedy(run: LoadedRun, verdict: Verdict): RemedyState {
  const { op } = verdict;
  const isAsked = isTested(verdict) && run.run.info.experiment !== null;
  const remedy = useSyncExternalStore(subscribe, () => remedyOf(run, op));
  useEffect(() => {
    if (isAsked && remedy === null) askRemedy(run, verdict);
  }, [run, verdict, isAsked, remedy]);
  return isAsked ? (remedy ?? 'testing') : 'none';
}
