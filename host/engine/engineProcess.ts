/** One engine process from start to end, as typed calls. Restarts and queues are in supervisor.ts. */
import { createBirpc } from 'birpc';
import type { Measured, Measurement } from '../../core/apps/calibrate/measurement.ts';
import { asCopyscopeError, CopyscopeError } from '../../core/errors.ts';
import type { DeviceReport, RunHooks } from '../../core/program/engine.ts';
import { withError } from '../../core/service/errorEnvelope.ts';
import type { ChildExit, EngineChild } from './child.ts';
import { withPartial } from './partialRun.ts';
import type { EngineProcessFunctions, EngineRunRequest, EngineRunResult, SupervisorFunctions } from './protocol.ts';

type Progress = NonNullable<RunHooks['onProgress']>;

export class EngineProcess {
  readonly #child: EngineChild;
  readonly #progress = new Map<string, Progress>();
  readonly #partials = new Map<string, EngineRunResult>();
  readonly #rpc;

  /** `onLost` is called once when the process has ended, after calls in progress have rejected with the same reason. */
  constructor(child: EngineChild, onLost: (reason: CopyscopeError) => void) {
    this.#child = child;
    const functions: SupervisorFunctions = {
      progress: (id, progress) => this.#progress.get(id)?.(progress),
      partial: (id, run) => void this.#partials.set(id, run),
    };
    this.#rpc = createBirpc<EngineProcessFunctions, SupervisorFunctions, false>(functions, {
      proxify: false,
      post: (message: unknown) => child.post(message),
      on: (receive) => child.onMessage((message) => void receive(message)),
      deserialize: withError,
      // A run lasts as long as its experiment; the supervisor watches with ping().
      timeout: -1,
    });
    child.onExit((exit) => {
      const reason = lostError(exit);
      this.#rpc.$close(reason);
      onLost(reason);
    });
  }

  report(): Promise<DeviceReport> {
    return this.#rpc.$call('report');
  }

  /** Rejects with a PartialRunError if a part was recorded. */
  async run(id: string, request: EngineRunRequest, onProgress?: Progress): Promise<EngineRunResult> {
    if (onProgress !== undefined) this.#progress.set(id, onProgress);
    try {
      return await this.#rpc.$call('run', id, request);
    } catch (thrown) {
      throw withPartial(asCopyscopeError(thrown, 'engine.failed'), this.#partials.get(id));
    } finally {
      this.#progress.delete(id);
      this.#partials.delete(id);
    }
  }

  measure(id: string, measurement: Measurement): Promise<Measured> {
    return this.#rpc.$call('measure', id, measurement);
  }

  cancel(id: string): void {
    if (!this.#rpc.$closed) void this.#rpc.$callEvent('cancel', id);
  }

  ping(): Promise<void> {
    return this.#rpc.$call('ping');
  }

  kill(): void {
    this.#child.kill();
  }
}

function lostError({ code, signal, stderr }: ChildExit): CopyscopeError {
  const how =
    signal !== null
      ? `was ended by signal ${signal}`
      : code !== null
        ? `ended with exit code ${code}`
        : 'could not be started';
  const said = stderr.split('\n').slice(-3).join(' ').slice(-500);
  return new CopyscopeError({
    code: 'engine.lost',
    message: `The engine process ${how}${said === '' ? '.' : `: ${said}`}`,
    remedy: 'Run it again: the next run starts a new engine process.',
  });
}
