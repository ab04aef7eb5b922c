/** The plans of the opened traces, and the functions that request them. */
import { create } from 'zustand';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { RemedyAnswer } from '../../core/lift/answers.ts';
import { type ChangeWord, changeWords } from '../../core/lift/changes/words.ts';
import type { PlanStep } from '../../core/lift/planSteps.ts';
import { CalledWorker } from '../common/workerCalls.ts';
import { predictingProfile } from '../store/attainable.ts';
import { host } from '../store/host.ts';
import { announce } from '../store/notify.ts';
import { LoadedRun } from '../store/opened/loadedRun.ts';
import { shownRunId } from '../store/select.ts';
import { state, whenRunGoes, withEntry } from '../store/store.ts';
import type { PlanCalls, ShownSteps } from './messages.ts';

/** The chosen changes: single ones, or all of a remedy. */
export type Choice = readonly ChangeWord[];

/** Pairs of changes that exclude each other. */
const excluded: readonly (readonly [ChangeWord, ChangeWord])[] = [
  ['pin', 'pin-each-step'],
  ['remove-wait', 'delay-wait'],
];

const otherOf = (word: ChangeWord): ChangeWord[] =>
  excluded.flatMap(([a, b]) => (word === a ? [b] : word === b ? [a] : []));

export const isOn = (choice: Choice, changes: Choice): boolean => changes.every((word) => choice.includes(word));

/** Adds the missing changes in place of those that they exclude, or removes all if none is missing. */
export function toggled(choice: Choice, changes: Choice): Choice {
  if (isOn(choice, changes)) return choice.filter((word) => !changes.includes(word));
  const against = changes.flatMap(otherOf);
  return changeWords.filter((word) => changes.includes(word) || (choice.includes(word) && !against.includes(word)));
}

/** Returns the changes of all remedies of a plan in their usual order. */
export const wordsOf = (plan: readonly { readonly changes: Choice }[]): Choice =>
  changeWords.filter((word) => plan.some(({ changes }) => changes.includes(word)));

/** The window's side of the worker that computes plans: one worker, for the shown trace. */
const worker = new CalledWorker<PlanCalls>(
  () => new Worker(new URL('./planWorker.ts', import.meta.url), { type: 'module', name: 'plan' }),
  (why) => ({
    code: 'plan.worker-ended',
    message: `The thread that works out the plan ended: ${why}.`,
    remedy: 'Try again; a trace this large may need more memory than there is.',
  }),
);

/** Calls reject with the worker's error, with `plan.cancelled`, or with `plan.worker-ended`. */
const planCalls = (): typeof worker.calls => worker.calls;

/** Ends the current work, which would go on with one simulation after another. */
const endPlanWorker = (): void => worker.end({ code: 'plan.cancelled', message: 'It was cancelled.' });

export interface PlanState {
  /** Description of the current work, or null. */
  readonly doing: string | null;
  readonly error: ErrorInfo | null;
  readonly isCancelled: boolean;
  /** Name of the profile that supplies what the trace lacks. */
  readonly profile: string | null;
  readonly knownStepNs: number | null;
  readonly steps: ShownSteps | null;
  /** Answer in a sentence; empty before the plan exists. */
  readonly answer: string;
  readonly planSteps: readonly PlanStep[];
  readonly plan: readonly RemedyAnswer[] | null;
  readonly choice: Choice;
  /** Gains of sets of changes, by their words. */
  readonly tried: Readonly<Record<string, RemedyAnswer>>;
  /** True if lanes before and after the chosen changes are shown. */
  readonly trying: boolean;
  /** Simulated lanes by the words of their changes; the empty key is the unchanged program. */
  readonly lanes: Readonly<Record<string, LoadedRun>>;
  /** Key of the engine whose measured lanes replace the simulated ones, or null. */
  readonly measuredOn: string | null;
  /** Measured runs of sets of changes, by measuredKey(). */
  readonly measured: Readonly<Record<string, LoadedRun>>;
}

const initial: PlanState = {
  doing: null,
  error: null,
  isCancelled: false,
  profile: null,
  knownStepNs: null,
  steps: null,
  answer: '',
  planSteps: [],
  plan: null,
  choice: [],
  tried: {},
  trying: false,
  lanes: {},
  measuredOn: null,
  measured: {},
};

export const usePlans = create<Readonly<Record<string, PlanState>>>()(() => ({}));

export const planOf = (id: string): PlanState => usePlans.getState()[id] ?? initial;
export const usePlan = (id: string): PlanState => usePlans((plans) => plans[id] ?? initial);

/** Changes the state of a plan, unless its run was deleted. */
function change(id: string, part: Partial<PlanState>): void {
  if (state().runs[id] !== undefined) usePlans.setState({ [id]: { ...planOf(id), ...part } });
}

whenRunGoes((id) => {
  if (atWorker === id) {
    atWorker = null;
    endPlanWorker();
  }
  usePlans.setState((plans) => withEntry<PlanState>(plans, id, undefined), true);
});

/** The run that the worker has open. */
let atWorker: string | null = null;

export const keyOf = (choice: Choice): string => choice.join(' ');
export const measuredKey = (engine: string, choice: Choice): string => `${engine} ${keyOf(choice)}`;
export const chosenGain = ({ choice, tried }: PlanState): RemedyAnswer | null => tried[keyOf(choice)] ?? null;

