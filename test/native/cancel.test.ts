import { expect, test } from 'vitest';
import type { RunProgress } from '../../core/program/engine.ts';
import { loadNative } from '../../native/index.ts';
import { describeNative, ms, once, request, runOnCpu } from './support.ts';

const tenMinutes = 600_000 * ms;

const programs = {
  'host work': [{ op: 'work', durationNs: tenMinutes }],
  'a spin': [{ op: 'kernel', kernel: { kind: 'spin', durationNs: tenMinutes } }, { op: 'synchronizeDevice' }],
  'a repeat': [{ op: 'repeat', count: 300_000, operations: [{ op: 'work', durationNs: 5 * ms }] }],
} as const;

describeNative('cancelling', () => {
  test.each(Object.entries(programs))('ends %s, which would go on for minutes', async (_, operations) => {
    const controller = new AbortController();
    const wanted = request({ environment: once, threads: [{ id: 'main', operations: [...operations] }] });
    const onProgress = ({ phase }: RunProgress): void => {
      if (phase !== 'preparing') controller.abort();
    };
    const running = runOnCpu(wanted, { signal: controller.signal, onProgress });
    await expect(running).rejects.toMatchObject({ code: 'run.cancelled' });
  });

  test('the next run works, and cancelling a finished one changes nothing', async () => {
    const controller = new AbortController();
    const wanted = request({
      environment: once,
      threads: [{ id: 'main', operations: [{ op: 'work', durationNs: ms }] }],
    });
    const run = await runOnCpu(wanted, { signal: controller.signal });
    controller.abort();
    expect(run.info.status).toBe('complete');
    expect((await runOnCpu(wanted)).trace.count).toBe(1);
  });

  test("Node's thread goes on while a run is busy", async () => {
    const controller = new AbortController();
    const wanted = request({
      environment: once,
      threads: [{ id: 'main', operations: [{ op: 'work', durationNs: 60_000 * ms }] }],
    });
    const timer = setTimeout(() => controller.abort(), 5);
    // If the run blocks Node's thread, it is complete before the cancellation.
    await expect(runOnCpu(wanted, { signal: controller.signal })).rejects.toMatchObject({ code: 'run.cancelled' });
    clearTimeout(timer);
  });

  test('a second run at the same time is refused', async () => {
    const controller = new AbortController();
    const wanted = request({
      environment: once,
      threads: [{ id: 'main', operations: [{ op: 'work', durationNs: tenMinutes }] }],
    });
    const first = loadNative().engine('cpu').run(wanted, { signal: controller.signal });
    await expect(runOnCpu(wanted)).rejects.toMatchObject({ code: 'engine.busy' });
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: 'run.cancelled' });
  });
});
