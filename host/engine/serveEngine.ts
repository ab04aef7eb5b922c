/** The engine process's side: executes runs and reports devices for its supervisor. */
import { createBirpc } from 'birpc';
import type { Measured, Measurement } from '../../core/apps/calibrate/measurement.ts';
import { runFigures } from '../../core/apps/sweep/metrics.ts';
import {
  type CancelSignal,
  type DeviceReport,
  type Engine,
  RunError,
  type RunHooks,
} from '../../core/program/engine.ts';
import { lower } from '../../core/program/lower.ts';
import { withErrorInfo } from '../../core/service/errorEnvelope.ts';
import type { Run } from '../../core/trace/run.ts';
import type { EngineProcessFunctions, EngineRunRequest, EngineRunResult, SupervisorFunctions } from './protocol.ts';

/** The needed part of Electron's process.parentPort; Node has none. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', handler: (event: { readonly data: unknown }) => void): void;
}

export function parentChannel(): SupervisorChannel {
  // A Ctrl-C in the terminal reaches this process too, but it must live until its owner has cancelled the run.
  process.on('SIGINT', () => {});
  const { parentPort } = process as { parentPort?: ParentPort };
  return parentPort === undefined ? nodeChannel() : electronChannel(parentPort);
}

function nodeChannel(): SupervisorChannel {
  // Slurm sends SIGTERM to the owner and to this process when it ends a job. The owner cancels the run.
  process.on('SIGTERM', () => {});
  if (process.send === undefined) throw new Error('Copyscope starts the engine process, not you by hand');
  // Without an owner nobody can cancel. A kernel may still be busy, so the process is killed.
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  return {
    post: (message) => void process.send?.(message, undefined, undefined, () => {}),
    listen: (handler) => void process.on('message', handler),
  };
}

const electronChannel = (port: ParentPort): SupervisorChannel => ({
  post: (message) => port.postMessage(message),
  listen: (handler) => port.on('message', ({ data }) => handler(data)),
});

type Progress = NonNullable<RunHooks['onProgress']>;

export interface EngineSet {
  report(): DeviceReport | Promise<DeviceReport>;
  /** Throws a CopyscopeError `engine.unavailable` if this machine can't run it. */
  engine(request: EngineRunRequest): Engine;
  encode(run: Run): Uint8Array;
  /** Takes one measurement of a benchmark on this machine's GPU. */
  measure(measurement: Measurement, signal: CancelSignal): Promise<Measured>;
}

export interface SupervisorChannel {
  post(message: unknown): void;
  listen(handler: (message: unknown) => void): void;
}

export function serveEngine(channel: SupervisorChannel, engines: EngineSet): void {
  const running = new Map<string, AbortController>();
  const cancellable = async <Result>(id: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      return await work(controller.signal);
    } finally {
      running.delete(id);
    }
  };
  const functions: EngineProcessFunctions = {
    report: async () => engines.report(),
    run: (id, request) =>
      cancellable(id, async (signal) => {
        const encoded = (run: Run): EngineRunResult => {
          const { host, changed } = request;
          const known = { ...(host === undefined ? {} : { host }), ...(changed === undefined ? {} : { changed }) };
          const info = { ...run.info, ...known };
          return { info, file: engines.encode({ ...run, info }) };
        };
        const onPartial = (run: Run): void => void supervisor.$callEvent('partial', id, encoded(run));
        try {
          const onProgress: Progress = (progress) => void supervisor.$callEvent('progress', id, progress);
          const run = await execute(engines, request, { signal, onProgress, onPartial });
          return { ...encoded(run), ...(request.withFigures === true ? { figures: runFigures(run) } : {}) };
        } catch (thrown) {
          if (thrown instanceof RunError && thrown.partial !== undefined) onPartial(thrown.partial);
          throw thrown;
        }
      }),
    measure: (id, measurement) => cancellable(id, (signal) => engines.measure(measurement, signal)),
    cancel: (id) => running.get(id)?.abort(),
    ping: async () => {},
  };
  const supervisor = createBirpc<SupervisorFunctions, EngineProcessFunctions, false>(functions, {
    proxify: false,
    post: (message: unknown) => channel.post(message),
    on: (receive) => channel.listen((message) => void receive(message)),
    serialize: withErrorInfo,
  });
}

async function execute(engines: EngineSet, request: EngineRunRequest, hooks: RunHooks): Promise<Run> {
  const engine = engines.engine(request);
  const { experiment, profile, whileRecording } = request;
  return engine.run({ experiment, program: lower(experiment), profile: profile?.name, whileRecording }, hooks);
}
