/** An engine process for the supervisor's tests: an experiment's name chooses its behaviour. */
import type { Measured, Measurement } from '../../../../core/apps/calibrate/measurement.ts';
import { CopyscopeError } from '../../../../core/errors.ts';
import {
  type CancelSignal,
  type Engine,
  type EngineRequest,
  RunError,
  type RunHooks,
} from '../../../../core/program/engine.ts';
import { encodeRun } from '../../../../core/trace/arrow.ts';
import type { Run } from '../../../../core/trace/run.ts';
import { parentChannel, serveEngine } from '../../../../host/engine/serveEngine.ts';
import { smallRun } from './runs.ts';

const forever = <Result>(): Promise<Result> => new Promise(() => setInterval(() => {}, 1000));

const behaviours: Readonly<Record<string, (request: EngineRequest, hooks: RunHooks) => Promise<Run>>> = {
  complete: async ({ experiment }) => smallRun(experiment, 'cpu', { notes: [`process ${process.pid}`] }),
  'until cancelled': (_request, { signal, onProgress }) =>
    new Promise((_resolve, reject) => {
      onProgress?.({ phase: 'recording', done: 1, total: 2 });
      signal?.addEventListener('abort', () =>
        reject(new CopyscopeError({ code: 'run.cancelled', message: 'Stopped.' })),
      );
    }),
  'ignore cancel': (_request, { onProgress }) => {
    onProgress?.({ phase: 'recording', done: 1, total: 2 });
    return forever();
  },
  'block the thread': (_request, { onProgress }) => {
    onProgress?.({ phase: 'recording', done: 1, total: 2 });
    setTimeout(() => {
      for (;;);
    }, 20);
    return forever();
  },
  'fail with a partial run': async ({ experiment }) => {
    const error = { code: 'engine.cuda', message: 'cudaErrorIllegalAddress', op: 3 };
    throw new RunError(error, smallRun(experiment, 'cpu', { status: 'failed', error }));
  },
  'die in the middle of recording': ({ experiment }, { onProgress, onPartial }) => {
    const error = { code: 'engine.lost', message: 'It ended.' };
    onPartial?.(smallRun(experiment, 'cpu', { status: 'failed', error, notes: ['early'] }));
    onPartial?.(smallRun(experiment, 'cpu', { status: 'failed', error, notes: ['late'] }));
    onProgress?.({ phase: 'recording', done: 1, total: 2 });
    return forever();
  },
  'exit 7': async () => {
    process.stderr.write('CUDA error: an illegal memory access was encountered\n');
    setTimeout(() => process.exit(7), 20);
    return forever();
  },
  'cuda error': async () => {
    throw new CopyscopeError({ code: 'engine.cuda', message: 'cudaErrorIllegalAddress', op: 3 });
  },
};

const engine: Engine = {
  kind: 'cpu',
  run: async (request, hooks = {}) => {
    const behaviour = behaviours[request.experiment.name];
    if (behaviour === undefined) throw new Error(`no behaviour ${request.experiment.name}`);
    return behaviour(request, hooks);
  },
};

/** Measures by the bytes of a copy: 7 waits for a cancel, 13 ends the process. */
async function measure({ bytes, count, samples }: Measurement, signal: CancelSignal): Promise<Measured> {
  if (bytes === 7) {
    await new Promise<void>((_resolve, reject) => {
      const stop = () => reject(new CopyscopeError({ code: 'run.cancelled', message: 'Stopped.' }));
      signal.addEventListener('abort', stop);
    });
  }
  if (bytes === 13) process.exit(13);
  const ns = Float64Array.from({ length: samples }, (_, sample) => bytes * count + sample);
  const wrong = bytes === 17 ? 3 : 0;
  return { ns, callNs: ns, deviceNs: ns, onHostClock: false, bytes: bytes * count, checked: bytes, wrong, depth: 0 };
}

serveEngine(parentChannel(), {
  report: () => ({
    devices: [],
    driverVersion: null,
    runtimeVersion: null,
    cupti: { found: false, detail: `process ${process.pid}`, version: null },
    engines: [{ kind: 'cpu', available: true }],
  }),
  engine: () => engine,
  encode: encodeRun,
  measure,
});
