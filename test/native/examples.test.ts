import { expect, test } from 'vitest';
import { runInfoSchema } from '../../core/trace/run.ts';
import { typicalIterations } from '../../native/decode.ts';
import { eventually } from '../unit/support/eventually.ts';
import { describeNative, example, request, rowOf, rowsOf, runOnCpu } from './support.ts';

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

  /** Returns true if the kernel overlaps one of the copies issued before it. */
  async function overlaps(memory: 'pageable' | 'pinned', stream: string): Promise<boolean> {
    const run = await runOnCpu(
      request({
        environment: { iterations: 1, warmups: 0 },
        buffers: [
          { id: 'source', memory, bytes: 64 * MiB },
          { id: 'target', memory: 'device', bytes: 64 * MiB },
        ],
        streams: [{ id: 'side' }],
        operations: [
          ...Array.from({ length: 8 }, () => ({ op: 'copy', src: 'source', dst: 'target', stream }) as const),
          { op: 'kernel', kernel: { kind: 'spin', durationNs: 20_000_000 } },
        ],
      }),
    );
    const kernel = rowOf(run, 8, 'kernel');
    const copies = rowsOf(run).filter((row) => row.kind === 'copy');
    return copies.some((copy) => copy.start < kernel.end && kernel.start < copy.end);
  }

  test('a pageable source, or one stream, lets no copy and kernel overlap', async () => {
    expect(await overlaps('pageable', 'default')).toBe(false);
    expect(await overlaps('pageable', 'side')).toBe(false);
    expect(await overlaps('pinned', 'default')).toBe(false);
  });

  test('a pinned source in a second stream lets them overlap', async () => {
    // Overlap is not certain: if the launching thread is delayed, the copies end first.
    await eventually(async () => expect(await overlaps('pinned', 'side')).toBe(true));
  });

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
