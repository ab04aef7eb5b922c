/** Opens comparisons: of chosen runs, or of a run with its prediction. */
import { CopyscopeError } from '../../core/errors.ts';
import { originalName } from '../../core/experiment/nameOfContent.ts';
import { profileOfDevice } from '../../core/machine/profile/profile.ts';
import type { RunSummary } from '../../core/service/service.ts';
import { isTraced, type RunInfo } from '../../core/trace/run.ts';
import { effectiveEngine, parseEngineKey } from '../store/engines.ts';
import { attempt } from '../store/host.ts';
import { openPage } from '../store/pages.ts';
import { ensureRun, finished, startRun } from '../store/runs.ts';
import { byNewest, comparableRun, currentEngineOptions, isPrediction, loadedRun } from '../store/select.ts';
import { state } from '../store/store.ts';
import type { AppState } from '../store/types.ts';
import { setCompare } from './compareStore.ts';

/** Opens a comparison. The first run is the base of the others. */
export function openComparison(ids: readonly string[]): void {
  setCompare({ iterations: {}, other: null, by: null, alignment: { op: 0, edge: 'issue' } });
  openPage({ kind: 'compare', runs: [...new Set(ids)] });
}

/** Compares the open run, or the last one, with the one before it. An open comparison keeps its runs. */
export function compareLast(): void {
  const now = state();
  if (now.page.kind === 'compare' && now.page.runs !== undefined) return;
  const own = Object.values(now.runs).filter(({ builtIn }) => !builtIn);
  const run = comparableRun(now) ?? own.filter(isComparable).sort(byNewest)[0];
  if (run === undefined) openPage({ kind: 'compare' });
  else openComparison(withBefore(now, run).map(({ id }) => id));
}

const isComparable = ({ id, status, sweep }: RunSummary): boolean =>
  status === 'complete' && sweep === undefined && !isPrediction(id);

/** Returns the run and the one before it, the earlier one first: of its experiment, else one of its origin, else any. */
function withBefore(now: AppState, run: RunSummary): readonly RunSummary[] {
  const others = Object.values(now.runs).filter((one) => one.id !== run.id && isComparable(one));
  const own = others.filter(({ builtIn }) => !builtIn);
  const alike = own.filter(({ origin }) => origin === run.origin);
  const isRelated = ({ name }: RunSummary): boolean => originalName(name) === originalName(run.name);
  const before = (some: RunSummary[]): RunSummary[] => some.filter(({ createdAt }) => createdAt < run.createdAt);
  const choices = [before(own.filter(isRelated)), before(alike), alike, before(own), others.filter(isRelated), own];
  const other = choices.find((some) => some.length > 0)?.sort(byNewest)[0];
  return [run, ...(other === undefined ? [] : [other])].sort((a, b) => byNewest(b, a));
}

/** Simulates a run's experiment with its device's profile, and opens it with the compared runs. */
export const comparePrediction = (id: string, compared: readonly string[] = [id]): Promise<void> =>
  attempt('The prediction could not be made', async () => {
    await ensureRun(id);
    const run = loadedRun(state(), id);
    const experiment = run?.run.info.experiment ?? null;
    if (run === null || experiment === null) {
      throw new CopyscopeError({
        code: 'experiment.missing',
        message: 'This run has no experiment to simulate.',
        remedy: 'Compare it with another run.',
      });
    }
    const engine = `sim:${profileFor(run.run.info)}`;
    // A traced run is compared with a prediction that includes the recorder's cost.
    const predicted = await startRun(experiment, engine, { whileRecording: isTraced(run.run) });
    if (predicted === null) return;
    // The comparison shows the prediction's outcome.
    await finished(predicted);
    openComparison([...compared, predicted]);
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
