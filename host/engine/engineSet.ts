/** The engines of this process: the native ones that the addon provides, and the simulator. */
import { cpus, release, type } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CopyscopeError } from '../../core/errors.ts';
import { predictedIntervals } from '../../core/explain/summary/predictedIntervals.ts';
import { type SimulationSite, simEngine } from '../../core/machine/cost/simEngine.ts';
import { parseProfile } from '../../core/machine/profile/profile.ts';
import type { DeviceReport, Engine, EngineRequest } from '../../core/program/engine.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import { encodeRun } from '../../core/trace/arrow.ts';
import { fault, measure } from '../../native/bench.ts';
import type { Native } from '../../native/index.ts';
import type { EngineRunRequest } from './protocol.ts';
import type { EngineSet } from './serveEngine.ts';

export function engineSet(native: Native, version: string): EngineSet {
  const report = (): DeviceReport => withSimulator(native.report());
  return {
    report,
    engine: (request) => {
      if (request.engine === 'sim') return simulator(request, version);
      requireAvailable(report(), request.engine);
      return withFaults(native.engine(request.engine));
    },
    encode: encodeRun,
    measure: async (measurement, signal) => {
      requireAvailable(report(), 'cuda');
      return measure(measurement, signal);
    },
  };
}

function withSimulator(report: DeviceReport): DeviceReport {
  const others = report.engines.filter(({ kind }) => kind !== 'sim');
  return { ...report, engines: [...others, { kind: 'sim', available: true }] };
}

function requireAvailable(report: DeviceReport, engine: EngineKind): void {
  const status = report.engines.find(({ kind }) => kind === engine);
  if (status?.available === true) return;
  const { message, remedy } = status?.problem ?? { message: `there is no engine ${engine} here.`, remedy: undefined };
  throw new CopyscopeError({
    code: 'engine.unavailable',
    field: 'engine',
    message: `${engine} is not available: ${message}`,
    remedy: remedy ?? 'Use another engine: sim works everywhere.',
  });
}

/** Returns the simulator of one request with its profile. Its runs have intervals. */
function simulator({ profile }: EngineRunRequest, version: string): Engine {
  const known = profile === undefined ? null : parseProfile(profile.json);
  const where = site(version);
  const engine = simEngine(async (name) => {
    if (known !== null && profile?.name === name) return known;
    throw new CopyscopeError({
      code: 'profile.not-found',
      field: 'profile',
      message: `profile ${name} was not given.`,
    });
  }, where);
  return {
    kind: 'sim',
    async run(request, hooks) {
      const run = await engine.run(request, hooks);
      if (known === null) return run;
      const work = predictedIntervals(run, request.program, known);
      for (;;) {
        const step = work.next();
        if (step.done === true) return { ...run, info: { ...run.info, ...step.value } };
        await where.pause();
        if (hooks?.signal?.aborted === true) return run;
      }
    },
  };
}

function site(version: string): SimulationSite {
  const processors = cpus();
  return {
    machine: { os: `${type()} ${release()}`, cpu: processors[0]?.model ?? 'unknown', cores: processors.length },
    version,
    pause: () => nextTurn(),
  };
}

/**
 * Faults on demand for tests of error handling. They need COPYSCOPE_TEST_FAULTS=1 in the engine process's environment,
 * and an experiment named `fault:KIND`, or `fault:KIND@MS` for a fault that long into the run.
 */
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

function withFaults(engine: Engine): Engine {
  if (process.env['COPYSCOPE_TEST_FAULTS'] !== '1') return engine;
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
