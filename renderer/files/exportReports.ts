/** Reports on what the window shows: a run, two compared runs, or a sweep. */
import { CopyscopeError } from '../../core/errors.ts';
import type { ChangeWord } from '../../core/lift/changes/words.ts';
import type { ReportPoint, ReportSweep } from '../../core/present/document.ts';
import type { Sweep, SweepOutcome } from '../../core/service/service.ts';
import { predictingProfile, profileOf } from '../store/attainable.ts';
import { host } from '../store/host.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { ensureRun, fileOfRun } from '../store/runs.ts';
import { comparedRunIds, isPrediction, loadedRun, shownRunId, titleOfLoaded } from '../store/select.ts';
import { state } from '../store/store.ts';
import { useSweeps } from '../store/sweeps.ts';
import type { AppState } from '../store/types.ts';
import type { ReportRequest, ReportSource } from './exportMessages.ts';
import { makeAndSave } from './makeExport.ts';

/** Returns the subject of a report on the current page, or null if there is none. */
export function reportable(now: AppState): 'run' | 'comparison' | 'sweep' | null {
  const { page } = now;
  if (page.kind === 'compare') return comparedRunIds(now).length >= 2 ? 'comparison' : null;
  if (page.kind === 'sweep') return useSweeps.getState().opened[page.id]?.status === 'ready' ? 'sweep' : null;
  return loadedRun(now, shownRunId(now)) === null ? null : 'run';
}

/** Reports on the current page, with the tried changes of a trace's plan. `withPaths` keeps folders and names of users and hosts. */
export async function reportShown(withPaths = false, tried?: readonly ChangeWord[]): Promise<void> {
  const { page } = state();
  if (page.kind === 'sweep') return reportSweep(page.id, withPaths);
  const shown = shownRunId(state());
  const ids = page.kind === 'compare' ? comparedRunIds(state()).slice(0, 2) : shown === null ? [] : [shown];
  await reportRuns(ids, withPaths, tried);
}

export const reportRuns = (ids: readonly string[], withPaths = false, tried?: readonly ChangeWord[]): Promise<void> =>
  makeReport(withPaths, async () => {
    const runs: ReportSource[] = [];
    for (const id of ids) runs.push(await sourceOf(await loaded(id)));
    return { runs, sweep: null, tried: ids.length === 1 ? tried : undefined };
  });

export const reportSweep = (id: string, withPaths = false): Promise<void> =>
  makeReport(withPaths, async () => {
    const opened = useSweeps.getState().opened[id];
    const sweep = opened?.status === 'ready' ? opened.value : await host().readSweep(id);
    return { runs: [], sweep: sweepOf(sweep) };
  });

function makeReport(
  withPaths: boolean,
  content: () => Promise<Pick<ReportRequest, 'runs' | 'sweep' | 'tried'>>,
): Promise<void> {
  return makeAndSave({
    title: 'Making the report',
    problem: 'The report could not be made',
    request: async () => ({
      kind: 'report',
      page: new URL('report.html', location.href).href,
      copyscope: state().about?.version ?? '',
      withPaths,
      ...(await content()),
    }),
  });
}

async function loaded(id: string): Promise<LoadedRun> {
  await ensureRun(id);
  const found = loadedRun(state(), id);
  if (found !== null) return found;
  throw new CopyscopeError({ code: 'run.not-read', message: 'The run could not be read.', remedy: 'Open it again.' });
}

async function sourceOf(run: LoadedRun): Promise<ReportSource> {
  const { info } = run.run;
  const { profiles, runs } = state();
  return {
    source: isPrediction(run.id) ? run.run : await fileOfRun(run.id),
    title: titleOfLoaded(state(), run),
    origin: runs[run.id]?.origin ?? (info.engine === 'sim' ? 'simulated' : 'recorded'),
    profile: await profileOf(info, profiles, host()),
    replayWith: info.imported === undefined ? null : await predictingProfile(info, profiles, host()),
  };
}

const sweepOf = ({ document, summary: { createdAt, origin, device }, outcomes }: Sweep): ReportSweep => ({
  document,
  createdAt,
  origin,
  device,
  points: outcomes.map(pointOf),
});

function pointOf(outcome: SweepOutcome): ReportPoint {
  if (outcome.status === 'failed') return outcome;
  const { point, run, figures, linkBytesPerSecond } = outcome;
  const { createdAt, device } = run;
  return { point, status: 'done', createdAt, device, figures, linkBytesPerSecond };
}
