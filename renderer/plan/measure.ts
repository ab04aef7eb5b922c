/** Measures the lifted steps before and after the chosen changes, on an engine that executes the program's skeleton. */
import { CopyscopeError } from '../../core/errors.ts';
import { attempt, host } from '../store/host.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { ensureRun, finished, startRun } from '../store/runs.ts';
import { state } from '../store/store.ts';
import {
  addMeasured,
  type Choice,
  liftedExperiment,
  measuredKey,
  type PlanState,
  planOf,
  showMeasured,
} from './planStore.ts';

/** Returns the shown measured runs, before and after; null if simulated lanes are shown or these weren't measured. */
export function measuredPair({ measuredOn, measured, choice }: PlanState): readonly [LoadedRun, LoadedRun] | null {
  if (measuredOn === null) return null;
  const [before, after] = [measured[measuredKey(measuredOn, [])], measured[measuredKey(measuredOn, choice)]];
  return before === undefined || after === undefined ? null : [before, after];
}

/** Runs both on an engine, unless they have run there, and shows them. */
export const measureChanges = (run: LoadedRun, changes: Choice, engine: string): Promise<void> =>
  attempt('The changes could not be measured', async () => {
    for (const some of [[], changes]) if (!(await measure(run, some, engine))) return;
    showMeasured(run.id, engine);
  });

/** The run being measured. */
let underWay: string | null = null;

/** Resolves with false if the user cancelled the run. */
async function measure(run: LoadedRun, changes: Choice, engine: string): Promise<boolean> {
  if (planOf(run.id).measured[measuredKey(engine, changes)] !== undefined) return true;
  const id = await startRun(await liftedExperiment(run, changes), engine);
  underWay = id;
  if (id === null || (await finished(id)) === 'cancelled') return false;
  await ensureRun(id);
  const loaded = state().loadedRuns[id];
  if (loaded?.status !== 'ready') {
    const error = loaded?.status === 'failed' ? loaded.error : state().runs[id]?.error;
    throw new CopyscopeError(error ?? { code: 'run.missing', message: `The run ${id} can’t be read.` });
  }
  addMeasured(run.id, engine, changes, loaded.value);
  return true;
}

/** Cancels the run being measured. */
export const cancelMeasuring = (): Promise<void> =>
  attempt('The measurement could not be cancelled', async () => {
    if (underWay !== null && state().runs[underWay]?.status === 'running') await host().cancelRun(underWay);
  });
