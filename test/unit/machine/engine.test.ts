import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { simEngine } from '../../../core/machine/cost/simEngine.ts';
import type { RunProgress } from '../../../core/program/engine.ts';
import { lower } from '../../../core/program/lower.ts';
import { runInfoSchema } from '../../../core/trace/run.ts';
import { experimentOf } from '../support/experiments.ts';
import { buffers, h200, plainRows, streams } from './toy.ts';

const site = {
  machine: { os: 'test', cpu: 'test', cores: 2 },
  version: '0.0.0',
  pause: async () => void (await setImmediate()),
};
const engine = simEngine(async () => h200, site);
const example = (name: string): unknown => JSON.parse(readFileSync(`assets/examples/overlap/${name}.json`, 'utf8'));

function request(json: unknown) {
  const experiment = requireExperiment(json);
  return { experiment, program: lower(experiment), profile: 'h200' };
}

const looped = (count: number) =>
  experimentOf({ name: 'loop', buffers, streams }, [
    { op: 'repeat', count, operations: [{ op: 'kernel', kernel: { kind: 'spin', durationNs: 1 }, stream: 'a' }] },
  ]);

describe('a run', () => {
  it('says where the device has not the memory for it', async () => {
    const gigabyte = 10 ** 9;
    const notes = async (before: number, allocated: number) => {
      const document = looped(1);
      const sizes = [
        { id: 'large', memory: 'device', bytes: before },
        { id: 'made', memory: 'device', bytes: allocated, allocated: 'by-operation' },
      ];
      return (await engine.run(request({ ...document, buffers: sizes }))).info.notes;
    };
    expect((await notes(140 * gigabyte, 10 * gigabyte)).some((note) => note.startsWith('It would not run'))).toBe(
      false,
    );
    expect(await notes(140 * gigabyte, 20 * gigabyte)).toContain(
      'It would not run: "gpu" needs at least 160 GB for its buffers, and the NVIDIA H200 has 140 GiB. CUDA fails with cudaErrorMemoryAllocation.',
    );
  });

  it('says how much RAM the host needs, if it page-locks more than the device has', async () => {
    const noted = async (bytes: number) => {
      const pinned = [{ id: 'large', memory: 'pinned', bytes }];
      const { notes } = (await engine.run(request({ ...looped(1), buffers: pinned }))).info;
      return notes.some((note) => note.startsWith('Its host needs 900 GiB of RAM'));
    };
    expect([await noted(900 * 2 ** 30), await noted(2 ** 30)]).toEqual([true, false]);
  });

  it('says that it is simulated, on what, and that no data was verified', async () => {
    const { info, trace } = await engine.run(request(example('pinned-side-stream')));
    expect(runInfoSchema.parse(info)).toEqual(info);
    expect(info).toMatchObject({
      engine: 'sim',
      timing: 'simulated',
      status: 'complete',
      profile: 'h200',
      machine: site.machine,
    });
    expect(info.device).toMatchObject({ name: 'NVIDIA H200', asyncEngineCount: 3 });
    expect(info.iterations.recordedMakespanNs).toEqual([Math.max(...plainRows(trace).map(({ end }) => end))]);
    expect(info.verification.bytesChecked).toBe(0);
    expect(info.notes.join(' ')).toContain('moves no data');
  });

  it('reports progress and gives way in between', async () => {
    const seen: RunProgress[] = [];
    await engine.run(request(looped(50_000)), { onProgress: (progress) => seen.push(progress) });
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.at(-1)?.total).toBe(100_001);
    expect(seen.slice(1).map(({ done }) => done)).toEqual(
      seen
        .slice(1)
        .map(({ done }) => done)
        .toSorted((a, b) => a - b),
    );
  });

  it('ends when it is cancelled', async () => {
    const controller = new AbortController();
    const run = engine.run(request(looped(1_000_000)), {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(run).rejects.toMatchObject({ code: 'run.cancelled' });
  });
});

const makespan = async (whileRecording: boolean, profile = h200) => {
  const made = await simEngine(async () => profile, site).run({ ...request(looped(100)), whileRecording });
  return { info: made.info, ns: made.info.iterations.recordedMakespanNs[0] ?? Number.NaN };
};

it('a simulation that is compared with a recorded run counts in what recording costs, and says so', async () => {
  const [plain, recorded] = [await makespan(false), await makespan(true)];
  expect(recorded.ns - plain.ns).toBeGreaterThan(0);
  expect([plain.info.whileRecording, recorded.info.whileRecording]).toEqual([undefined, true]);
  expect(recorded.info.notes.join(' ')).toContain('This prediction includes what recording costs');
  expect(plain.info.notes.join(' ')).not.toContain('recording costs');
  expect(runInfoSchema.parse(recorded.info)).toEqual(recorded.info);
});
