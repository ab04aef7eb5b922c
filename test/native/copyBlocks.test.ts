/** Tests of copyBlocks: every byte, order, errors. */
import { afterEach, expect, test } from 'vitest';
import { blockStrategies } from '../../core/experiment/operations.ts';
import { CopyStream, copyBlocks, type DeviceTensor, HostTensor, pinnedBuffer, startCopy } from '../../native/index.ts';
import { bytes, calm, device, other, simulate } from './copySupport.ts';
import { describeNative } from './support.ts';

const rows = 24;
const rowBytes = 4099;
/** Every other row, backwards. */
const pairs = Array.from({ length: rows / 2 }, (_, at) => [2 * at, rows - 1 - at] as const);

const onHost = (data: Uint8Array): HostTensor => new HostTensor({ data, shape: [rows, rowBytes] });
const onDevice = (data: HostTensor, to = device): Promise<DeviceTensor> => startCopy<DeviceTensor>(data, to).get();

function pinned(fill: Uint8Array): HostTensor {
  const data = new Uint8Array(pinnedBuffer(fill.length, device));
  data.set(fill);
  return onHost(data);
}

function expected(source: Uint8Array, target: Uint8Array): Uint8Array {
  const made = target.slice();
  for (const [from, to] of pairs) made.set(source.subarray(from * rowBytes, (from + 1) * rowBytes), to * rowBytes);
  return made;
}

const bytesOf = async (tensor: HostTensor | DeviceTensor): Promise<Uint8Array> =>
  (tensor instanceof HostTensor ? tensor : await startCopy<HostTensor>(tensor, 'cpu').get()).bytes;

const [from, before] = [bytes(rows * rowBytes, 3), bytes(rows * rowBytes, 8)];

describeNative('copyBlocks', () => {
  afterEach(() => simulate(calm));

  for (const strategy of blockStrategies) {
    test.each(['pinned', 'pageable'])(
      `by ${strategy} every byte arrives in both directions, %s memory`,
      async (memory) => {
        if (strategy === 'kernel' && memory === 'pageable') return;
        const host = memory === 'pinned' ? pinned : onHost;
        const up = await onDevice(onHost(before));
        expect(await copyBlocks(host(from.slice()), up, pairs, { strategy }).get()).toBe(up);
        expect(Buffer.compare(await bytesOf(up), expected(from, before))).toBe(0);
        const down = host(before.slice());
        await copyBlocks(await onDevice(onHost(from)), down, pairs, { strategy }).get();
        expect(Buffer.compare(down.bytes, expected(from, before))).toBe(0);
      },
    );
  }

  test('a table of measurements decides for auto', async () => {
    const us = { loop: 1, batch: null, kernel: null, packed: null };
    const row = { direction: 'h2d', bytes: 4096, count: 16, us } as const;
    const table = { format: 'copyscope/blocks', version: 1, device: 'x', date: '2026-11-30' } as const;
    const target = await onDevice(onHost(before));
    // A loop makes more than one call.
    simulate({ failAfter: 1 });
    const options = (fastest: 'loop' | 'kernel') => ({ table: { ...table, rows: [{ ...row, fastest }] } });
    await copyBlocks(pinned(from), target, pairs, options('kernel')).get();
    expect(() => copyBlocks(pinned(from), target, pairs, options('loop'))).toThrow(/failed this copy/);
  });

  test('wrong requests name field and remedy', async () => {
    const [host, up] = [onHost(from), await onDevice(onHost(before))];
    const away = await onDevice(onHost(before), other);
    const narrow = new HostTensor({ data: from, shape: [rows * rowBytes] });
    const stream = new CopyStream(other);
    for (const [code, field, call] of [
      ['copy.bad-tensor', 'target', () => copyBlocks(host, host, pairs)],
      ['copy.bad-tensor', 'target', () => copyBlocks(away, up, pairs)],
      ['copy.bad-tensor', 'target', () => copyBlocks(narrow, up, pairs)],
      ['copy.bad-blocks', 'blocks', () => copyBlocks(host, up, [[0, rows]])],
      ['copy.bad-blocks', 'blocks', () => copyBlocks(host, up, [[0.5, 0]])],
      ['copy.bad-option', 'strategy', () => copyBlocks(host, up, pairs, { strategy: 'fast' as 'loop' })],
      ['copy.bad-option', 'strategy', () => copyBlocks(host, up, pairs, { strategy: 'kernel' })],
      ['copy.bad-option', 'strategy', () => copyBlocks(up, up, pairs, { strategy: 'packed' })],
      ['copy.bad-option', 'table', () => copyBlocks(host, up, pairs, { table: {} as never })],
      ['copy.bad-option', 'stream', () => copyBlocks(host, up, pairs, { stream })],
    ] as const) {
      expect(call).toThrow(expect.objectContaining({ code, field, remedy: expect.stringMatching(/\.$/) }));
    }
  });
});
