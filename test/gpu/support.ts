/** The engine, experiments, and the table that run.sh prints last, for the GPU tests. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Experiment, ExperimentInput } from '../../core/experiment/experiment.ts';
import { parseExperiment, requireExperiment } from '../../core/experiment/parse.ts';
import { lower } from '../../core/program/lower.ts';
import type { Run } from '../../core/trace/run.ts';
import { loadNative } from '../../native/index.ts';

// The tests are bundled into dist/gpu and started from the repository's root.
const root = process.cwd();

export const native = loadNative();

/** `cpu` in COPYSCOPE_TRIAL tries the faults and the soak without a GPU; tests that need CUDA then fail. */
export const engineKind = process.env['COPYSCOPE_TRIAL'] === 'cpu' ? 'cpu' : 'cuda';

interface GpuOptions {
  readonly signal?: AbortSignal;
  /** Source of device times. */
  readonly timing?: 'cupti' | 'cuda-events';
}

/** Runs an experiment on the GPU. */
export function runOnGpu(experiment: Experiment, { signal, timing = 'cupti' }: GpuOptions = {}): Promise<Run> {
  const engine = native.engine(engineKind, { timing: timing === 'cupti' ? 'cupti' : 'events' });
  return engine.run({ experiment, program: lower(experiment) }, signal === undefined ? {} : { signal });
}

export function example(id: string): Experiment {
  return requireExperiment(readFileSync(join(root, 'assets/examples', `${id}.json`), 'utf8'));
}

type Input = Partial<Omit<ExperimentInput, 'format' | 'version'>> & {
  operations?: ExperimentInput['threads'][number]['operations'];
};

/** Returns an experiment of a test, completed by the schema's defaults. `operations` are those of its one host thread. */
export function experiment({ operations = [], ...input }: Input): Experiment {
  const threads = [{ id: 'main', operations }];
  const parsed = parseExperiment({ format: 'copyscope/experiment', version: 1, threads, ...input });
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.experiment;
}

/** Adds a line to the table that is printed last. */
export function report(line: string): void {
  const folder = process.env['OUT'];
  if (folder !== undefined) appendFileSync(join(folder, 'table.txt'), `${line}\n`);
}

/** Returns an experiment with a kernel that is busy for ten minutes and keeps pinned and device memory allocated. */
export const longSpin = (name: string): Experiment =>
  experiment({
    name,
    environment: { iterations: 1, warmups: 0 },
    buffers: [
      { id: 'host', memory: 'pinned', bytes: 1024 * 1024 },
      { id: 'device', memory: 'device', bytes: 1024 * 1024 },
    ],
    streams: [{ id: 's' }],
    operations: [
      { op: 'copy', src: 'host', dst: 'device', stream: 's' },
      { op: 'kernel', kernel: { kind: 'spin', durationNs: 6e11 }, stream: 's' },
      { op: 'synchronizeStream', stream: 's' },
    ],
  });
