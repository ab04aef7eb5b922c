/** One experiment on several machines at once: which were chosen, and what is begun on each. */
import { create } from 'zustand';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { announce } from '../store/announce.ts';
import { type EngineOption, effectiveEngine, parseEngineKey } from '../store/engines.ts';
import { attempt } from '../store/host.ts';
import { needMachine } from '../store/machines.ts';
import { finished, startRun } from '../store/runs.ts';
import { currentEngineOptions, currentExperiment } from '../store/select.ts';
import { state } from '../store/store.ts';
import { openComparison } from './actions.ts';
import { setCompare } from './compareStore.ts';
import { placeOf } from './names.ts';

interface Several {
  readonly isOpen: boolean;
  /** Keys of engines, in the order in which they were chosen: the first is what the others are compared with. */
  readonly chosen: readonly string[];
}

export const useSeveral = create<Several>()(() => ({ isOpen: false, chosen: [] }));

/** Opens the list, with what was chosen last; at first with the engine that is picked. */
export function chooseSeveral(): void {
  const { chosen } = useSeveral.getState();
  const picked = effectiveEngine(offeredEngines(currentEngineOptions(state())), state().engine);
  useSeveral.setState({ isOpen: true, chosen: chosen.length > 0 || picked === null ? chosen : [picked] });
}

export const closeSeveral = (): void => useSeveral.setState({ isOpen: false });

/** A recording can't be run. */
export const offeredEngines = (options: readonly EngineOption[]): readonly EngineOption[] =>
  options.filter(({ key }) => parseEngineKey(key).kind !== 'recorded');

/** A machine that is chosen is asked for its devices, as one that is picked to run on. */
export function setChosen(chosen: readonly string[]): void {
  const added = chosen.filter((key) => !useSeveral.getState().chosen.includes(key));
  useSeveral.setState({ chosen });
  for (const key of added) {
    const engine = parseEngineKey(key);
    if ((engine.kind === 'cuda' || engine.kind === 'cpu') && engine.machine !== undefined)
      void needMachine(engine.machine);
  }
}

/** Begins the experiment on each of them, and opens the comparison: what comes is shown there, and what fails. */
export const runOnSeveral = (engines: readonly EngineOption[]): Promise<void> =>
  attempt('The experiment could not be run', async () => {
    const experiment = currentExperiment(state());
    if (experiment === null) return;
    closeSeveral();
    const begun = await Promise.all(engines.map((engine) => begin(experiment, engine)));
    const ids = begun.flatMap((one) => ('id' in one ? one.id : []));
    const notStarted = begun.flatMap((one) => ('error' in one ? one : []));
    const [problem] = notStarted;
    if (ids.length === 0 && problem !== undefined) throw new CopyscopeError(problem.error);
    openComparison(ids);
    setCompare({ by: 'machines', notStarted });
    announce(`Running on ${ids.length} machines`);
    for (const id of ids) void announceEnd(id);
  });

type Begun = { readonly id: string } | { readonly name: string; readonly error: ErrorInfo };

/** What keeps one from beginning is no reason for the others not to. */
async function begin(experiment: Experiment, { key, label }: EngineOption): Promise<Begun> {
  try {
    const id = await startRun(experiment, key);
    if (id !== null) return { id };
    return { name: label, error: { code: 'engine.unavailable', message: 'This is a recording.' } };
  } catch (thrown) {
    return { name: label, error: toErrorInfo(thrown) };
  }
}

async function announceEnd(id: string): Promise<void> {
  const status = await finished(id);
  const run = state().runs[id];
  if (run !== undefined) announce(`${placeOf(run)}: ${status}`);
}
