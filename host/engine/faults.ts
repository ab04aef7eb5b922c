/**
 * Faults on demand, for the tests of what becomes of a run then: only where COPYSCOPE_TEST_FAULTS is 1 in the engine
 * process's environment, and only for experiments named `fault:KIND`, or `fault:KIND@MS` for that long into the run.
 */
import type { Engine, EngineRequest, RunHooks } from '../../core/program/engine.ts';
import { fault } from '../../native/bench.ts';

const kill = (): void => void process.kill(process.pid, 'SIGKILL');
const faults: Readonly<Record<string, () => void>> = {
  /** A kernel writes where there is no memory: CUDA's context is lost under the run. */
  kernel: () => fault(false),
  /** As a driver or the addon would end the process. */
  abort: () => process.abort(),
  /** As the system does where memory has run out. */
  kill,
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
      return engine.run(request, kind === 'partial' && hooks !== undefined ? lostOnceTold(hooks) : hooks);
    },
  };
}

/** `fault:partial`: the process is killed as soon as its owner has what the run had recorded until then. */
function lostOnceTold(hooks: RunHooks): RunHooks {
  return {
    ...hooks,
    onPartial: (run) => {
      hooks.onPartial?.(run);
      // Messages leave in order, and this one, which answers nothing, behind what was told.
      process.send?.({ t: 's', i: '' }, undefined, undefined, kill);
    },
  };
}
