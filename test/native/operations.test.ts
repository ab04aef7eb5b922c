/** Every operation of a document, through lowering, the addon and back, on the CPU engine. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { simEngine } from '../../core/machine/cost/simEngine.ts';
import { capabilityGaps } from '../../core/program/capabilities.ts';
import type { Run } from '../../core/trace/run.ts';
import { describeNative, once, request, rowOf, rowsOf, runOnCpu } from './support.ts';

const KiB = 1024;
const simulator = simEngine(async (name) => JSON.parse(readFileSync(`assets/profiles/${name}.json`, 'utf8')), {
  machine: null,
  version: '1',
  pause: async () => {},
});
const hostNames = (rows: ReturnType<typeof rowsOf>, op: number): string[] =>
  rows.filter((row) => row.op === op && row.lane.startsWith('thread:')).map((row) => row.name);

describeNative('operations on the CPU engine', () => {
  test.each([0, 2 ** 30])(
    'the simulator and this engine agree on what allocators hold, with a pool that keeps %i bytes',
    async (poolReleaseThreshold) => {
      const device = (id: string, MiB: number) =>
        ({ id, memory: 'device', bytes: MiB * 1024 * KiB, allocated: 'by-operation' }) as const;
      const made = (buffer: string, allocator: 'caching' | 'pool', stream: string) =>
        [
          { op: 'allocate', buffer, allocator, stream },
          { op: 'memset', buffer, stream },
          { op: 'free', buffer, stream },
        ] as const;
      const wanted = request({
        environment: { iterations: 2, warmups: 1, poolReleaseThreshold },
        buffers: [
          { id: 'source', memory: 'pageable', bytes: 96 * KiB },
          { id: 'pinned', memory: 'pinned', bytes: 96 * KiB, allocated: 'by-operation' },
          ...[device('a', 3), device('b', 3), device('kept', 12), device('p', 20), device('q', 20)],
        ],
        streams: [{ id: 's' }, { id: 't' }],
        operations: [
          {
            op: 'repeat',
            count: 3,
            operations: [
              { op: 'pin', src: 'source', dst: 'pinned' },
              { op: 'free', buffer: 'pinned', stream: 's' },
            ],
          },
          ...made('a', 'caching', 's'),
          ...made('b', 'caching', 't'),
          { op: 'allocate', buffer: 'kept', allocator: 'caching', stream: 's' },
          ...made('p', 'pool', 's'),
          { op: 'synchronizeStream', stream: 's' },
          ...made('q', 'pool', 's'),
          { op: 'synchronizeDevice' },
        ],
      });
      const shown = (run: Run) =>
        run.info.memory?.map(({ reservedSteps, allocations, blocks, ...held }) => ({
          ...{ ...held, segmentsAllocated: 0, segmentsFreed: 0 },
          steps: reservedSteps.filter(({ iteration }) => iteration === 0).map(({ bytes }) => bytes),
          // Segments are in order of address here, and of allocation there.
          blocks: held.allocator === 'pool' ? 0 : new Set(blocks.map(({ segment, ...block }) => JSON.stringify(block))),
        }));
      const simulated = await simulator.run(wanted);
      expect(shown(await runOnCpu(wanted))).toEqual(shown(simulated));
      const pool = simulated.info.memory?.find(({ allocator }) => allocator === 'pool');
      expect(pool?.reservedBytes).toBe(poolReleaseThreshold === 0 ? 0 : 20 * 1024 * KiB);
    },
  );

  test("PyTorch's own time comes before the same calls as in a simulation, and is no less than there", async () => {
    const bytes = 4 * KiB;
    const copy = { op: 'copy', src: 'source', dst: 'device', stream: 's' } as const;
    const to = { op: 'multiCopy', payload: { tensors: 5, bytes, memory: 'pageable' } } as const;
    const wanted = request({
      environment: { ...once, frontend: 'pytorch' },
      buffers: [
        { id: 'source', memory: 'pinned', bytes },
        { id: 'device', memory: 'device', bytes },
      ],
      streams: [{ id: 's' }],
      operations: [
        { op: 'repeat', count: 3, operations: [copy] },
        { ...to, strategy: 'pin-then-copy' },
        { ...to, strategy: 'packed' },
        { op: 'synchronizeDevice' },
      ],
    });
    const ownNs = (run: Run): number[] =>
      rowsOf(run)
        .filter(({ name }) => name === 'PyTorch')
        .map(({ start, end, op, kind }) => (op === -1 && kind === 'host-call' ? end - start : Number.NaN));
    const run = await runOnCpu(wanted);
    const [ran, simulated] = [ownNs(run), ownNs(await simulator.run(wanted))];
    expect(ran).toHaveLength(simulated.length);
    const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
    expect(sum(ran)).toBeGreaterThanOrEqual(sum(simulated));
    expect(run.info.notes.join()).toContain('PyTorch');
  });

  test('a repeat moves on through its buffers, and the host reads what each round brings', async () => {
    const bytes = 16 * KiB;
    const run = await runOnCpu(
      request({
        environment: { iterations: 2, warmups: 1 },
        buffers: [
          { id: 'dataset', memory: 'pinned', bytes: 8 * bytes, pattern: { kind: 'random', seed: 3 } },
          { id: 'batch', memory: 'device', bytes },
          { id: 'results', memory: 'pinned', bytes: 8 * bytes },
        ],
        streams: [{ id: 's' }],
        operations: [
          {
            op: 'repeat',
            count: 8,
            operations: [
              { op: 'copy', src: 'dataset', dst: 'batch', bytes, srcStepBytes: bytes, stream: 's' },
              { op: 'copy', src: 'batch', dst: 'results', bytes, dstStepBytes: bytes, stream: 's' },
              { op: 'synchronizeStream', stream: 's' },
              { op: 'read', buffer: 'results', bytes, stepBytes: bytes },
            ],
          },
        ],
      }),
    );
    expect(run.info.verification).toMatchObject({ bytesWrong: 0, unverified: [] });
    expect(run.info.verification.bytesChecked).toBeGreaterThanOrEqual(9 * bytes);
    for (const op of [1, 2]) {
      const copies = rowsOf(run).filter((row) => row.op === op && row.kind === 'copy');
      expect(copies.map((row) => row.bytes)).toEqual(Array(2 * 8).fill(bytes));
    }
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
