/** Checks of the engine that need a GPU: semantics of streams and events, data, cancel, errors, event timing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Run } from '../../core/trace/run.ts';
import { copyDirection, memoryKinds, rowKinds } from '../../core/trace/trace.ts';
import { experiment, native, report, runOnGpu } from './support.ts';

const MiB = 1024 * 1024;

interface DeviceRow {
  readonly kind: string;
  readonly op: number;
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
  readonly direction: string | null;
}

/** Returns device rows of the representative iteration, in order of start. */
function deviceRows({ trace: { columns, count }, info }: Run): DeviceRow[] {
  const rows: DeviceRow[] = [];
  for (let row = 0; row < count; row += 1) {
    const kind = rowKinds[columns.kind[row] ?? 0] ?? '';
    if (columns.iteration[row] !== info.iterations.representative || !['copy', 'kernel'].includes(kind)) continue;
    const [start, duration] = [columns.startNs[row] ?? 0, columns.durationNs[row] ?? 0];
    const [src, dst] = [memoryKinds[columns.srcMemory[row] ?? 0], memoryKinds[columns.dstMemory[row] ?? 0]];
    const direction = src === undefined || dst === undefined ? null : copyDirection(src, dst);
    rows.push({
      kind,
      op: columns.op[row] ?? -1,
      start,
      end: start + duration,
      bytes: columns.bytes[row] ?? 0,
      direction,
    });
  }
  return rows;
}

const spin = (durationNs: number, stream: string) =>
  ({ op: 'kernel', kernel: { kind: 'spin', durationNs }, stream }) as const;
const overlapping = (a: DeviceRow | undefined, b: DeviceRow | undefined): boolean =>
  a !== undefined && b !== undefined && a.start < b.end && b.start < a.end;

test('the device report names the GPU', () => {
  const { devices, driverVersion, runtimeVersion, cupti, engines } = native.report();
  const [device] = devices;
  assert.ok(device !== undefined);
  report(
    `${device.name}, compute ${device.computeCapability}, ${device.asyncEngineCount} copy engines, PCIe ` +
      `${device.linkGeneration ?? '?'} x${device.linkWidth ?? '?'}, driver ${driverVersion}, runtime ${runtimeVersion}, CUPTI ${cupti.version ?? cupti.detail}`,
  );
  assert.ok((device.asyncEngineCount ?? 0) >= 1 && device.memoryBytes > 1e9 && device.multiprocessors > 0);
  assert.ok(cupti.found, cupti.detail);
  assert.deepEqual(
    engines.find(({ kind }) => kind === 'cuda'),
    { kind: 'cuda', available: true },
  );
});

test('two non-blocking streams run kernels at once, one stream runs them in order', async () => {
  const streams = [{ id: 'a' }, { id: 'b' }];
  const both = experiment({
    name: 'two streams',
    streams,
    operations: [spin(2e6, 'a'), spin(2e6, 'b'), { op: 'synchronizeDevice' }],
  });
  const [a, b] = deviceRows(await runOnGpu(both));
  assert.ok(overlapping(a, b), 'kernels in two streams overlap');
  const one = experiment({
    name: 'one stream',
    streams,
    operations: [spin(2e6, 'a'), spin(2e6, 'a'), { op: 'synchronizeDevice' }],
  });
  const [first, second] = deviceRows(await runOnGpu(one));
  assert.ok(first !== undefined && second !== undefined && second.start >= first.end, 'one stream keeps its order');
});

test('the legacy default stream waits for blocking streams and not for non-blocking ones', async () => {
  const overlapWith = async (flags: 'blocking' | 'non-blocking'): Promise<boolean> => {
    const run = await runOnGpu(
      experiment({
        name: flags,
        streams: [{ id: 'side', flags }],
        operations: [spin(2e6, 'side'), spin(2e6, 'default'), { op: 'synchronizeDevice' }],
      }),
    );
    const [a, b] = deviceRows(run);
    return overlapping(a, b);
  };
  assert.equal(await overlapWith('blocking'), false);
  assert.equal(await overlapWith('non-blocking'), true);
});

test('per-thread default streams of two host threads run at once', async () => {
  const operations = [spin(5e6, 'default'), { op: 'synchronizeStream', stream: 'default' }] as const;
  const run = await runOnGpu(
    experiment({
      name: 'per-thread',
      environment: { defaultStream: 'per-thread' },
      threads: [
        { id: 'one', operations: [...operations] },
        { id: 'two', operations: [...operations] },
      ],
    }),
  );
  const [a, b] = deviceRows(run);
  assert.ok(overlapping(a, b));
});

test('an event makes one stream wait for another, and data arrives in that order', async () => {
  const run = await runOnGpu(
    experiment({
      name: 'chain',
      buffers: [
        { id: 'host', memory: 'pinned', bytes: 8 * MiB, pattern: { kind: 'index', seed: 7 } },
        { id: 'device', memory: 'device', bytes: 8 * MiB },
        { id: 'result', memory: 'device', bytes: 8 * MiB },
        { id: 'back', memory: 'pinned', bytes: 8 * MiB, pattern: { kind: 'constant', value: 1 } },
      ],
      streams: [{ id: 'copy' }, { id: 'compute' }],
      events: [{ id: 'arrived' }, { id: 'computed' }],
      operations: [
        { op: 'copy', src: 'host', dst: 'device', stream: 'copy' },
        { op: 'recordEvent', event: 'arrived', stream: 'copy' },
        { op: 'waitEvent', event: 'arrived', stream: 'compute' },
        {
          op: 'kernel',
          kernel: { kind: 'stream', passes: 2 },
          reads: ['device'],
          writes: ['result'],
          stream: 'compute',
        },
        { op: 'recordEvent', event: 'computed', stream: 'compute' },
        { op: 'waitEvent', event: 'computed', stream: 'copy' },
        { op: 'copy', src: 'result', dst: 'back', stream: 'copy' },
        { op: 'synchronizeStream', stream: 'copy' },
        { op: 'read', buffer: 'back' },
      ],
    }),
  );
  const [h2d, kernel, d2h] = deviceRows(run);
  assert.deepEqual([h2d?.direction, kernel?.kind, d2h?.direction], ['h2d', 'kernel', 'd2h']);
  assert.ok(h2d !== undefined && kernel !== undefined && d2h !== undefined);
  assert.ok(kernel.start >= h2d.end && d2h.start >= kernel.end);
  assert.equal(run.info.verification.bytesWrong, 0);
  assert.ok(run.info.verification.bytesChecked >= 4 * 8 * MiB - 8 * MiB);
});

test('odd offsets and sizes are verified to the byte', async () => {
  const run = await runOnGpu(
    experiment({
      name: 'odd',
      buffers: [
        { id: 'host', memory: 'pageable', bytes: 100_003 },
        { id: 'device', memory: 'device', bytes: 200_001, pattern: { kind: 'constant', value: 3 } },
        { id: 'back', memory: 'pageable', bytes: 77_777, pattern: { kind: 'constant', value: 5 } },
      ],
      streams: [{ id: 's' }],
      operations: [
        { op: 'copy', src: 'host', srcOffset: 1, dst: 'device', dstOffset: 33, bytes: 99_001, stream: 's' },
        { op: 'copy', src: 'device', srcOffset: 30, dst: 'back', dstOffset: 7, bytes: 70_001, stream: 's' },
        { op: 'synchronizeStream', stream: 's' },
      ],
    }),
  );
  assert.deepEqual([run.info.verification.bytesChecked, run.info.verification.bytesWrong], [200_001 + 77_777, 0]);
});
