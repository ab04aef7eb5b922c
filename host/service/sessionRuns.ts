/** The runs of this session: in progress, or ended without a file. Those that ended with one on disk are the store's. */
import { CopyscopeError, describeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import { simulatedDevice } from '../../core/profile/profile.ts';
import type { DeviceReport } from '../../core/program/engine.ts';
import type { RunSummary, WindowEvents } from '../../core/service/service.ts';
import { PartialRunError } from '../engine/partialRun.ts';
import type { EngineRunRequest, EngineRunResult } from '../engine/protocol.ts';
import type { EngineSupervisor } from '../engine/supervisor.ts';
import type { RunStore } from './runStore.ts';
import { runningSummary } from './runSummaries.ts';

interface SessionRun {
  summary: RunSummary;
  /** Of a run that could not be written to disk. */
  unsaved?: Uint8Array;
  readonly controller: AbortController;
}

/** Of the runs that could not be saved, as many are kept in memory as fit in here, newest first. */
const mostUnsavedBytes = 1024 * 1024 * 1024;

export class SessionRuns {
  readonly #store: RunStore;
  readonly #events: WindowEvents;
  readonly #runs = new Map<string, SessionRun>();

  constructor(store: RunStore, events: WindowEvents) {
    this.#store = store;
    this.#events = events;
  }

  list(): RunSummary[] {
    return [...this.#runs.values()].map(({ summary }) => summary);
  }

  /** Begins it and returns; its end is told as an event. */
  async start(request: EngineRunRequest, engine: EngineSupervisor): Promise<RunSummary> {
    const createdAt = new Date();
    const { name } = request.experiment;
    const id = await this.#store.newId(createdAt, name);
    const device = deviceName(request, engine.lastReport);
    const summary = runningSummary({ id, name, engine: request.engine, createdAt, device });
    const run: SessionRun = { summary, controller: new AbortController() };
    this.#runs.set(id, run);
    this.#events.runChanged(id, summary);
    void this.#execute(run, request, engine);
    return summary;
  }

  /** Asks it to stop; its end is told as an event. Rejects with `run.not-found` where it isn't in progress. */
  async cancel(id: string): Promise<void> {
    const run = this.#runs.get(id);
    if (run?.summary.status !== 'running') throw notRunning(id);
    run.controller.abort();
  }

  /** Takes a run that ended without a file off the list, and gives what puts it back; null where it isn't one of those. */
  forget(id: string): (() => void) | null {
    const run = this.#runs.get(id);
    if (run === undefined) return null;
    if (run.summary.status === 'running') throw stillRunning();
    this.#runs.delete(id);
    return () => {
      this.#runs.set(id, run);
      this.#events.runChanged(id, run.summary);
    };
  }

  /** Why a run of this session has no file. */
  problem(id: string): CopyscopeError | null {
    const run = this.#runs.get(id);
    if (run === undefined) return null;
    return run.summary.error === undefined ? stillRunning() : new CopyscopeError(run.summary.error);
  }

  /** The Arrow file of a run that could not be written to disk; null for any other. */
  unsaved(id: string): Uint8Array | null {
    return this.#runs.get(id)?.unsaved ?? null;
  }

  async #execute(run: SessionRun, request: EngineRunRequest, engine: EngineSupervisor): Promise<void> {
    const { id } = run.summary;
    try {
      const result = await engine.run(request, {
        signal: run.controller.signal,
        onProgress: (progress) => this.#events.runProgress(id, progress),
      });
      await this.#save(run, result);
    } catch (thrown) {
      if (thrown instanceof PartialRunError) await this.#save(run, thrown.partial, thrown.toInfo());
      else this.#end(run, toErrorInfo(thrown));
    }
  }

  /** `failure` is why the run ended early, of a run that did. */
  async #save(run: SessionRun, { info, file }: EngineRunResult, failure?: ErrorInfo): Promise<void> {
    const { id } = run.summary;
    let summary: RunSummary;
    try {
      summary = await this.#store.add(id, info, file);
    } catch (thrown) {
      run.unsaved = file;
      this.#boundUnsaved();
      this.#end(run, failure ?? notSaved(toErrorInfo(thrown)));
      return;
    }
    this.#runs.delete(id);
    if (summary.id !== id) this.#events.runChanged(id, null);
    this.#events.runChanged(summary.id, summary);
  }

  #end(run: SessionRun, error: ErrorInfo): void {
    run.summary = { ...run.summary, status: error.code === 'run.cancelled' ? 'cancelled' : 'failed', error };
    this.#events.runChanged(run.summary.id, run.summary);
  }

  #boundUnsaved(): void {
    let bytes = 0;
    for (const run of [...this.#runs.values()].reverse()) {
      bytes += run.unsaved?.byteLength ?? 0;
      if (bytes > mostUnsavedBytes) delete run.unsaved;
    }
  }
}

/** What a run's device is expected to be; the run itself says what it was. */
function deviceName({ engine, profile, experiment }: EngineRunRequest, report: DeviceReport | null): string {
  if (engine === 'sim') return profile === undefined ? '' : simulatedDevice(profile.json);
  if (engine === 'cpu') return 'CPU';
  const index = experiment.devices[0]?.index ?? 0;
  return report?.devices.find((device) => device.index === index)?.name ?? 'GPU';
}

const notRunning = (id: string): CopyscopeError =>
  new CopyscopeError({ code: 'run.not-found', message: `No run ${JSON.stringify(id)} is in progress.` });

const notSaved = (error: ErrorInfo): ErrorInfo => ({
  code: 'run.not-saved',
  message: `The run is complete, but it could not be saved: ${describeError(error)}`,
  remedy: 'It stays in memory until Copyscope ends: save it to another place.',
});

const stillRunning = (): CopyscopeError =>
  new CopyscopeError({
    code: 'run.running',
    message: 'The run is still in progress.',
    remedy: 'Wait for its end, or cancel it.',
  });
