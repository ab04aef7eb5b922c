/** The measurements of a benchmark in real engine processes: what each fault costs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Measurement } from '../../../core/bench/measurement.ts';
import { type BenchItem, benchPlan } from '../../../core/bench/plan.ts';
import { pytorchPeer } from '../../../host/bench/pytorch.ts';
import { type BenchTools, runBench } from '../../../host/bench/runBench.ts';
import { forkEngine } from '../../../host/engine/child.ts';
import { EngineSupervisor } from '../../../host/engine/supervisor.ts';
import { type BuiltEntry, buildEntry } from '../host/support/buildEntry.ts';
import { copyscope } from '../host/support/terminal.ts';

let scripted: BuiltEntry;
let folder: string;
let supervisor: EngineSupervisor;

beforeAll(async () => {
  scripted = await buildEntry(fileURLToPath(new URL('../host/support/scriptedEngine.ts', import.meta.url)));
});
afterAll(() => scripted.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-bench-'));
  // The process obeys a cancel; a new one would take its time of the limit of the next measurement.
  supervisor = new EngineSupervisor({ spawn: () => forkEngine(scripted.script), cancelGraceMs: 60_000 });
});
afterEach(() => {
  supervisor.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sizes tell the scripted engine what to do (scriptedEngine.ts). */
const plan = (sizes: readonly number[]): BenchItem[] =>
  benchPlan({ sections: ['bidirectional'], sizes, samples: 3 }, 1);

const run = (items: readonly BenchItem[], changes: Partial<BenchTools> = {}) =>
  runBench(
    items,
    {
      version: '0.1.0',
      report: {
        devices: [],
        driverVersion: '13.1',
        runtimeVersion: '13.0',
        cupti: { found: false, detail: '', version: null },
        engines: [],
      },
      device: {
        index: 0,
        name: 'GPU',
        computeCapability: '9.0',
        asyncEngineCount: 3,
        multiprocessors: 1,
        memoryBytes: 1,
        pciBusId: '',
        linkGeneration: null,
        linkWidth: null,
      },
    },
    {
      measure: (measurement: Measurement, signal) => supervisor.measure(measurement, signal),
      peer: null,
      onProgress: () => {},
      signal: new AbortController().signal,
      ...changes,
    },
  );

describe('a benchmark', () => {
  it('goes on after a process that was lost, and says so in that line alone', async () => {
    const { rows, status } = await run(plan([100, 13, 200]));
    expect(status).toBe('complete');
    expect(rows.map((row) => row.status)).toEqual(['done', 'failed', 'done']);
    expect(rows[1]?.error).toMatchObject({ code: 'engine.lost', message: expect.stringContaining('exit code 13') });
  });

  it('fails a line whose data was wrong', async () => {
    const { rows } = await run(plan([17]));
    expect(rows).toMatchObject([{ status: 'failed', error: { code: 'verification.failed' } }]);
  });

  it('gives up a measurement that outlasts its limit, and goes on', async () => {
    // A process that is just starting would be too slow as well.
    await supervisor.report();
    const { rows } = await run(plan([7, 100]), { limitMs: 2000 });
    expect(rows.map((row) => row.error?.code)).toEqual(['bench.too-slow', undefined]);
  });

  it('keeps what was measured when it is cancelled', async () => {
    const controller = new AbortController();
    let begun = 0;
    const { rows, status } = await run(plan([100, 7, 200]), {
      signal: controller.signal,
      measure: (measurement, signal) => {
        const measured = supervisor.measure(measurement, signal);
        begun += 1;
        if (begun === 2) controller.abort();
        return measured;
      },
    });
    expect(status).toBe('cancelled');
    expect(rows.map((row) => row.status)).toEqual(['done']);
  });
});

describe('copyscope bench', () => {
  it('refuses a machine without a GPU with exit code 3, and measures no CPU in its place', async () => {
    const { exitCode, out, err } = await copyscope(['bench'], scripted.script);
    expect({ exitCode, out }).toEqual({ exitCode: 3, out: '' });
    expect(err).toContain('A benchmark needs a GPU');
  });

  it.each([
    ['--only', 'copies,nothing'],
    ['--size', '4KiB,huge'],
    ['--iterations', '0'],
  ])('refuses %s %s', async (option, value) => {
    const { exitCode, err } = await copyscope(['bench', option, value], scripted.script);
    expect(exitCode).toBe(2);
    expect(err).toContain(option);
  });
});

describe('the peer', () => {
  const tasks = [
    { item: 0, kind: 'copy', direction: 'h2d', pinned: true, bytes: 1, count: 1, samples: 1, warmups: 0 },
  ] as const;
  const peer = (code: string, limitMs?: number) => {
    const script = join(folder, 'peer.mjs');
    writeFileSync(script, code);
    return pytorchPeer({ script, python: process.execPath, ...(limitMs === undefined ? {} : { limitMs }) })(
      tasks,
      new AbortController().signal,
    );
  };

  it('gives what the script found', async () => {
    const answer = { version: '2.8.0', results: [{ item: 0, call: 'copy_', ns: [5] }] };
    expect(await peer(`process.stdout.write(${JSON.stringify(JSON.stringify(answer))})`)).toEqual({
      status: 'done',
      ...answer,
    });
  });

  it.each([
    [
      'waived',
      'console.error("PyTorch is not installed for this python3"); process.exit(3)',
      'PyTorch is not installed',
    ],
    ['failed', 'console.error("Traceback"); process.exit(1)', 'exit code 1: Traceback'],
    ['failed', 'console.log("{}")', 'not what the script should print'],
  ])('is %s where the script runs %s', async (status, code, reason) => {
    expect(await peer(code)).toMatchObject({ status, reason: expect.stringContaining(reason), results: [] });
  });

  it('is ended at its limit', async () => {
    expect(await peer('setInterval(() => {}, 1000)', 300)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('0.3 s'),
    });
  });

  it('is waived where there is no such python', async () => {
    const outcome = await pytorchPeer({ script: 'x.py', python: join(folder, 'no-python') })(
      tasks,
      new AbortController().signal,
    );
    expect(outcome).toMatchObject({ status: 'waived', reason: expect.stringContaining('ENOENT') });
  });
});
