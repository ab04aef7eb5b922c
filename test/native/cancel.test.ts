import { expect, test } from 'vitest';
import { loadNative } from '../../native/index.ts';
import { describeNative, ms, once, request, runOnCpu } from './support.ts';

const tenMinutes = 600_000 * ms;

describeNative('cancelling', () => {
  test('the next run works, and cancelling a finished one changes nothing', async () => {
    const controller = new AbortController();
    const wanted = request({
      environment: once,
      operations: [{ op: 'work', durationNs: ms }],
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
      operations: [{ op: 'work', durationNs: 60_000 * ms }],
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
      operations: [{ op: 'work', durationNs: tenMinutes }],
    });
    const first = loadNative().engine('cpu').run(wanted, { signal: controller.signal });
    await expect(runOnCpu(wanted)).rejects.toMatchObject({ code: 'engine.busy' });
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: 'run.cancelled' });
  });
});
