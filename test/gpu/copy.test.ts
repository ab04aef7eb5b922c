// startCopy on real GPUs: the checks of test/native/copy*.test.ts for simulated devices, and others that need a GPU.
import assert from 'node:assert/strict';
import { constants } from 'node:buffer';
import { test } from 'node:test';
import { copyCounts, measureCopies, trimCopies } from '../../bench/support/measureCopies.ts';
import { blockShapes } from '../../core/apps/calibrate/blocks.ts';
import { blockStrategies, copyStrategies } from '../../core/experiment/operations.ts';
import {
  CopyStream,
  copyBlocks,
  type DeviceTensor,
  HostTensor,
  pinnedBuffer,
  release,
  resetCurrentStream,
  setCurrentStream,
  startCopy,
} from '../../native/index.ts';
import { native } from './support.ts';

const MiB = 2 ** 20;
const GiB = 2 ** 30;
const device = 'cuda:0';
const devices = native.report().devices.length;
const skip = devices === 0 ? 'there is no GPU' : false;
const skipPair = devices < 2 ? `there is ${devices === 1 ? 'one GPU' : 'no GPU'}, and this needs two` : false;

function bytes(count: number, seed: number): Uint8Array {
  const made = new Uint8Array(count);
  const pattern = Uint8Array.from(
    { length: Math.min(count, 65_521) },
    (_, at) => (at * 31 + (at >> 8) + seed * 7) % 256,
  );
  for (let at = 0; at < count; at += pattern.length) made.set(pattern.subarray(0, count - at), at);
  return made;
}

const up = (data: unknown): Promise<DeviceTensor[]> => startCopy<DeviceTensor[]>(data, device).get();
const down = (data: unknown): Promise<HostTensor[]> => startCopy<HostTensor[]>(data, 'cpu').get();

function requireBytes(results: readonly HostTensor[], sources: readonly Uint8Array[]): void {
  assert.equal(results.length, sources.length);
  results.forEach((result, index) => {
    assert.equal(Buffer.compare(result.bytes, sources[index] ?? new Uint8Array()), 0, `tensor ${index}`);
  });
}

const sizes = [0, 1, 3, 100, 4000, 4001, 256 * 1024, 256 * 1024 + 1, 5 * MiB + 3, 40 * MiB];

for (const strategy of copyStrategies) {
  test(`every byte goes there and back: ${strategy}`, { skip }, async () => {
    const sources = sizes.map(bytes);
    for (const use_pinned_staging of [true, false]) {
      for (const use_background_thread of [true, false]) {
        const options = { strategy, use_pinned_staging, use_background_thread };
        const copied = await startCopy<DeviceTensor[]>(sources, device, options).get();
        const results = await startCopy<HostTensor[]>(copied, 'cpu', options).get();
        requireBytes(results, sources);
        assert.ok(results.every(({ isPinned, byteLength }) => byteLength === 0 || isPinned === use_pinned_staging));
        const twins = await startCopy<DeviceTensor[]>(copied, device, { ...options, copy: true }).get();
        requireBytes(await down(twins), sources);
        release([copied, results, twins]);
      }
    }
  });

  for (const direction of ['h2d', 'd2h', 'd2d', 'h2h'] as const) {
    test(`a payload of the engine's own making arrives: ${strategy}, ${direction}`, { skip }, () => {
      for (const memory of ['pageable', 'pinned'] as const) {
        const { checked, wrong } = measureCopies({ device, direction, sizes, memory, strategy, repetitions: 2 });
        assert.equal(wrong, 0);
        assert.equal(checked, 2 * sizes.reduce((sum, size) => sum + size, 0));
      }
    });
  }
}

test('528 small tensors, at every alignment and chunk limit', { skip }, async () => {
  const sources = Array.from({ length: 528 }, (_, index) => bytes(1 + ((index * 37) % 560), index));
  for (const min_packed_alignment_bytes of [1, 6, 16, 512]) {
    for (const max_packed_chunk_bytes of [512, 65_536, 32 * MiB]) {
      const options = { min_packed_alignment_bytes, max_packed_chunk_bytes };
      const copied = await startCopy<DeviceTensor[]>(sources, device, options).get();
      assert.ok(copied.every(({ byteOffset }) => byteOffset % min_packed_alignment_bytes === 0));
      requireBytes(await down(copied), sources);
    }
  }
});

test('strided tensors, page-locked sources and views of results', { skip }, async () => {
  const data = Float32Array.from({ length: 600_000 }, (_, at) => at);
  const transposed = new HostTensor({ data, shape: [1000, 600], strides: [1, 1000] });
  const pinned = new Uint8Array(pinnedBuffer(10 * MiB, device));
  pinned.set(bytes(10 * MiB, 5));
  const copied = await up([transposed, pinned, pinned.subarray(7, 1007)]);
  const results = await down([...copied, copied[0]?.rows(10, 20)]);
  const columns = Float32Array.from({ length: 600_000 }, (_, at) => Math.floor(at / 600) + (at % 600) * 1000);
  const expected = new Uint8Array(columns.buffer);
  requireBytes(results, [expected, pinned, pinned.subarray(7, 1007), expected.subarray(10 * 2400, 20 * 2400)]);
});

