import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Experiment } from '../../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../../core/experiment/parse.ts';
import type { EngineKind } from '../../../../core/program/engineKind.ts';
import { TraceBuilder } from '../../../../core/trace/builder.ts';
import type { Run, RunInfo } from '../../../../core/trace/run.ts';
import { lanes, runInfo } from '../../trace/fixtures.ts';

const repository = join(import.meta.dirname, '../../../..');
export const exampleFile = (name: string): string => join(repository, `assets/examples/overlap/${name}.json`);

export const example = (name = 'pinned-side-stream'): Experiment =>
  requireExperiment(readFileSync(exampleFile(name), 'utf8'));

/** Returns a run with one host call and one copy, such as an engine's. */
export function smallRun(experiment: Experiment, engine: EngineKind, changes: Partial<RunInfo> = {}): Run {
  const trace = new TraceBuilder();
  const lane = trace.lane({ kind: 'host-thread', id: 'thread:main', name: 'main', device: '' });
  const side = trace.lane({ kind: 'stream', id: 'stream:side', name: 'side', device: 'gpu' });
  const of = { op: 0, correlation: 1 };
  trace.add({ ...of, startNs: 0, durationNs: 5000, lane, kind: 'host-call', name: 'cudaMemcpyAsync' });
  trace.add({
    ...{ ...of, startNs: 6000, durationNs: 380_000, lane: side, engine: trace.lane(lanes.h2d) },
    ...{ kind: 'copy', name: 'H2D 20 MiB', bytes: 20_971_520, src: 'pinned', dst: 'device' },
  });
  const info = runInfo({
    ...{ engine, experiment, createdAt: '2026-11-20T05:45:00.000Z', notes: [] },
    ...(engine === 'sim' ? { profile: 'h200' } : {}),
    machine: { os: 'Linux', cpu: 'Test CPU', cores: 2 },
    timing: engine === 'sim' ? 'simulated' : 'host-clock',
    iterations: { recordedMakespanNs: [386_000], recordedWallNs: [390_000], plainWallNs: [], representative: 0 },
    verification: { bytesChecked: 20_971_520, bytesWrong: 0, checks: [], unverified: [] },
    ...changes,
  });
  return { trace: trace.build(), info };
}
