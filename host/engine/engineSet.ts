/** The engines of this process: the native ones as far as the addon gives them, and the simulator. */
import { cpus, release, type } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CopyscopeError } from '../../core/errors.ts';
import type { DeviceReport, Engine } from '../../core/program/engine.ts';
import type { EngineKind } from '../../core/program/engineKind.ts';
import { type SimulationSite, simEngine } from '../../core/simulator/engine.ts';
import { parseProfile } from '../../core/simulator/profile.ts';
import { encodeRun } from '../../core/trace/arrow.ts';
import { measure } from '../../native/bench.ts';
import type { Native } from '../../native/index.ts';
import { withFaults } from './faults.ts';
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

/** The profile came with the request, so the simulator of a run knows no other. */
function simulator({ profile }: EngineRunRequest, version: string): Engine {
  return simEngine(async (name) => {
    if (profile?.name === name) return parseProfile(profile.json);
    throw new CopyscopeError({
      code: 'profile.not-found',
      field: 'profile',
      message: `profile ${name} was not given.`,
    });
  }, site(version));
}

function site(version: string): SimulationSite {
  const processors = cpus();
  return {
    machine: { os: `${type()} ${release()}`, cpu: processors[0]?.model ?? 'unknown', cores: processors.length },
    version,
    pause: () => nextTurn(),
  };
}
