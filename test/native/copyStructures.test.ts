/** startCopy with nested data: copied values, passed-through values, refused values. */
import { expect, test } from 'vitest';
import type { CopyscopeError } from '../../core/errors.ts';
import { DeviceTensor, HostTensor, startCopy } from '../../native/index.ts';
import { bytes, device } from './copySupport.ts';
import { describeNative } from './support.ts';

const roundTrip = async <T>(data: unknown): Promise<T> =>
  startCopy<T>(await startCopy(data, device).get(), 'cpu').get();

const values = (result: unknown): unknown[] => {
  if (!(result instanceof HostTensor)) throw new Error('no host tensor');
  return Array.from(result.data as Float32Array);
};

function thrownBy(body: () => unknown): CopyscopeError {
  try {
    body();
  } catch (thrown) {
    return thrown as CopyscopeError;
  }
  throw new Error('nothing was thrown');
}

describeNative('startCopy, structures', () => {
  test('copies nested arrays, objects and maps with their values, dtypes and shapes', async () => {
    const shaped = new HostTensor({ data: new Int16Array([1, 2, 3, 4, 5, 6]), shape: [2, 3] });
    const data = {
      images: [new Float32Array([1.5, 2.5]), [new Float64Array([3.25]), { deep: new BigInt64Array([-4n]) }]],
      byName: new Map<unknown, unknown>([['shaped', shaped]]),
    };
    const handle = startCopy<typeof data>(data, device);
    const copied = await handle.get();
    expect(handle.ready()).toBe(true);
    expect(copied.byName.get('shaped')).toMatchObject({ dtype: 'int16', shape: [2, 3], device, byteLength: 12 });
    const back = await startCopy<{ images: [unknown, [unknown, { deep: unknown }]]; byName: Map<string, unknown> }>(
      copied,
      'cpu',
    ).get();
    expect(values(back.images[0])).toEqual([1.5, 2.5]);
    expect(values(back.images[1][0])).toEqual([3.25]);
    expect(values(back.images[1][1].deep)).toEqual([-4n]);
    expect(back.byName.get('shaped')).toMatchObject({ dtype: 'int16', shape: [2, 3] });
    expect(values(back.byName.get('shaped'))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('copies Buffers and DataViews as bytes, and parts of larger buffers', async () => {
    const large = bytes(100);
    const data = [Buffer.from('hello'), new DataView(large.buffer, 10, 5), large.subarray(20, 27)];
    const back = await roundTrip<HostTensor[]>(data);
    expect(back.map(({ dtype }) => dtype)).toEqual(['uint8', 'uint8', 'uint8']);
    expect(Buffer.from(back[0]?.bytes ?? []).toString()).toBe('hello');
    expect(back[1]?.bytes).toEqual(large.slice(10, 15));
    expect(back[2]?.bytes).toEqual(large.slice(20, 27));
  });

  test('passes everything else through by identity', async () => {
    class Opaque {
      readonly inner = new Float32Array(2);
    }
    const opaque = new Opaque();
    const set = new Set([1]);
    const fn = (): number => 1;
    const data = { opaque, set, fn, text: 'x', nothing: null, missing: undefined, number: 3n };
    const copied = await startCopy<typeof data>(data, device).get();
    expect(copied).toEqual(data);
    expect(copied).not.toBe(data);
    expect(copied.opaque).toBe(opaque);
    expect(copied.set).toBe(set);
    expect(copied.fn).toBe(fn);
  });

  test('takes a tensor, or none, as the root', async () => {
    const root = await startCopy<DeviceTensor>(new Float32Array([7]), device).get();
    expect(root).toBeInstanceOf(DeviceTensor);
    expect(values(await startCopy(root, 'cpu').get())).toEqual([7]);
    const none = startCopy('text', device);
    expect(none.ready()).toBe(true);
    expect(await none.get()).toBe('text');
    expect(await startCopy([], device).get()).toEqual([]);
  });

  test('copies a value that occurs twice, and refuses data that contains itself', async () => {
    const shared = [new Uint8Array([9])];
    const back = await roundTrip<HostTensor[][]>([shared, shared]);
    expect(back.map(([one]) => values(one))).toEqual([[9], [9]]);
    const cyclic: unknown[] = [];
    cyclic.push({ again: new Map([['here', cyclic]]) });
    expect(thrownBy(() => startCopy(cyclic, device))).toMatchObject({ code: 'copy.cyclic', field: 'data' });
    let deep: unknown = 1;
    for (let level = 0; level < 5000; level += 1) deep = [deep];
    expect(thrownBy(() => startCopy(deep, device)).code).toBe('copy.too-deep');
  });

  test('copies strided tensors, overlapping ones too', async () => {
    const data = Int32Array.from({ length: 12 }, (_, at) => at);
    const strided = {
      transposed: new HostTensor({ data, shape: [4, 3], strides: [1, 4] }),
      backwards: new HostTensor({ data, shape: [12], strides: [-1], offset: 11 }),
      windows: new HostTensor({ data, shape: [5, 4], strides: [2, 1] }),
      scalar: new HostTensor({ data, shape: [], offset: 5 }),
      plain: new HostTensor({ data, shape: [3, 2], offset: 4 }),
    };
    const back = await roundTrip<Record<keyof typeof strided, HostTensor>>(strided);
    expect(values(back.transposed)).toEqual([0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    expect(values(back.backwards)).toEqual([...data].reverse());
    expect(values(back.windows)).toEqual([0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 8, 9, 8, 9, 10, 11]);
    expect(values(back.scalar)).toEqual([5]);
    expect(values(back.plain)).toEqual([4, 5, 6, 7, 8, 9]);
    expect(back.transposed.shape).toEqual([4, 3]);
  });

  test.each([
    ['data', { data: new Uint8Array(5), dtype: 'float32' as const }],
    ['shape', { data: new Uint8Array(5), shape: [6] }],
    ['shape', { data: new Uint8Array(5), shape: [-1] }],
    ['shape', { data: new Uint8Array(5), shape: [2, 2], strides: [4, 1] }],
    ['strides', { data: new Uint8Array(5), shape: [2], strides: [1, 1] }],
    ['offset', { data: new Uint8Array(5), shape: [1], offset: -1 }],
    // 2^64 bytes.
    ['shape', { data: new Uint8Array(1), shape: [2 ** 32, 2 ** 32], strides: [0, 0] }],
  ])('refuses a host tensor with a bad %s', (field, init) => {
    expect(thrownBy(() => new HostTensor(init))).toMatchObject({ code: 'copy.bad-tensor', field });
  });

  test.each(['', 'gpu', 'cuda:x', 'cuda:1000', 'cpu-device:8', 'cpu-device:-1', 'CPU'])(
    'refuses the device "%s"',
    (name) => {
      expect(thrownBy(() => startCopy([new Uint8Array(1)], name))).toMatchObject({ field: 'device' });
    },
  );
});
