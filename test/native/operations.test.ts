/** Every operation of a document, through lowering, the addon and back, on the CPU engine. */
import { expect, test } from 'vitest';
import { capabilityGaps } from '../../core/program/capabilities.ts';
import { describeNative, once, request, rowOf, rowsOf, runOnCpu } from './support.ts';

const KiB = 1024;
const hostNames = (rows: ReturnType<typeof rowsOf>, op: number): string[] =>
  rows.filter((row) => row.op === op && row.lane.startsWith('thread:')).map((row) => row.name);

describeNative('operations on the CPU engine', () => {
  test('memory by operation, pinning and what the allocators held', async () => {
    const run = await runOnCpu(
      request({
        environment: { iterations: 2, warmups: 1 },
        buffers: [
          { id: 'source', memory: 'pageable', bytes: 96 * KiB },
          { id: 'pinned', memory: 'pinned', bytes: 96 * KiB, allocated: 'by-operation' },
          { id: 'device', memory: 'device', bytes: 96 * KiB, allocated: 'by-operation' },
        ],
        streams: [{ id: 's' }, { id: 'side' }],
        operations: [
          { op: 'pin', src: 'source', dst: 'pinned' },
          { op: 'allocate', buffer: 'device', stream: 's' },
          { op: 'copy', src: 'pinned', dst: 'device', stream: 's' },
          { op: 'recordStream', buffer: 'device', stream: 'side' },
          { op: 'synchronizeStream', stream: 's' },
        ],
      }),
    );
    expect(run.info.verification.bytesWrong).toBe(0);
    expect(run.info.verification.bytesChecked).toBeGreaterThan(0);
    const states = run.info.memory ?? [];
    expect(states.map(({ allocator, device }) => [allocator, device])).toEqual([
      ['caching', 'gpu'],
      ['caching-host', ''],
    ]);
    expect(states[0]).toMatchObject({ allocatedBytes: 96 * KiB, reservedBytes: 2048 * KiB, segmentsAllocated: 1 });
    expect(states[0]?.blocks.map(({ bytes, state, stream }) => [bytes, state, stream])).toEqual([
      [96 * KiB, 'allocated', 's'],
      [1952 * KiB, 'inactive', 's'],
    ]);
    expect(states[1]?.blocks[0]).toMatchObject({ bytes: 128 * KiB, requestedBytes: 96 * KiB });
  });

  test('two devices behind a mask have streams, engines and lanes of their own', async () => {
    const run = await runOnCpu(
      request({
        environment: { ...once, visibleDevices: [3, 1], peerAccess: true },
        devices: [
          { id: 'first', index: 0 },
          { id: 'second', index: 1 },
        ],
        buffers: [
          { id: 'here', memory: 'device', device: 'first', bytes: 64 * KiB },
          { id: 'there', memory: 'device', device: 'second', bytes: 64 * KiB },
        ],
        streams: [
          { id: 'a', device: 'first' },
          { id: 'b', device: 'second' },
        ],
        operations: [
          { op: 'copy', src: 'here', dst: 'there', stream: 'a' },
          { op: 'kernel', kernel: { kind: 'arithmetic', flops: 1000 }, stream: 'b' },
          { op: 'synchronizeDevice', device: 'second' },
        ],
      }),
    );
    expect(run.info.verification).toMatchObject({ bytesChecked: 64 * KiB, bytesWrong: 0 });
    expect(hostNames(rowsOf(run), 0)).toEqual(['cudaMemcpyPeerAsync']);
    expect(rowOf(run, 1, 'kernel').engine).toBe('compute:second');
    expect(run.trace.lanes.find((lane) => lane.id === 'stream:b')?.device).toBe('second');
  });

  test('a device that the mask leaves out is refused by name', async () => {
    const wanted = request({
      environment: { ...once, visibleDevices: [0] },
      devices: [{ id: 'gpu', index: 0 }],
      operations: [{ op: 'work', durationNs: 1 }],
    });
    const beyond = { ...wanted, program: { ...wanted.program, devices: [{ id: 'gpu', index: 2 }] } };
    await expect(runOnCpu(beyond)).rejects.toMatchObject({ code: 'engine.no-device', field: 'devices[0].index' });
  });

  test('an operation without a meaning on this engine is a gap', () => {
    const { experiment } = request({
      streams: [{ id: 's', priority: -1 }],
      operations: [{ op: 'kernel', kernel: { kind: 'spin', durationNs: 1 }, smShare: 0.5, stream: 's' }],
    });
    expect(capabilityGaps(experiment, 'cpu').map((gap) => gap.feature)).toEqual([
      'stream priorities',
      "a share of the device's multiprocessors",
    ]);
    expect(capabilityGaps(experiment, 'cuda')).toEqual([]);
  });
});
