/** An engine process for the supervisor's tests: what a run does is told by its experiment's name. */
import { CopyscopeError } from '../../../../core/errors.ts';
import type { Engine, EngineRequest, RunHooks } from '../../../../core/program/engine.ts';
import { encodeRun } from '../../../../core/trace/arrow.ts';
import type { Run } from '../../../../core/trace/run.ts';
import { parentChannel } from '../../../../host/engine/parentChannel.ts';
import { serveEngine } from '../../../../host/engine/serveEngine.ts';
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
});
