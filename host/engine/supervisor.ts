/**
 * Owns the engine process: starts it when needed, keeps it warm, and starts another after a crash. A fault in a run
 * ends that process, never its owner.
 */
import type { Measured, Measurement } from '../../core/apps/calibrate/measurement.ts';
import { asCopyscopeError, CopyscopeError, type ErrorInfo } from '../../core/errors.ts';
import type { CancelSignal, DeviceReport, RunHooks } from '../../core/program/engine.ts';
import type { SpawnEngine } from './child.ts';
import { EngineProcess } from './engineProcess.ts';
import { PartialRunError, withPartial } from './partialRun.ts';
import type { EngineRunRequest, EngineRunResult } from './protocol.ts';
import { cancelledError, RunQueue } from './queue.ts';

export interface SupervisorOptions {
  readonly spawn: SpawnEngine;
  /** Name of the node in its runs. */
  readonly host?: string | undefined;
  /** Called if the process was lost or does not answer (`problem`), or is back (`report`). */
  readonly onChange?: (report: DeviceReport | null, problem: ErrorInfo | null) => void;
  /** Time in milliseconds after a cancel until the process is killed. */
  readonly cancelGraceMs?: number | undefined;
  readonly pingIntervalMs?: number;
}

/**
 * Errors after which the process is reused; after any other it gets no further run. Every `run.` error is harmless: the
 * engine itself refused or ended the run, for example since memory was too small.
 */
const harmless =
  /^(run\.|bench\.|native\.bad-|engine\.unavailable|engine\.unsupported|engine\.no-device|experiment\.|profile\.|simulation\.)/;

type Work<Result> = (engine: EngineProcess, id: string) => Promise<Result>;

export class EngineSupervisor {
  readonly #options: SupervisorOptions;
  readonly #queue = new RunQueue();
  #process: EngineProcess | null = null;
  #report: Promise<DeviceReport> | null = null;
  #lastReport: DeviceReport | null = null;
  #wasLost = false;
  #closed = false;
  #sequence = 0;
  #pings: ReturnType<typeof setInterval> | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Last answer of report(); null before the first. */
  get lastReport(): DeviceReport | null {
    return this.#lastReport;
  }

  /** Returns devices and engines as the process first found them, or finds them again if `refresh` is true. */
  async report(refresh = false): Promise<DeviceReport> {
    const engine = this.#running();
    if (refresh || this.#report === null) {
      const report = engine.report();
      this.#report = report;
      report.then(
        (found) => {
          this.#lastReport = found;
        },
        () => {
          if (this.#report === report) this.#report = null;
        },
      );
    }
    return this.#report;
  }

  /**
   * Runs one experiment after earlier ones. Rejects with the engine's error, `run.cancelled`, or `engine.lost` with the
   * reason if the process ended; with a PartialRunError if a part was recorded.
   */
  run(request: EngineRunRequest, hooks: RunHooks = {}): Promise<EngineRunResult> {
    const { host } = this.#options;
    const named = host === undefined ? request : { ...request, host };
    return this.#inTurn(hooks.signal, (engine, id) => engine.run(id, named, hooks.onProgress));
  }

  /** Takes one measurement of a benchmark in the order of runs. Rejects as run() does. */
  measure(measurement: Measurement, signal?: CancelSignal): Promise<Measured> {
    return this.#inTurn(signal, (engine, id) => engine.measure(id, measurement));
  }

  /** Ends an idle process; the next request starts another. */
  rest(): void {
    if (this.#process !== null) this.#retire(this.#process);
  }

  /** Ends the process. Runs in progress reject with `engine.lost`; nothing can run afterwards. */
  close(): void {
    this.#closed = true;
    this.#process?.kill();
  }

  async #inTurn<Result>(signal: CancelSignal | undefined, work: Work<Result>): Promise<Result> {
    await this.#queue.enter(signal);
    try {
      return await this.#execute(signal, work);
    } finally {
      this.#queue.leave();
    }
  }

  async #execute<Result>(signal: CancelSignal | undefined, work: Work<Result>): Promise<Result> {
    const engine = this.#running();
    this.#sequence += 1;
    const id = String(this.#sequence);
    if (signal?.aborted) throw cancelledError();
    let killed = false;
    let answered = false;
    let killTimer: ReturnType<typeof setTimeout> | undefined;
    const kill = (): void => {
      if (answered) return;
      killed = true;
      this.#retire(engine);
    };
    const cancel = (): void => {
      engine.cancel(id);
      // Timers fire before messages are read, so the answer may already wait if this process was held up.
      killTimer = setTimeout(() => setImmediate(kill), this.#options.cancelGraceMs ?? 3000);
    };
    signal?.addEventListener('abort', cancel);
    try {
      return await work(engine, id);
    } catch (thrown) {
      if (killed) {
        const partial = thrown instanceof PartialRunError ? thrown.partial : undefined;
        throw withPartial(cancelledError(killedWords), partial);
      }
      const error = asCopyscopeError(thrown, 'engine.failed');
      if (!harmless.test(error.code)) this.#retire(engine);
      throw error;
    } finally {
      answered = true;
      clearTimeout(killTimer);
      signal?.removeEventListener('abort', cancel);
    }
  }

  #running(): EngineProcess {
    if (this.#closed) throw new CopyscopeError({ code: 'engine.closed', message: 'Copyscope is closing.' });
    if (this.#process !== null) return this.#process;
    const engine = new EngineProcess(this.#options.spawn(), (reason) => this.#lost(engine, reason));
    this.#process = engine;
    this.#watch(engine);
    if (this.#wasLost) {
      this.#wasLost = false;
      void this.#tellReport();
    }
    return engine;
  }

  #lost(engine: EngineProcess, reason: CopyscopeError): void {
    if (this.#process !== engine) return;
    this.#forget();
    this.#wasLost = true;
    if (!this.#closed) this.#options.onChange?.(null, reason.toInfo());
  }

  /** Ends a process in which an engine failed: its CUDA context may be unusable, so the next run gets a new process. */
  #retire(engine: EngineProcess): void {
    if (this.#process === engine) this.#forget();
    engine.kill();
  }

  #forget(): void {
    clearInterval(this.#pings);
    this.#process = null;
    this.#report = null;
  }

  async #tellReport(): Promise<void> {
    const report = await this.report().catch(() => null);
    if (report !== null) this.#options.onChange?.(report, null);
  }

  /** Reports a process that answers no ping within a tick, and again when it answers. A busy run isn't killed. */
  #watch(engine: EngineProcess): void {
    const intervalMs = this.#options.pingIntervalMs ?? 10_000;
    let waiting = false;
    let silent = false;
    const answered = (): void => {
      waiting = false;
      if (silent && this.#process === engine) void this.#tellReport();
      silent = false;
    };
    const tick = (): void => {
      if (waiting && !silent) {
        silent = true;
        this.#options.onChange?.(null, unresponsive(intervalMs));
      }
      if (waiting) return;
      waiting = true;
      engine.ping().then(answered, () => {});
    };
    this.#pings = setInterval(tick, intervalMs).unref();
  }
}

const killedWords = 'The run was cancelled. It did not stop by itself, so its engine process was ended.';

const unresponsive = (afterMs: number): ErrorInfo => ({
  code: 'engine.unresponsive',
  message: `The engine process has not answered for ${afterMs / 1000} s.`,
  remedy: 'Wait if a long run is in progress; otherwise cancel the run, which ends the process.',
});
