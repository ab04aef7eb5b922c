/** Requests of the window to the host about sweeps. Failures become notifications. */
import { toErrorInfo } from '../../core/errors.ts';
import type { StartSweep, SweepSummary } from '../../core/service/service.ts';
import { parseEngineKey } from '../store/engines.ts';
import { attempt, host } from '../store/host.ts';
import { openPage } from '../store/pages.ts';
import { beginOpening, onSweepChanged, useSweeps } from '../store/sweeps.ts';

/** Reads a sweep with all its points once. Later points come as events. */
export async function ensureSweep(id: string): Promise<void> {
  if (useSweeps.getState().opened[id] !== undefined) return;
  const opened = beginOpening(id);
  try {
    opened({ status: 'ready', value: await host().readSweep(id) });
  } catch (thrown) {
    opened({ status: 'failed', error: toErrorInfo(thrown) });
  }
}

/** Submits a sweep as Slurm jobs, and opens it. */
export const submitSweep = (
  sweep: StartSweep['sweep'],
  { engine, pointsPerJob }: Pick<StartSweep, 'engine'> & { readonly pointsPerJob: number },
  iterations: number | null,
): Promise<void> =>
  attempt('The sweep could not be submitted', async () => {
    const own = iterations === null ? {} : { iterations };
    openBegun(await host().startSweep({ sweep, engine, slurm: { pointsPerJob }, ...own }));
  });

function openBegun(summary: SweepSummary): void {
  onSweepChanged(summary.id, useSweeps.getState().summaries[summary.id] ?? summary);
  openPage({ kind: 'sweep', id: summary.id });
}

/** Runs a sweep on the engine of this key, and opens it. */
export const startSweep = (sweep: StartSweep['sweep'], engineKey: string, iterations: number | null): Promise<void> =>
  attempt('The sweep could not be started', async () => {
    const engine = parseEngineKey(engineKey);
    if (engine.kind === 'recorded') return;
    const summary = await host().startSweep({
      sweep,
      engine: engine.kind,
      ...(engine.kind === 'sim' ? { profile: engine.profile } : {}),
      ...(iterations === null ? {} : { iterations }),
    });
    openBegun(summary);
  });

export const cancelSweep = (id: string): Promise<void> =>
  attempt('The sweep could not be cancelled', () => host().cancelSweep(id));

export const continueSweep = (id: string, again: boolean): Promise<void> =>
  attempt('The sweep could not go on', async () => void (await host().continueSweep(id, again)));
