/**
 * Owns the engine process: starts it at the first need, keeps it warm, and starts another after a crash. A fault in a
 * run ends that process and never its owner.
 */
import type { Measured, Measurement } from '../../core/calibrate/measurement.ts';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { CancelSignal, DeviceReport, RunHooks } from '../../core/program/engine.ts';
import type { SpawnEngine } from './child.ts';
import { EngineProcess } from './engineProcess.ts';
import { PartialRunError, withPartial } from './partialRun.ts';
import type { EngineRunRequest, EngineRunResult } from './protocol.ts';
import { cancelledError, RunQueue } from './queue.ts';

export interface SupervisorOptions {
  readonly spawn: SpawnEngine;
  /** The node that its runs say they ran on. */
  readonly host?: string | undefined;
  /** The process was lost or does not answer (`problem`), or is there again (`report`). */
  readonly onChange?: (report: DeviceReport | null, problem: ErrorInfo | null) => void;
  /** How long a run may take to obey a cancel before its process is killed. */
  readonly cancelGraceMs?: number | undefined;
  readonly pingIntervalMs?: number;
}

/**
 * Errors after which the process is as good as before; after any other it is not trusted with another run. Every `run.`
 * is one: the engine refused or ended the run by itself, as where memory is too small.
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

  /** What the last answered report() said; null before the first. */
  get lastReport(): DeviceReport | null {
    return this.#lastReport;
  }

  /** Devices and engines, as the process found them when it was first asked, or now where `refresh` is true. */
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
   * Runs one experiment, after those that came before it. Rejects with what the engine rejected with, `run.cancelled`,
   * or `engine.lost` with the reason where the process ended; with a PartialRunError where something was recorded.
   */
  run(request: EngineRunRequest, hooks: RunHooks = {}): Promise<EngineRunResult> {
    const { host } = this.#options;
    const named = host === undefined ? request : { ...request, host };
    return this.#inTurn(hooks.signal, (engine, id) => engine.run(id, named, hooks.onProgress));
  }

  /** Takes one measurement of a benchmark, in its turn as a run. Rejects as run() does. */
  measure(measurement: Measurement, signal?: CancelSignal): Promise<Measured> {
    return this.#inTurn(signal, (engine, id) => engine.measure(id, measurement));
  }

  /** Ends a process that nothing is asked of; what is asked next starts another. */
  rest(): void {
    if (this.#process !== null) this.#retire(this.#process);
  }

  /** Ends the process. Runs in progress reject with `engine.lost`; nothing can be run afterwards. */
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
      // Timers fire before messages are read: where this process was held up, the answer may have been there long since.
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
      const error =
        thrown instanceof CopyscopeError ? thrown : new CopyscopeError(toErrorInfo(thrown, 'engine.failed'));
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

  /** An engine failed in it: a CUDA context may be beyond use, so the next run gets a new process. */
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

  /** Reports a process that answers no ping between two ticks, and again when it answers. It isn't killed: a run may be busy. */
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
