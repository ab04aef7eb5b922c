/** Actions on a plan: try its lifted experiment, or edit it. */
import { openComparison } from '../compare/actions.ts';
import { setCompare } from '../compare/compareStore.ts';
import { attempt, host } from '../store/host.ts';
import { listExperiments } from '../store/hostEvents.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { openPage } from '../store/pages.ts';
import { finished, startRun } from '../store/runs.ts';
import { state, whenRunGoes } from '../store/store.ts';
import { type Choice, keyOf, liftedExperiment, planOf } from './planStore.ts';

/** Runs simulated for a trace, kept so that another look needs no simulation. */
const simulated = new Map<string, string>();

whenRunGoes((id) => {
  for (const [key, run] of simulated) if (run === id || key.startsWith(`${id} `)) simulated.delete(key);
});

/** Simulates the lifted steps without and with the changes, and compares both runs in full. */
export const compareChanges = (run: LoadedRun, changes: Choice): Promise<void> =>
  attempt('The changes could not be tried', async () => {
    const before = await simulatedRun(run, []);
    const after = await simulatedRun(run, changes);
    if (before === null || after === null) return;
    openComparison([before, after]);
    setCompare({ alignment: null });
  });

async function simulatedRun(run: LoadedRun, changes: Choice): Promise<string | null> {
  const { profile, knownStepNs } = planOf(run.id);
  const key = `${run.id} ${profile} ${knownStepNs} ${keyOf(changes)}`;
  const known = simulated.get(key);
  if (known !== undefined && state().runs[known]?.status === 'complete') return known;
  const id = await startRun(await liftedExperiment(run, changes), `sim:${profile}`);
  if (id === null) return null;
  simulated.set(key, id);
  // The comparison shows the run's outcome.
  await finished(id);
  return id;
}

/** Saves the lifted experiment with the changes in the library, and opens it. */
export const editAsExperiment = (run: LoadedRun, changes: Choice): Promise<void> =>
  attempt('The trace could not be made an experiment', async () => {
    const id = await host().saveExperiment(null, await liftedExperiment(run, changes));
    await listExperiments();
    openPage({ kind: 'experiment', id });
  });