/** Returns the changes whose lanes before and after are shown, or undefined. */
export function triedChanges(): Choice | undefined {
  const { trying, choice } = planOf(shownRunId(state()) ?? '');
  return trying && choice.length > 0 ? choice : undefined;
}

/** Computes steps and plan, unless they exist, are under way, or were cancelled. */
export function ensurePlan(run: LoadedRun): void {
  const { doing, error, isCancelled, plan } = planOf(run.id);
  if (plan === null && doing === null && error === null && !isCancelled) void workOut(run);
}

/** Computes them again. `knownStepNs` is the user's step time without a profiler, if known. */
export async function workOut(run: LoadedRun, knownStepNs: number | null = planOf(run.id).knownStepNs): Promise<void> {
  const { id } = run;
  const { choice, steps, trying } = planOf(id);
  change(id, { ...initial, steps, knownStepNs, choice, trying });
  await during(id, 'Finding the steps', async () => {
    change(id, { steps: await opened(run, true) });
    change(id, { doing: 'Trying what changes gain' });
    const { answer, plan, planSteps } = await planCalls().plan();
    const tried = Object.fromEntries(plan.map((remedy) => [keyOf(remedy.changes), remedy]));
    const first = planSteps.at(-1)?.changes ?? plan[0]?.changes ?? [];
    change(id, { answer, planSteps, plan, tried, choice: choice.length > 0 ? choice : first, doing: null });
    announce(answer);
  });
  const { plan } = planOf(id);
  if (plan !== null) await tryChoice(run);
}

export function cancelPlan(id: string): void {
  change(id, { isCancelled: true });
  atWorker = null;
  endPlanWorker();
}

/** Toggles the changes, and requests the exact gain of the new choice. */
export function choose(run: LoadedRun, changes: Choice): Promise<void> {
  change(run.id, { choice: toggled(planOf(run.id).choice, changes) });
  return tryChoice(run);
}

/** Chooses these changes and no others. */
export function chooseOnly(run: LoadedRun, changes: Choice): Promise<void> {
  change(run.id, { choice: changes });
  return tryChoice(run);
}

/** Shows lanes before and after the chosen changes, or those of the recording again. */
export function setTrying(run: LoadedRun, trying: boolean): Promise<void> {
  change(run.id, { trying });
  return tryChoice(run);
}

async function tryChoice(run: LoadedRun): Promise<void> {
  const { id } = run;
  const { choice, trying, lanes } = planOf(id);
  const needsGain = choice.length > 0 && chosenGain(planOf(id)) === null;
  const needed = trying ? [[], choice].filter((changes) => lanes[keyOf(changes)] === undefined) : [];
  if (!needsGain && needed.length === 0) return;
  await during(id, 'Predicting the chosen changes', async () => {
    await opened(run);
    if (needsGain) {
      const remedy = await planCalls().try(choice);
      change(id, { tried: { ...planOf(id).tried, [keyOf(choice)]: remedy } });
    }
    for (const changes of needed) {
      const { run: made, iteration, counters } = await planCalls().lanes(changes);
      const loaded = new LoadedRun(`tried:${id} ${keyOf(changes)}`, made, iteration, { counters });
      change(id, { lanes: { ...kept(planOf(id).lanes), [keyOf(changes)]: loaded } });
    }
  });
}

/** Keeps the unchanged lanes and the last few others, since each holds every row of its steps. */
const kept = (lanes: PlanState['lanes']): PlanState['lanes'] =>
  Object.fromEntries(Object.entries(lanes).filter(([key], at, all) => key === '' || at >= all.length - mostLanes));
const mostLanes = 6;

/** Shows the measured lanes of an engine, or the simulated ones for null. */
export const showMeasured = (id: string, measuredOn: string | null): void => change(id, { measuredOn });

export const addMeasured = (id: string, engine: string, choice: Choice, run: LoadedRun): void =>
  change(id, { measured: { ...planOf(id).measured, [measuredKey(engine, choice)]: run } });

/** Returns the lifted experiment with these changes. Rejects as liftTrace() throws. */
export async function liftedExperiment(run: LoadedRun, changes: Choice) {
  await opened(run);
  return planCalls().lift(changes);
}

/** Opens the run in the worker, unless it is open there. */
async function opened(run: LoadedRun, anew = false): Promise<ShownSteps | null> {
  const { id } = run;
  if (atWorker === id && !anew) return planOf(id).steps;
  // Drops work for another trace or another step time, since no view waits for it.
  if (atWorker !== null) endPlanWorker();
  atWorker = id;
  const profile = await predictingProfile(run.run.info, state().profiles, host());
  if (profile === null) {
    atWorker = null;
    throw new CopyscopeError({
      code: 'profile.missing',
      message: 'There is no device profile to predict with.',
      remedy: 'Calibrate one for this GPU, or open one.',
    });
  }
  change(id, { profile: profile.name });
  return planCalls().open(run.run, profile, planOf(id).knownStepNs);
}

/** Runs `work` and stores its error in the plan. Cancelled work leaves no error, so that it runs again when shown. */
async function during(id: string, doing: string, work: () => Promise<void>): Promise<void> {
  change(id, { doing });
  try {
    await work();
    change(id, { doing: null });
  } catch (thrown) {
    const error = toErrorInfo(thrown);
    if (error.code !== 'plan.cancelled' && atWorker === id) atWorker = null;
    change(id, { doing: null, error: error.code === 'plan.cancelled' ? null : error });
  }
}
