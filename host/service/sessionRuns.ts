/** The runs of this session that are in progress, or ended without a file. Runs with a file belong to the store. */
import { CopyscopeError, describeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import { changedWords } from '../../core/explain/compare/programs.ts';
import { simulatedDevice } from '../../core/machine/profile/profile.ts';
import type { DeviceReport } from '../../core/program/engine.ts';
import type { RunSummary, WindowEvents } from '../../core/service/service.ts';
import { PartialRunError } from '../engine/partialRun.ts';
import type { EngineRunRequest, EngineRunResult } from '../engine/protocol.ts';
import type { EngineSupervisor } from '../engine/supervisor.ts';
import type { RunStore } from '../library/runStore.ts';
import { runningSummary } from '../library/runSummaries.ts';

interface SessionRun {
  summary: RunSummary;
  /** File of a run that could not be written to disk. */
  unsaved?: Uint8Array;
  readonly controller: AbortController;
}

/** Memory for runs that could not be saved, newest first. */
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

  /** Starts a run and returns; an event reports its end. */
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

  /** Asks a run to stop; an event reports its end. Rejects with `run.not-found` if it isn't in progress. */
  async cancel(id: string): Promise<void> {
    const run = this.#runs.get(id);
    if (run?.summary.status !== 'running') throw notRunning(id);
    run.controller.abort();
  }

  /** Removes a run without a file from the list. Returns a function that restores it, or null for other runs. */
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

  /** Returns the reason why a run of this session has no file. */
  problem(id: string): CopyscopeError | null {
    const run = this.#runs.get(id);
    if (run === undefined) return null;
    return run.summary.error === undefined ? stillRunning() : new CopyscopeError(run.summary.error);
  }

  /** Returns the Arrow file of a run that could not be written to disk, or null. */
  unsaved(id: string): Uint8Array | null {
    return this.#runs.get(id)?.unsaved ?? null;
  }

  async #execute(run: SessionRun, request: EngineRunRequest, engine: EngineSupervisor): Promise<void> {
    const { id } = run.summary;
    try {
      const before = await this.#store.experimentBefore(request.experiment.name).catch(() => null);
      const changed = before === null ? undefined : changedWords(before, request.experiment);
      const result = await engine.run(
        { ...request, changed },
        {
          signal: run.controller.signal,
          onProgress: (progress) => this.#events.runProgress(id, progress),
        },
      );
      await this.#save(run, result);
    } catch (thrown) {
      if (thrown instanceof PartialRunError) await this.#save(run, thrown.partial, thrown.toInfo());
      else this.#end(run, toErrorInfo(thrown));
    }
  }

  /** `failure` is the reason if the run ended early. */
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

/** Returns the expected device of a run; the run itself has the actual one. */
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
