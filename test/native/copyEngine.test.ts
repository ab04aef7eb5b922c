/** What startCopy promises of copies: directions, options, streams, failures, memory that is used again. */
import { freemem } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { copyStrategies } from '../../core/experiment/operations.ts';
import { dtypes } from '../../native/copy/dtypes.ts';
import { copyCounts, trimCopies } from '../../native/copy/measure.ts';
import {
  CopyStream,
  currentStream,
  type DeviceTensor,
  HostTensor,
  isPinned,
  pinnedBuffer,
  release,
  resetCurrentStream,
  setCurrentStream,
  startCopy,
} from '../../native/index.ts';
import { eventually } from '../unit/support/eventually.ts';
import { bytes, calm, device, expectBytes, other, simulate, tensor } from './copySupport.ts';
import { describeNative } from './support.ts';

const MiB = 2 ** 20;
const up = (data: unknown): Promise<DeviceTensor[]> => startCopy<DeviceTensor[]>(data, device).get();
const down = (data: unknown): Promise<HostTensor[]> => startCopy<HostTensor[]>(data, 'cpu').get();
const storagesOf = (tensors: readonly DeviceTensor[]): number => new Set(tensors.map(({ storage }) => storage)).size;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describeNative('startCopy, copies', () => {
  afterEach(() => {
    simulate(calm);
    simulate({ ...calm, device: other });
  });

  test.each(copyStrategies)('brings every byte there and back: %s', async (strategy) => {
    const sources = [0, 1, 100, 4000, 300_000, 5 * MiB + 3].map((size, index) => bytes(size, index));
    const copied = await startCopy<DeviceTensor[]>(sources, device, { strategy }).get();
    expectBytes(await startCopy<HostTensor[]>(copied, 'cpu', { strategy }).get(), sources);
    expectBytes(await startCopy<HostTensor[]>(copied, 'cpu', { strategy, use_pinned_staging: false }).get(), sources);
    release(copied);
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

  test.each([1, 16, 6])('aligns packed tensors of every dtype to %i bytes and to their elements', async (alignment) => {
    const sources = dtypes.flatMap((dtype, index) => [tensor(dtype, 3, index), tensor('uint8', 1, index)]);
    const strided = new HostTensor({ data: new Float32Array(9).fill(2), shape: [3, 3], strides: [1, 3] });
    const copied = await startCopy<DeviceTensor[]>([...sources, strided], device, {
      min_packed_alignment_bytes: alignment,
    }).get();
    const elementBytes = sources.map(({ byteLength, shape }) => byteLength / (shape[0] ?? 1));
    copied.slice(0, -1).forEach(({ byteOffset }, index) => {
      const element = elementBytes[index] ?? 1;
      expect(byteOffset % (Math.ceil(Math.max(alignment, element) / element) * element)).toBe(0);
    });
    // The strided one is left out of the common allocation.
    expect(storagesOf(copied)).toBe(2);
    const back = await down(copied);
    expect(back.map(({ dtype }) => dtype)).toEqual([...sources, strided].map(({ dtype }) => dtype));
    expectBytes(
      back.slice(0, -1),
      sources.map((source) => source.bytes),
    );
  });

  test('starts a new allocation at the chunk limit, and gives larger tensors their own', async () => {
    const small = Array.from({ length: 20 }, (_, index) => bytes(100, index));
    const limited = await startCopy<DeviceTensor[]>(small, device, { max_packed_chunk_bytes: 512 }).get();
    expect(storagesOf(limited)).toBe(5);
    expectBytes(await down(limited), small);
    const mixed = [bytes(100), bytes(256 * 1024), bytes(256 * 1024 + 1), bytes(7)];
    const copied = await up(mixed);
    expect(storagesOf(copied)).toBe(2);
    expect(copied[0]?.storage).toBe(copied[3]?.storage);
    expectBytes(await down(copied), mixed);
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

  test('copies from page-locked memory as from any other', async () => {
    const buffer = pinnedBuffer(6 * MiB, device);
    const view = new Uint8Array(buffer);
    expect(isPinned(view)).toBe(true);
    view.set(bytes(6 * MiB, 3));
    expectBytes(await down(await up([view, view.subarray(5, 1000), bytes(10)])), [
      view,
      view.subarray(5, 1000),
      bytes(10),
    ]);
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

  test('with the background thread off, the copy is done when startCopy returns', async () => {
    simulate({ delayNs: 1_000_000 });
    const source = bytes(3 * MiB);
    const handle = startCopy<DeviceTensor[]>([source], device, { use_background_thread: false });
    expect(handle.ready()).toBe(true);
    expect(handle.cancel()).toBe(false);
    const back = startCopy<HostTensor[]>(await handle.get(), 'cpu', { use_background_thread: false });
    expect(back.ready()).toBe(true);
    expectBytes(await back.get(), [source]);
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

  test.each([
    ['small', 100],
    ['large', 9 * MiB],
  ])('rejects where a copy fails in the middle, %s, and works on', async (_, size) => {
    const sources = [bytes(size, 1), bytes(size, 2)];
    for (const background of [true, false]) {
      simulate({ failAfter: size > MiB ? 2 : 0 });
      const handle = startCopy(sources, device, { use_background_thread: background });
      await expect(handle.get()).rejects.toMatchObject({ name: 'CopyscopeError', code: 'engine.cuda' });
      simulate(calm);
      expectBytes(await down(await up(sources)), sources);
    }
  });

  test('says how much memory was asked for and is free where there is too little', async () => {
    trimCopies(device);
    simulate({ memoryBytes: 1 });
    expect(() => startCopy([bytes(3 * MiB)], device)).toThrow(
      expect.objectContaining({ code: 'run.out-of-memory', message: expect.stringContaining(`${3 * MiB} bytes`) }),
    );
    simulate(calm);
    expectBytes(await down(await up([bytes(100)])), [bytes(100)]);
  });

  test.runIf(process.platform === 'linux')(
    'brings more into ordinary host memory than it may keep, and refuses what is more than there is',
    async () => {
      const all = new HostTensor({ data: new Uint8Array(1), shape: [2 ** 52], strides: [0] });
      const refused = expect.objectContaining({
        code: 'run.out-of-memory',
        message: expect.stringMatching(/; \d+ are free\.$/),
      });
      expect(() => startCopy([all], 'cpu', { copy: true })).toThrow(refused);
      // It kept a quarter of what was free at the first use. Zeros that nobody wrote take no memory, nor do results that
      // nothing was copied into.
      const view = new Uint8Array(64 * MiB);
      const views = new Array<Uint8Array>(Math.ceil((0.4 * freemem()) / view.length)).fill(view);
      const handle = startCopy(views, 'cpu', { copy: true });
      handle.cancel();
      const end = await handle.get().then(
        () => 'copied',
        ({ code }: { code: string }) => code,
      );
      // Where this thread gets no turn it is all there before.
      expect(['copied', 'copy.cancelled']).toContain(end);
    },
  );

  test('cancels a long copy, gives its memory back, and works on', async () => {
    simulate({ delayNs: 5_000_000, holdNext: 1 });
    const before = copyCounts(device).device.usedBytes;
    const handle = startCopy([bytes(64 * MiB)], device, { slotBytes: 65_536, slotsPerThread: 1, threads: 2 });
    const result = handle.get();
    // It can't be through.
    expect(handle.cancel()).toBe(true);
    expect(handle.cancel()).toBe(false);
    simulate({ holdNext: 0 });
    await expect(result).rejects.toMatchObject({ code: 'copy.cancelled' });
    // Results of earlier tests may have been collected meanwhile.
    expect(copyCounts(device).device.usedBytes).toBeLessThanOrEqual(before);
    simulate(calm);
    expectBytes(await down(await up([bytes(5)])), [bytes(5)]);
  });

  test('a dropped handle, and a rejection that nobody asks for, disturb nothing', async () => {
    simulate({ delayNs: 2_000_000 });
    for (let round = 0; round < 20; round += 1) startCopy([bytes(1000 + round), bytes(5 * MiB)], device);
    simulate({ failAfter: 1 });
    const failing = startCopy([bytes(20 * MiB)], device);
    await eventually(() => expect(failing.ready()).toBe(true));
    // A rejection that nobody handles is told by then.
    await new Promise((resolve) => setImmediate(resolve));
    simulate(calm);
    const sources = [bytes(5 * MiB, 8), bytes(10, 9)];
    expectBytes(await down(await up(sources)), sources);
  });

  test('sources may be collected and changed once the handle is ready', async () => {
    const handles = Array.from({ length: 10 }, (_, seed) => startCopy<DeviceTensor[]>([bytes(6 * MiB, seed)], device));
    for (const [seed, handle] of handles.entries()) {
      const copied = await handle.get();
      expectBytes(await down(copied), [bytes(6 * MiB, seed)]);
      release(copied);
    }
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
      // Behind the slow copy in its stream; another stream doesn't wait.
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

  test('a steady state allocates nothing', async () => {
    const sources = [bytes(1000), bytes(2000), bytes(300_000), bytes(6 * MiB)];
    const allocations = (): number => {
      const { pinned, device: memory, eventsMade, threadsStarted } = copyCounts(device);
      return pinned.allocations + memory.allocations + eventsMade + threadsStarted;
    };
    let before = 0;
    for (let round = 0; round < 12; round += 1) {
      if (round === 4) before = allocations();
      const copied = await up(sources);
      const results = await down(copied);
      release([copied, results]);
      await turn();
      await turn();
    }
    expect(allocations()).toBe(before);
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
