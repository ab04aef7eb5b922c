/** Remedies of verdicts, predicted in a worker one after another. */

import { useEffect, useSyncExternalStore } from 'react';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { maxTriedInstructions } from '../../../core/explain/remedies/predict.ts';
import { isTested, type Remedy } from '../../../core/explain/remedies/remedy.ts';
import type { Verdict } from '../../../core/explain/verdicts/verdict.ts';
import { type Shown, showsMachineCosts } from '../../../core/machine/cost/runCosts.ts';
import { Listeners } from '../../common/listeners.ts';
import { askAbout } from '../../predict/openDocument.ts';
import { isLongerThan } from '../../predict/predict.ts';
import { predictingProfile } from '../../store/attainable.ts';
import { host } from '../../store/host.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { currentExperiment } from '../../store/select.ts';
import { state, watch } from '../../store/store.ts';

export interface PredictedRemedy {
  readonly remedy: Remedy;
  /** Name of the profile used for the prediction. */
  readonly profile: string;
  /** True if the run's own rates replaced those of the profile. */
  readonly ownRates: boolean;
}

/** testing: under way. none: there is nothing to test, or it can't be tested. */
export type RemedyState = PredictedRemedy | 'testing' | 'none';

const known = new WeakMap<LoadedRun, Map<number, RemedyState>>();

interface Question {
  readonly run: LoadedRun;
  readonly experiment: Experiment;
  readonly verdict: Verdict;
}

/** Questions under way or queued. */
const asked = new Set<Question>();
/** Questions run one at a time, so that an edit can drop those that it makes needless. */
let line: Promise<void> = Promise.resolve();
/** Costs seen in each run, from its first answer, so that a run is sent once. */
const shownByRuns = new WeakMap<LoadedRun, Shown>();
const { subscribe, tell } = new Listeners();

/** Returns null before the question was asked. */
export const remedyOf = (run: LoadedRun, op: number): RemedyState | null => known.get(run)?.get(op) ?? null;

function put(run: LoadedRun, op: number, found: RemedyState): void {
  const own = known.get(run) ?? new Map<number, RemedyState>();
  known.set(run, own.set(op, found));
  tell();
}

/** Asks for a remedy that isn't known yet. An edit drops unanswered questions. */
export function askRemedy(run: LoadedRun, verdict: Verdict): void {
  const { experiment } = run.run.info;
  if (experiment === null || known.get(run)?.has(verdict.op) === true) return;
  put(run, verdict.op, 'testing');
  const question = { run, experiment, verdict };
  asked.add(question);
  line = line.then(() => settle(question));
}

async function settle(question: Question): Promise<void> {
  if (!asked.has(question)) return;
  // If the worker fails, the verdict stays without a remedy, and the next card starts a new worker.
  const found = await predicted(question).catch(() => 'none' as const);
  if (asked.delete(question)) put(question.run, question.verdict.op, found);
}

async function predicted({ run, experiment, verdict }: Question): Promise<RemedyState> {
  // The worker would refuse longer programs.
  if (isLongerThan(maxTriedInstructions, experiment)) return 'none';
  const profile = await predictingProfile(run.run.info, state().profiles, host());
  if (profile === null) return 'none';
  const shown = shownByRuns.get(run) ?? null;
  const { info, trace } = run.run;
  const unread = shown === null && showsMachineCosts(run.run) ? { info: { ...info, experiment: null }, trace } : null;
  const answer = await askAbout(experiment, profile).remedy({ verdict, shown, run: unread });
  if (answer === null) return 'none';
  if (answer.shown !== null) shownByRuns.set(run, answer.shown);
  const ownRates = (shownByRuns.get(run)?.size ?? 0) > 0;
  return answer.remedy === null ? 'none' : { remedy: answer.remedy, profile: profile.name, ownRates };
}

// Cards that are shown again ask again.
watch((now, before) => {
  if (currentExperiment(now) === currentExperiment(before)) return;
  for (const { run, verdict } of asked) known.get(run)?.delete(verdict.op);
  asked.clear();
});

/** The remedy of a verdict, predicted when its card is shown. */
export function useRemedy(run: LoadedRun, verdict: Verdict): RemedyState {
  const { op } = verdict;
  const isAsked = isTested(verdict) && run.run.info.experiment !== null;
  const remedy = useSyncExternalStore(subscribe, () => remedyOf(run, op));
  useEffect(() => {
    if (isAsked && remedy === null) askRemedy(run, verdict);
  }, [run, verdict, isAsked, remedy]);
  return isAsked ? (remedy ?? 'testing') : 'none';
}
