/** The native engines behind core's engine interface. */
import { cpus, release, type } from 'node:os';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../core/errors.ts';
import { requireCapable } from '../core/program/capabilities.ts';
import { type Engine, type EngineRequest, RunError, type RunHooks } from '../core/program/engine.ts';
import { frontendNs } from '../core/program/frontend.ts';
import type { Program } from '../core/program/program.ts';
import { type Run, type RunInfo, runFormat, runVersion, type TimingSource, timingSources } from '../core/trace/run.ts';
import { formatDuration } from '../core/units.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { Addon, AddonEvent, AddonReport, AddonRequest, AddonResult } from './addon.ts';
import { decodeElapsedTimes, decodeIterations, decodeMemory, decodeTrace, decodeVerification } from './decode.ts';
import { encodeProgram, type TimingOption } from './encode.ts';
import { phases } from './layout.ts';
import { cudaProblem, reportFrom } from './report.ts';

/** An error of the addon carries code, remedy, field and op as properties. */
export function fromAddon(thrown: unknown): CopyscopeError {
  if (thrown instanceof CopyscopeError) return thrown;
  const { code, remedy, field, op } = Object(thrown) as Record<string, unknown>;
  const info: ErrorInfo = {
    ...toErrorInfo(thrown, 'engine.failed'),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof remedy === 'string' ? { remedy } : {}),
    ...(typeof field === 'string' ? { field } : {}),
    ...(typeof op === 'number' ? { op } : {}),
  };
  return new CopyscopeError(info, { cause: thrown });
}

export interface NativeOptions {
  /** Source of device times on the CUDA engine; CUPTI by default. */
  readonly timing?: TimingOption;
}

export class NativeEngine implements Engine {
  readonly kind: 'cuda' | 'cpu';
  readonly #addon: Addon;
  readonly #timing: TimingOption;

  constructor(addon: Addon, kind: 'cuda' | 'cpu', options: NativeOptions = {}) {
    this.kind = kind;
    this.#addon = addon;
    this.#timing = options.timing ?? 'cupti';
  }

  async run(request: EngineRequest, hooks: RunHooks = {}): Promise<Run> {
    const report = this.#addon.report();
    const problem = this.kind === 'cuda' ? cudaProblem(report) : null;
    if (problem !== null) throw new CopyscopeError(problem);
    const { experiment, program } = request;
    requireCapable(experiment, this.kind);
    const encoded = encodeProgram(program, { engine: this.kind, timing: this.#timing });
    const createdAt = new Date().toISOString();
    const machine = describeMachine(this.kind, report, encoded.devices[0] ?? 0);
    const decode = (result: AddonResult, outcome: Pick<RunInfo, 'status' | 'error'>): Run => {
      const trace = decodeTrace(program, result);
      const [elapsedTimes, memory] = [decodeElapsedTimes(result), decodeMemory(program, result)];
      const info: RunInfo = {
        format: runFormat,
        version: runVersion,
        engine: this.kind,
        ...outcome,
        createdAt,
        experiment,
        ...machine,
        timing: timingSource(result.timing),
        iterations: decodeIterations(trace, result),
        verification: decodeVerification(program, result.checks),
        ...(elapsedTimes === undefined ? {} : { elapsedTimes }),
        ...(this.kind === 'cuda' && canFlush ? { buffersFlushed: true } : {}),
        ...(memory === undefined ? {} : { memory }),
        notes: [...frontendNotes(program), ...result.notes],
      };
      return { info, trace };
    };
    const partial = (result: AddonResult): void => hooks.onPartial?.(decode(result, { status: 'failed', error: lost }));
    const { error, result } = await this.#execute(encoded, hooks, partial);
    if (error !== undefined) throw runError(error, result, decode);
    return decode(result, { status: 'complete' });
  }

  /** Resolves with the addon's columns, also with those before an error; rejects if there are none. */
  #execute(
    request: AddonRequest,
    { signal, onProgress }: RunHooks,
    onPartial: (result: AddonResult) => void,
  ): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(new CopyscopeError({ code: 'run.cancelled', message: 'The run was cancelled.' }));
        return;
      }
      let run = -1;
      const cancel = (): void => void this.#addon.cancel(run);
      const settle = (action: () => void): void => {
        signal?.removeEventListener('abort', cancel);
        action();
      };
      const listener = ({ phase, done, total, error, partial, result }: AddonEvent): void => {
        if (partial !== undefined) quietly(() => onPartial(partial));
        else if (result !== undefined) settle(() => resolve({ result, error }));
        else if (error !== undefined) settle(() => reject(fromAddon(error)));
        else report(onProgress, phase, done, total);
      };
      try {
        run = this.#addon.start(request, listener);
      } catch (thrown) {
        reject(fromAddon(thrown));
        return;
      }
      signal?.addEventListener('abort', cancel);
    });
  }
}

/** Says that PyTorch's own time isn't from this machine. */
const frontendNotes = ({ frontend }: Program): string[] =>
  frontend === 'cuda'
    ? []
    : [
        `PyTorch's own time is modelled, not measured: the host was busy for ${formatDuration(frontendNs.tensor)} before each call.`,
      ];

/** Matches what native/src/executor/host_memory.cpp can do. */
const canFlush = process.arch === 'x64';

/** Error stored in a partial run, for the case that the process dies. */
const lost: ErrorInfo = {
  code: 'engine.lost',
  message: 'The engine process ended while the run was being recorded.',
};

interface Outcome {
  readonly result: AddonResult;
  readonly error?: Error | undefined;
}

/** Returns the addon's error with the data recorded before it. */
function runError(
  thrown: Error,
  result: AddonResult,
  decode: (result: AddonResult, outcome: Pick<RunInfo, 'status' | 'error'>) => Run,
): CopyscopeError {
  const error = fromAddon(thrown);
  const status = error.code === 'run.cancelled' ? 'cancelled' : 'failed';
  return new RunError(error.toInfo(), decode(result, { status, error: error.toInfo() }), { cause: thrown });
}

/** Catches errors of the listener, which must not reach the addon. */
function report(onProgress: RunHooks['onProgress'], phase = 0, done = 0, total = 0): void {
  const name = phases[phase];
  if (name === undefined) return;
  quietly(() => onProgress?.({ phase: name, done, total }));
}

function quietly(tell: () => void): void {
  try {
    tell();
  } catch {
    // An observer's error doesn't affect the run.
  }
}

function timingSource(name: string): TimingSource {
  return timingSources.find((source) => source === name) ?? 'host-clock';
}

function describeMachine(
  kind: 'cuda' | 'cpu',
  addon: AddonReport,
  device: number,
): Pick<RunInfo, 'device' | 'machine' | 'versions'> {
  const report = reportFrom(addon);
  const processors = cpus();
  const found = kind === 'cpu' ? undefined : report.devices.find(({ index }) => index === device);
  return {
    device: found === undefined ? null : { ...found },
    machine: { os: `${type()} ${release()}`, cpu: processors[0]?.model.trim() ?? '', cores: processors.length },
    versions: {
      copyscope: packageJson.version,
      driver: report.driverVersion,
      runtime: report.runtimeVersion,
      cupti: report.cupti.version === null ? null : String(report.cupti.version),
    },
  };
}
