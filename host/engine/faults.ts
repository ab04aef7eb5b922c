/**
 * Faults on demand, for the tests of what becomes of a run then: only where COPYSCOPE_TEST_FAULTS is 1 in the engine
 * process's environment, and only for experiments named `fault:…`.
 */
import type { Engine, EngineRequest } from '../../core/program/engine.ts';
import { fault } from '../../native/bench.ts';

const faults: Readonly<Record<string, () => void>> = {
  /** A kernel writes where there is no memory: CUDA's context is lost under the run. */
  'fault:kernel': fault,
  /** As a driver or the addon would end the process. */
  'fault:abort': () => process.abort(),
  /** As the system does where memory has run out. */
  'fault:kill': () => void process.kill(process.pid, 'SIGKILL'),
};
const inTheMiddleMs = 50;

export function withFaults(engine: Engine, environment: NodeJS.ProcessEnv = process.env): Engine {
  if (environment['COPYSCOPE_TEST_FAULTS'] !== '1') return engine;
  return {
    kind: engine.kind,
    run: (request: EngineRequest, hooks) => {
      const make = faults[request.experiment.name];
      if (make !== undefined) setTimeout(make, inTheMiddleMs);
      return engine.run(request, hooks);
    },
  };
}
