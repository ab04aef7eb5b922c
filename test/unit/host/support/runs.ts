import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Experiment } from '../../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../../core/experiment/parse.ts';
import type { EngineKind } from '../../../../core/program/engineKind.ts';
import { TraceBuilder } from '../../../../core/trace/builder.ts';
import { type Run, type RunInfo, runFormat, runVersion } from '../../../../core/trace/run.ts';

const repository = join(import.meta.dirname, '../../../..');
export const exampleFile = (name: string): string => join(repository, `assets/examples/overlap/${name}.json`);

export const example = (name = 'pinned-side-stream'): Experiment =>
  requireExperiment(readFileSync(exampleFile(name), 'utf8'));

/** Returns a run with one host call and one copy, such as an engine's. */
export function smallRun(experiment: Experiment, engine: EngineKind, changes: Partial<RunInfo> = {}): Run {
  const trace = new TraceBuilder();
  const main = trace.lane({ kind: 'host-thread', id: 'thread:main', name: 'main', device: '' });
  const side = trace.lane({ kind: 'stream', id: 'stream:side', name: 'side', device: 'gpu' });
  const h2d = trace.lane({
    kind: 'copy-engine',
    id: 'engine:gpu:h2d',
    name: 'H2D engine',
    device: 'gpu',
    direction: 'h2d',
  });
  trace.add({
    startNs: 0,
    durationNs: 5000,
    lane: main,
    kind: 'host-call',
    name: 'cudaMemcpyAsync',
    op: 0,
    correlation: 1,
  });
  trace.add({
    startNs: 6000,
    durationNs: 380_000,
    lane: side,
    engine: h2d,
    kind: 'copy',
    name: 'H2D 20 MiB',
    op: 0,
    correlation: 1,
    bytes: 20_971_520,
    src: 'pinned',
    dst: 'device',
  });
  return { trace: trace.build(), info: { ...info(experiment, engine), ...changes } };
}

function info(experiment: Experiment, engine: EngineKind): RunInfo {
  return {
    format: runFormat,
    version: runVersion,
    engine,
    status: 'complete',
    createdAt: '2026-11-20T05:45:00.000Z',
    experiment,
    device: null,
    ...(engine === 'sim' ? { profile: 'h200' } : {}),
    machine: { os: 'Linux', cpu: 'Test CPU', cores: 2 },
    versions: { copyscope: '0.1.0', driver: null, runtime: null, cupti: null },
    timing: engine === 'sim' ? 'simulated' : 'host-clock',
    iterations: { recordedMakespanNs: [386_000], recordedWallNs: [390_000], plainWallNs: [], representative: 0 },
    verification: { bytesChecked: 20_971_520, bytesWrong: 0, checks: [], unverified: [] },
    notes: [],
  };
}