test('the largest tensor that JavaScript can hold, and more than 4 GiB in all', { skip }, async () => {
  // Buffers of Node 20 end at 4 GiB.
  const sources = [bytes(Math.min(4 * GiB + 12_345, constants.MAX_LENGTH), 3), bytes(12_345, 4)];
  const copied = await up(sources);
  const results = await startCopy<HostTensor[]>(copied, 'cpu', { use_pinned_staging: false }).get();
  requireBytes(results, sources);
  release([copied, results]);
  trimCopies(device);
  trimCopies('cpu');
});

for (const strategy of blockStrategies) {
  test(`every byte of scattered blocks arrives, and none between them changes: ${strategy}`, { skip }, async () => {
    for (const { bytes: rowBytes, count } of blockShapes.filter((shape) => shape.bytes * shape.count <= 16 * MiB)) {
      const shape = [2 * count, rowBytes];
      const pinned = (seed: number): HostTensor => {
        const data = new Uint8Array(pinnedBuffer(2 * count * rowBytes, device));
        data.set(bytes(data.length, seed));
        return new HostTensor({ data, shape });
      };
      const [source, target] = [pinned(1), pinned(2)];
      const pairs = Array.from({ length: count }, (_, at) => [2 * at, 2 * count - 1 - at] as const);
      const expected = target.bytes.slice();
      for (const [from, to] of pairs) {
        expected.set(source.bytes.subarray(from * rowBytes, (from + 1) * rowBytes), to * rowBytes);
      }
      const [into, from] = (await up([target, source])) as [DeviceTensor, DeviceTensor];
      requireBytes(await down([await copyBlocks(source, into, pairs, { strategy }).get()]), [expected]);
      requireBytes([await copyBlocks(from, target, pairs, { strategy }).get()], [expected]);
      release([into, from, source, target]);
    }
    trimCopies(device);
  });
}

test('streams: the current one, the one asked for, and many at once', { skip }, async () => {
  const streams = [new CopyStream(device), new CopyStream(device)];
  const handles = [];
  for (let round = 0; round < 40; round += 1) {
    const stream = streams[round % 2];
    if (stream === undefined) continue;
    setCurrentStream(stream);
    handles.push(startCopy<DeviceTensor[]>([bytes(100 + round, round), bytes(MiB * (round % 7), round)], device));
  }
  resetCurrentStream(device);
  for (const [round, handle] of handles.entries()) {
    const copied = await handle.get();
    requireBytes(await down(copied), [bytes(100 + round, round), bytes(MiB * (round % 7), round)]);
  }
});

test('handles dropped and cancelled in the middle leave the engine working', { skip }, async () => {
  const large = bytes(200 * MiB, 1);
  for (let round = 0; round < 10; round += 1) {
    startCopy([large, bytes(10, round)], device);
    const cancelled = startCopy([large], device);
    if (cancelled.cancel()) await assert.rejects(cancelled.get(), { code: 'copy.cancelled' });
  }
  requireBytes(await down(await up([large])), [large]);
});

test('more device memory than there is is refused with the bytes asked for, and nothing is lost', {
  skip,
}, async () => {
  const { memoryBytes } = native.report().devices[0] ?? { memoryBytes: 0 };
  assert.throws(
    () => measureCopies({ device, direction: 'd2d', sizes: [memoryBytes] }),
    (error: { code: string; message: string }) =>
      error.code === 'run.out-of-memory' && error.message.includes(String(memoryBytes)),
  );
  requireBytes(await down(await up([bytes(1000, 1)])), [bytes(1000, 1)]);
});

test('a steady state allocates nothing, and the default ring holds at most 64 MiB', { skip }, () => {
  for (const direction of ['h2d', 'd2h'] as const) {
    const { allocations } = measureCopies({ device, direction, sizes: new Array(60).fill(4_000_000), repetitions: 20 });
    assert.equal(allocations, 0);
  }
  assert.ok(copyCounts(device).ringBytes <= 64 * MiB);
});

test('tensors of two GPUs are gathered on one, and come back', { skip: skipPair }, async () => {
  const sources = [1, 2, 3].map((seed) => bytes(9 * MiB + seed, seed));
  const [a, b, c] = sources;
  const [first] = await up([a]);
  const [second] = await startCopy<DeviceTensor[]>([b], 'cuda:1').get();
  for (const strategy of copyStrategies) {
    const gathered = await startCopy<DeviceTensor[]>([first, second, c], 'cuda:1', { strategy }).get();
    assert.deepEqual(
      gathered.map((one) => one.device),
      ['cuda:1', 'cuda:1', 'cuda:1'],
    );
    assert.equal(gathered[1], second);
    requireBytes(await down(gathered), sources);
    requireBytes(await down([first, second, gathered[2]]), sources);
  }
});
