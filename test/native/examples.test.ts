import { expect, test } from 'vitest';
import { runInfoSchema } from '../../core/trace/run.ts';
import { typicalIterations } from '../../native/decode.ts';
import { describeNative, example, rowsOf, runOnCpu } from './support.ts';

const MiB = 1024 * 1024;

describeNative('the four overlap examples on the CPU engine', () => {
  for (const name of ['pageable-same-stream', 'pageable-side-stream', 'pinned-same-stream', 'pinned-side-stream']) {
    test(`${name} completes with every byte verified`, async () => {
      const wanted = example(name);
      const run = await runOnCpu(wanted);
      const { info } = run;
      expect(runInfoSchema.safeParse(info).error).toBeUndefined();
      expect(info).toMatchObject({ status: 'complete', engine: 'cpu', timing: 'host-clock', device: null, notes: [] });
      expect(info.verification).toMatchObject({ bytesChecked: 40 * MiB, bytesWrong: 0, unverified: [] });
      expect(info.iterations.recordedMakespanNs).toHaveLength(5);
      expect(info.iterations.plainWallNs).toHaveLength(5);
      const [typical] = typicalIterations(run.trace, info.iterations.recordedMakespanNs);
      expect(info.iterations.representative).toBe(typical);
      const rows = rowsOf(run);
      expect(rows.filter((row) => row.kind === 'copy').map((row) => row.bytes)).toEqual(Array(5).fill(20 * MiB));
      expect(rows.filter((row) => row.kind === 'kernel').map((row) => row.name)).toEqual(
        Array(5).fill('multiply 3 passes'),
      );
    });
  }

  test('lanes come in order: threads, streams, copy engines, compute', async () => {
    const { trace } = await runOnCpu(example('pinned-side-stream'));
    expect(trace.lanes.map((lane) => lane.id)).toEqual([
      'thread:main',
      'stream:side',
      'stream:legacy default',
      'engine:gpu:h2d',
      'compute:gpu',
    ]);
  });

  test('a host call and its device activity share a correlation', async () => {
    const rows = rowsOf(await runOnCpu(example('pinned-side-stream')));
    for (const device of rows.filter((row) => row.kind === 'copy' || row.kind === 'kernel')) {
      const call = rows.filter((row) => row.kind === 'host-call' && row.correlation === device.correlation);
      const [same] = call.filter((row) => row.iteration === device.iteration);
      expect(device.correlation).toBeGreaterThan(0);
      expect(same).toMatchObject({
        op: device.op,
        name: device.kind === 'copy' ? 'cudaMemcpyAsync' : 'cudaLaunchKernel',
      });
    }
  });
});
