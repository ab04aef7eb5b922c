/** Tests of startCopy: directions, options, streams, failures, reused memory. */
import { afterEach, expect, test } from 'vitest';
import { copyCounts } from '../../bench/support/measureCopies.ts';
import {
  CopyStream,
  currentStream,
  type DeviceTensor,
  HostTensor,
  release,
  resetCurrentStream,
  setCurrentStream,
  startCopy,
} from '../../native/index.ts';
import { bytes, calm, device, expectBytes, other, simulate } from './copySupport.ts';
import { describeNative } from './support.ts';

const MiB = 2 ** 20;
const up = (data: unknown): Promise<DeviceTensor[]> => startCopy<DeviceTensor[]>(data, device).get();
const down = (data: unknown): Promise<HostTensor[]> => startCopy<HostTensor[]>(data, 'cpu').get();
const storagesOf = (tensors: readonly DeviceTensor[]): number => new Set(tensors.map(({ storage }) => storage)).size;
describeNative('startCopy, copies', () => {
  afterEach(() => {
    simulate(calm);
    simulate({ ...calm, device: other });
  });

  test.each([true, false])('packs 52 small tensors into one allocation, pinned staging %s', async (pinned) => {
    for (const strategy of ['packed', 'pipelined'] as const) {
      const sources = Array.from({ length: 52 }, (_, index) => bytes(10 + index * 3, index));
      const options = { strategy, use_pinned_staging: pinned };
      const copied = await startCopy<DeviceTensor[]>(sources, device, options).get();
      expect(storagesOf(copied)).toBe(1);
      expectBytes(await down(copied), sources);
      const apart = await startCopy<DeviceTensor[]>(sources, device, { ...options, pack_cpu_tensors: false }).get();
      expect(storagesOf(apart)).toBe(52);
      expectBytes(await down(apart), sources);
    }
  });

  test('brings results to the host into page-locked memory where asked, small ones together', async () => {
    const sources = Array.from({ length: 50 }, (_, index) => bytes(40 + index, index));
    const copied = await up(sources);
    const pinned = await down(copied);
    expect(pinned.every(({ isPinned: locked }) => locked)).toBe(true);
    expect(new Set(pinned.map(({ data }) => data.buffer)).size).toBe(1);
    expectBytes(pinned, sources);
    const pageable = await startCopy<HostTensor[]>(copied, 'cpu', { use_pinned_staging: false }).get();
    expect(pageable.some(({ isPinned: locked }) => locked)).toBe(false);
    expectBytes(pageable, sources);
  });

  test('returns what is on the target already as it is, unless a copy is asked for', async () => {
    const host = new Float32Array([1, 2]);
    const [there] = await up([host]);
    expect(await up([there])).toEqual([there]);
    const [kept] = await startCopy<unknown[]>([host], 'cpu').get();
    expect(kept).toBe(host);
    const [twin] = await startCopy<DeviceTensor[]>([there], device, { copy: true }).get();
    expect(twin).not.toBe(there);
    expect(twin?.storage).not.toBe(there?.storage);
    const [duplicate] = await startCopy<HostTensor[]>([host], 'cpu', { copy: true }).get();
    host[0] = 9;
    expect(Array.from((duplicate?.data ?? []) as Float32Array)).toEqual([1, 2]);
    expect(Array.from(((await down([twin]))[0]?.data ?? []) as Float32Array)).toEqual([1, 2]);
  });

  test('gathers tensors from host and other devices onto one, and back', async () => {
    const sources = [1, 2, 3].map((seed) => bytes(500_000, seed));
    const [a, b, c] = sources;
    const [first] = await up([a]);
    const [second] = await startCopy<DeviceTensor[]>([b], other).get();
    const gathered = await startCopy<DeviceTensor[]>([first, second, c], other).get();
    expect(gathered.map((one) => one.device)).toEqual([other, other, other]);
    expect(gathered[1]).toBe(second);
    expectBytes(await down(gathered), sources);
    expectBytes(await down([first, second, gathered[2]]), sources);
  });

  test('returns before the copy is done, and is ready once it is', async () => {
    for (const size of [100, 6 * MiB]) {
      simulate({ holdNext: 1 });
      const handle = startCopy<DeviceTensor[]>([bytes(size)], device);
      expect(handle.ready()).toBe(false);
      const promise = handle.get();
      expect(handle.get()).toBe(promise);
      simulate({ holdNext: 0 });
      await promise;
      expect(handle.ready()).toBe(true);
    }
  });

  test('cancels a long copy, gives its memory back, and works on', async () => {
    simulate({ delayNs: 5_000_000, holdNext: 1 });
    const before = copyCounts(device).device.usedBytes;
    const handle = startCopy([bytes(64 * MiB)], device, { slotBytes: 65_536, slotsPerThread: 1, threads: 2 });
    const result = handle.get();
    // The copy can't have finished.
    expect(handle.cancel()).toBe(true);
    expect(handle.cancel()).toBe(false);
    simulate({ holdNext: 0 });
    await expect(result).rejects.toMatchObject({ code: 'copy.cancelled' });
    // Results of earlier tests may have been collected since.
    expect(copyCounts(device).device.usedBytes).toBeLessThanOrEqual(before);
    simulate(calm);
    expectBytes(await down(await up([bytes(5)])), [bytes(5)]);
  });

  test('copies in the stream that was current at the call, or in the one asked for', async () => {
    const [stream, aside] = [new CopyStream(device), new CopyStream(device)];
    try {
      expect(currentStream(device)).toBeNull();
      setCurrentStream(stream);
      expect(currentStream(device)).toBe(stream);
      simulate({ holdNext: 1 });
      const slow = startCopy<DeviceTensor[]>([bytes(100, 1)], device);
      resetCurrentStream(device);
      // This copy comes after the slow one in its stream; another stream doesn't wait.
      const behind = startCopy<DeviceTensor[]>([bytes(100, 2)], device, { stream });
      const beside = startCopy<DeviceTensor[]>([bytes(100, 3)], device, { stream: aside });
      aside.synchronize();
      expect(beside.ready()).toBe(true);
      expect([slow.ready(), behind.ready()]).toEqual([false, false]);
      simulate({ holdNext: 0 });
      stream.synchronize();
      expect([slow.ready(), behind.ready()]).toEqual([true, true]);
      const results = await Promise.all([slow, behind, beside].map((handle) => handle.get()));
      expectBytes(
        await down(results.flat()),
        [1, 2, 3].map((seed) => bytes(100, seed)),
      );
    } finally {
      resetCurrentStream(device);
    }
    expect(() => startCopy([bytes(1)], other, { stream })).toThrow(
      expect.objectContaining({ code: 'copy.bad-option', field: 'stream' }),
    );
  });

  test('released results are refused, and their buffers detached; other memory is left alone', async () => {
    const mine = bytes(10);
    const [there] = await up([mine]);
    const [back] = await down([there]);
    release([there, back, mine, new HostTensor({ data: mine })]);
    expect(there?.storage?.isReleased).toBe(true);
    expect(back?.data.byteLength).toBe(0);
    expect(mine).toEqual(bytes(10));
    expect(() => startCopy([there], 'cpu')).toThrow(expect.objectContaining({ code: 'copy.released' }));
  });

  test.each([
    ['strategy', { strategy: 'quick' }],
    ['threads', { threads: 0 }],
    ['slotBytes', { slotBytes: 100 }],
    ['min_packed_alignment_bytes', { min_packed_alignment_bytes: 1.5 }],
    ['pack_cpu_tensors', { pack_cpu_tensors: 1 }],
  ])('refuses a bad %s', (field, options) => {
    expect(() => startCopy([bytes(1)], device, options as object)).toThrow(
      expect.objectContaining({ code: 'copy.bad-option', field }),
    );
  });
});
