/** Faults that need no GPU, in real engine processes: each ends in an error with a code, and the next run works. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Measurement } from '../../core/apps/calibrate/measurement.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { parseExperiment } from '../../core/experiment/parse.ts';
import type { RunProgress } from '../../core/program/engine.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import { type EngineChild, forkEngine } from '../../host/engine/child.ts';
import { PartialRunError } from '../../host/engine/partialRun.ts';
import { EngineSupervisor } from '../../host/engine/supervisor.ts';
import { fault, measure } from '../../native/bench.ts';
import { loadNative } from '../../native/index.ts';
import { buildEntry } from '../unit/host/support/buildEntry.ts';
import { engineEntry } from '../unit/host/support/terminal.ts';
import { eventually } from '../unit/support/eventually.ts';
import { describeNative, once, request, runOnCpu } from './support.ts';

const KiB = 1024;
const named = (name: string, durationNs: number): Experiment => {
  const parsed = parseExperiment({
    format: 'copyscope/experiment',
    version: 1,
    name,
    environment: once,
    threads: [{ id: 'main', operations: [{ op: 'work', durationNs }] }],
  });
  if (!parsed.ok) throw new Error('the experiment is wrong');
  return parsed.experiment;
};

const built = await buildEntry(engineEntry);

describeNative('an engine process', () => {
  let supervisor: EngineSupervisor;
  let child: EngineChild | undefined;
  const run = (experiment: Experiment) => supervisor.run({ engine: 'cpu', experiment });

  beforeEach(() => {
    process.env['COPYSCOPE_TEST_FAULTS'] = '1';
    supervisor = new EngineSupervisor({
      spawn: () => {
        child = forkEngine(built);
        return child;
      },
    });
  });
  afterEach(() => {
    delete process.env['COPYSCOPE_TEST_FAULTS'];
    supervisor.close();
  });

  test('an engine process that is killed while it records leaves what it had sent by then', async () => {
    const experiment = named('many iterations', 10_000_000);
    const kill = ({ phase, done }: RunProgress): void => {
      if (phase === 'recording' && done >= 100) child?.kill();
    };
    const many = { ...experiment, environment: { ...experiment.environment, iterations: 300 } };
    // If this thread isn't scheduled for two seconds, the run ends first.
    const lost = await eventually(async () => {
      const thrown = await supervisor
        .run({ engine: 'cpu', experiment: many }, { onProgress: kill })
        .catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(PartialRunError);
      return thrown as PartialRunError;
    });
    const { info, trace } = decodeRun(lost.partial.file);
    expect(info).toMatchObject({ status: 'failed', error: { code: 'engine.lost' } });
    expect(info.error?.message).toContain('SIGKILL');
    // One row per iteration of 10 ms; the first progress comes after half a second.
    expect(trace.count).toBeGreaterThan(0);
    expect(trace.count).toBeLessThan(300);
    expect(info.iterations.recordedWallNs).toHaveLength(trace.count);
  });

  test('an engine process makes faults only if it is asked to', async () => {
    delete process.env['COPYSCOPE_TEST_FAULTS'];
    expect((await run(named('fault:kill', 2e8))).info.status).toBe('complete');
  });
});

const pinning = (...sizes: number[]) =>
  request({
    environment: once,
    buffers: sizes.map((bytes, index) => ({ id: `b${index}`, memory: 'pinned' as const, bytes })),
    operations: [{ op: 'work', durationNs: 0 }],
  });

describeNative('the budget of page-locked memory', () => {
  afterEach(() => {
    delete process.env['COPYSCOPE_PINNED_BUDGET'];
  });

  test('refuses a run that asks for more, with what was asked, the budget and the buffer', async () => {
    process.env['COPYSCOPE_PINNED_BUDGET'] = '64K';
    await expect(runOnCpu(pinning(16 * KiB, 49 * KiB))).rejects.toMatchObject({
      code: 'run.pinned-budget',
      field: 'buffers.b1',
      message: expect.stringMatching(
        /asks for 66560 bytes.* budget is 65536 bytes; \d+ bytes of host memory are free.* b1 with 50176/,
      ),
      remedy: expect.stringContaining('COPYSCOPE_PINNED_BUDGET'),
    });
  });

  test('lets a run use all of it, and has it back afterwards', async () => {
    process.env['COPYSCOPE_PINNED_BUDGET'] = '65536';
    for (let run = 0; run < 3; run += 1) {
      expect((await runOnCpu(pinning(16 * KiB, 48 * KiB))).info.status).toBe('complete');
    }
  });

  test('does not count pageable memory', async () => {
    process.env['COPYSCOPE_PINNED_BUDGET'] = '1K';
    const wanted = request({
      environment: once,
      buffers: [{ id: 'b', memory: 'pageable', bytes: 64 * KiB }],
      operations: [{ op: 'work', durationNs: 0 }],
    });
    expect((await runOnCpu(wanted)).info.status).toBe('complete');
  });

  test.each(['much', '12X', '-5', '1.5G', '1GB', '9999999999999999'])(
    'refuses %j as no number of bytes',
    async (text) => {
      process.env['COPYSCOPE_PINNED_BUDGET'] = text;
      await expect(runOnCpu(pinning(1024))).rejects.toMatchObject({
        code: 'run.pinned-budget',
        field: 'COPYSCOPE_PINNED_BUDGET',
      });
    },
  );
});

const gpu = loadNative().report().engines[0]?.available === true;

describeNative('the benchmarks of the addon', () => {
  const copy: Measurement = {
    ...{ kind: 'copy', direction: 'h2d', memory: 'pinned', device: 0 },
    ...{ bytes: 4096, capacity: 4096, count: 4, samples: 1, warmups: 1 },
  };

  test.skipIf(gpu)('the benchmarks of the addon say what is missing without a GPU', async () => {
    const code = expect.stringMatching(/^(engine\.cuda|native\.no-cuda-build)$/);
    await expect(measure(copy)).rejects.toMatchObject({ code });
    // Repeated, since the first failure must leave nothing busy.
    await expect(measure(copy)).rejects.toMatchObject({ code });
  });

  test('make no fault unless the environment asks for it', () => {
    expect(() => fault(true)).toThrow(/COPYSCOPE_TEST_FAULTS/);
  });
});
