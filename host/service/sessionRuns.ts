/** The runs of this session: in progress, or ended without a file. Those that ended with one are the store's. */
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import type { DeviceReport } from '../../core/program/engine.ts';
import type { RunSummary, WindowEvents } from '../../core/service/service.ts';
import type { EngineRunRequest } from '../engine/protocol.ts';
import type { EngineSupervisor } from '../engine/supervisor.ts';
import type { RunStore } from './runStore.ts';
import { runningSummary } from './runSummaries.ts';

interface SessionRun {
  summary: RunSummary;
  readonly controller: AbortController;
}

export class SessionRuns {
  readonly #store: RunStore;
  readonly #engine: EngineSupervisor;
  readonly #events: WindowEvents;
  readonly #runs = new Map<string, SessionRun>();

  constructor(store: RunStore, engine: EngineSupervisor, events: WindowEvents) {
    this.#store = store;
    this.#engine = engine;
    this.#events = events;
  }

  list(): RunSummary[] {
    return [...this.#runs.values()].map(({ summary }) => summary);
  }

  /** Begins it and returns; its end is told as an event. */
  async start(request: EngineRunRequest, report: DeviceReport | null): Promise<RunSummary> {
    const createdAt = new Date();
    const { name } = request.experiment;
    const id = await this.#store.newId(createdAt, name);
    const device = deviceName(request, report);
    const summary = runningSummary({ id, name, engine: request.engine, createdAt, device });
    const run: SessionRun = { summary, controller: new AbortController() };
    this.#runs.set(id, run);
    this.#events.runChanged(id, summary);
    void this.#execute(run, request);
    return summary;
  }

  /** Asks it to stop; its end is told as an event. Rejects with `run.not-found` where it isn't in progress. */
  async cancel(id: string): Promise<void> {
    const run = this.#runs.get(id);
    if (run?.summary.status !== 'running') throw notRunning(id);
    run.controller.abort();
  }

  /** Takes a run that ended without a file off the list; false where it isn't one of this session's. */
  forget(id: string): boolean {
    const run = this.#runs.get(id);
    if (run === undefined) return false;
    if (run.summary.status === 'running') throw stillRunning();
    return this.#runs.delete(id);
  }

  /** Why a run of this session has no file. */
  problem(id: string): CopyscopeError | null {
    const run = this.#runs.get(id);
    if (run === undefined) return null;
    return run.summary.error === undefined ? stillRunning() : new CopyscopeError(run.summary.error);
  }

  async #execute(run: SessionRun, request: EngineRunRequest): Promise<void> {
    const { id } = run.summary;
    try {
      const { info, file } = await this.#engine.run(request, {
        signal: run.controller.signal,
        onProgress: (progress) => this.#events.runProgress(id, progress),
      });
      const summary = await this.#store.add(id, info, file);
      this.#runs.delete(id);
      this.#events.runChanged(id, summary);
    } catch (thrown) {
      const error = toErrorInfo(thrown);
      run.summary = { ...run.summary, status: error.code === 'run.cancelled' ? 'cancelled' : 'failed', error };
      this.#events.runChanged(id, run.summary);
    }
  }
}

/** What a run's device is expected to be; the run itself says what it was. */
function deviceName({ engine, profile, experiment }: EngineRunRequest, report: DeviceReport | null): string {
  if (engine === 'sim') return profile?.name ?? '';
  if (engine === 'cpu') return 'CPU';
  const index = experiment.devices[0]?.index ?? 0;
  return report?.devices.find((device) => device.index === index)?.name ?? 'GPU';
}

const notRunning = (id: string): CopyscopeError =>
  new CopyscopeError({ code: 'run.not-found', message: `No run ${JSON.stringify(id)} is in progress.` });

const stillRunning = (): CopyscopeError =>
  new CopyscopeError({
    code: 'run.running',
    message: 'The run is still in progress.',
    remedy: 'Wait for its end, or cancel it.',
  });
