/**
 * Faults on demand for tests of error handling. They need COPYSCOPE_TEST_FAULTS=1 in the engine process's environment,
 * and an experiment named `fault:KIND`, or `fault:KIND@MS` for a fault that long into the run.
 */
import type { Engine, EngineRequest } from '../../core/program/engine.ts';
import { fault } from '../../native/bench.ts';

const faults: Readonly<Record<string, () => void>> = {
  /** A kernel writes to an invalid address, which destroys CUDA's context during the run. */
  kernel: () => fault(false),
  /** Ends the process as a driver or the addon could. */
  abort: () => process.abort(),
  /** Ends the process as the system does if memory runs out. */
  kill: () => void process.kill(process.pid, 'SIGKILL'),
};
const inTheMiddleMs = 50;
const wanted = /^fault:(\w+)(?:@(\d+))?$/;

export function withFaults(engine: Engine, environment: NodeJS.ProcessEnv = process.env): Engine {
  if (environment['COPYSCOPE_TEST_FAULTS'] !== '1') return engine;
  return {
    kind: engine.kind,
    run: (request: EngineRequest, hooks) => {
      const [, kind = '', delayMs = inTheMiddleMs] = wanted.exec(request.experiment.name) ?? [];
      const make = faults[kind];
      if (kind === 'kernel') fault(true);
      if (make !== undefined) setTimeout(make, Number(delayMs));
      return engine.run(request, hooks);
    },
  };
}
