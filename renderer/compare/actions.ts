/** Opens comparisons: of chosen runs, or of a run with its prediction. */
import { CopyscopeError } from '../../core/errors.ts';
import { profileOfDevice } from '../../core/machine/profile/profile.ts';
import { isTraced, type RunInfo } from '../../core/trace/run.ts';
import { effectiveEngine, parseEngineKey } from '../store/engines.ts';
import { attempt } from '../store/host.ts';
import { openPage } from '../store/pages.ts';
import { ensureRun, finished, startRun } from '../store/runs.ts';
import { currentEngineOptions, loadedRun } from '../store/select.ts';
import { state } from '../store/store.ts';
import { setCompare } from './compareStore.ts';

/** Opens a comparison. The first run is the base of the others. */
export function openComparison(ids: readonly string[]): void {
  setCompare({ iterations: {}, other: null, by: null, alignment: { op: 0, edge: 'issue' } });
  openPage({ kind: 'compare', runs: [...new Set(ids)] });
}

/** Opens a comparison with one run, and the list to choose others from. */
export function compareWith(id: string): void {
  openComparison([id]);
  setCompare({ chooserOpen: true });
}

/** Simulates a run's experiment with its device's profile, and opens both. */
export const comparePrediction = (id: string): Promise<void> =>
  attempt('The prediction could not be made', async () => {
    await ensureRun(id);
    const run = loadedRun(state(), id);
    const experiment = run?.run.info.experiment ?? null;
    if (run === null || experiment === null) {
      throw new CopyscopeError({
        code: 'experiment.missing',
        message: 'This run holds no experiment that could be simulated.',
        remedy: 'Compare it with another run.',
      });
    }
    const engine = `sim:${profileFor(run.run.info)}`;
    // A traced run is compared with a prediction that includes the recorder's cost.
    const predicted = await startRun(experiment, engine, { whileRecording: isTraced(run.run) });
    if (predicted === null) return;
    // The comparison shows the prediction's outcome.
    await finished(predicted);
    openComparison([id, predicted]);
  });

/** Returns the profile of the run's device, else the picked one, else the first. Throws `profile.missing`. */
function profileFor({ device, host: machine }: RunInfo): string {
  const { profiles, engine } = state();
  const picked = parseEngineKey(effectiveEngine(currentEngineOptions(state()), engine) ?? 'cpu');
  const found =
    profileOfDevice(profiles, device?.name, machine)?.name ??
    (picked.kind === 'sim' ? picked.profile : profiles[0]?.name);
  if (found !== undefined) return found;
  throw new CopyscopeError({
    code: 'profile.missing',
    message: 'There is no device profile to simulate with.',
    remedy: 'Calibrate one for this GPU, or open one.',
  });
}
