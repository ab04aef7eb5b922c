/** The addon's objects in JavaScript, passed as wrong arguments; and how JavaScript learns that a copy has ended. */
import { afterEach, expect, test } from 'vitest';
import {
  type NativeStorage,
  type NativeStream,
  nativeCopies,
  type StartedCopy,
  type StridedLeaf,
} from '../../native/copy/nativeCopies.ts';
import { CopyStream, type DeviceTensor, startCopy } from '../../native/index.ts';
import { eventually } from '../unit/support/eventually.ts';
import { bytes, calm, device, other, simulate } from './copySupport.ts';
import { describeNative } from './support.ts';

const upload = (count: number, stream?: NativeStream, strided: readonly StridedLeaf[] = []): StartedCopy =>
  nativeCopies().copyUpload({
    device,
    leaves: [bytes(count)],
    elementSizes: undefined,
    strided,
    options: undefined,
    stream,
  });

const download = (storage: NativeStorage, count: number, offset = 0): StartedCopy =>
  nativeCopies().copyDownload({
    device,
    storages: [storage],
    storageOf: Int32Array.of(0),
    offsets: Float64Array.of(offset),
    bytes: Float64Array.of(count),
    elementSizes: Uint8Array.of(1),
    options: undefined,
    stream: undefined,
  });

const refusal = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (thrown) {
    const { code, field, message } = thrown as { code: string; field: string; message: string };
    return { code, field, message };
  }
};

const heard = (copy: StartedCopy): Promise<void> =>
  new Promise((resolve) => nativeCopies().copyNotify(copy.copy, resolve));

/** Casts a value whose TypeScript type the addon can't check. */
const as = <T>(value: unknown): T => value as T;

describeNative('the handles of the addon', () => {
  afterEach(() => {
    simulate(calm);
    simulate({ ...calm, device: other });
  });

  test('a stream, a copy and memory each are refused where another of them belongs', async () => {
    const started = upload(100);
    const [storage] = started.storages as [NativeStorage];
    const { native: stream } = new CopyStream(device);
    const addon = nativeCopies();
    const code = 'native.bad-argument';
    expect(refusal(() => download(as(stream), 100))).toEqual({
      code,
      field: 'storages',
      message: 'copy: storages must be the memory of a tensor.',
    });
    expect(refusal(() => addon.copyRelease(as(stream)))).toMatchObject({ code, field: 'storage' });
    expect(refusal(() => addon.copyRelease(as(started.copy)))).toMatchObject({ code, field: 'storage' });
    expect(refusal(() => addon.copySynchronize(as(storage)))).toMatchObject({ code, field: 'stream' });
    expect(refusal(() => addon.copyState(as(storage)))).toMatchObject({ code, field: 'copy' });
    expect(refusal(() => addon.copyNotify(as(stream), () => undefined))).toMatchObject({ code, field: 'copy' });
    expect(refusal(() => upload(100, as(storage)))).toMatchObject({ code, field: 'stream' });
    // All objects still work.
    await heard(started);
    addon.copySynchronize(stream);
    await heard(download(storage, 100));
    addon.copyRelease(storage);
  });

  test.each([
    ['from before the memory on', 4096, 2 ** 64 - 2048, 'offsets'],
    ['of more bytes than there are', 2 ** 64 - 2048, 2048, 'bytes'],
  ])('a tensor %s is refused', (_, count, offset, field) => {
    const [storage] = upload(4096).storages as [NativeStorage];
    expect(refusal(() => download(storage, count, offset))).toMatchObject({ code: 'native.bad-argument', field });
  });

  test.each<[string, Partial<StridedLeaf>]>([
    ['of 2^64 bytes', { shape: [2 ** 32, 2 ** 32], strides: [0, 0] }],
    ['that ends behind its memory', { shape: [101], strides: [1] }],
    ['that goes back before its memory', { shape: [2], strides: [-1] }],
  ])('a layout %s is refused', (_, layout) => {
    const strided = [{ index: 0, offset: 0, shape: [], strides: [], ...layout }];
    expect(refusal(() => upload(100, undefined, strided))).toMatchObject({
      ...{ code: 'native.bad-argument', field: 'strided' },
    });
  });

  test('a stream that the device can not make is an error, and the next one is made', () => {
    simulate({ failHandleAfter: 0 });
    expect(() => new CopyStream(device)).toThrow(expect.objectContaining({ code: 'engine.cuda' }));
    new CopyStream(device).synchronize();
  });
});

describeNative('the end of a copy', () => {
  afterEach(() => simulate(calm));

  test.each([
    ['a small one on the wire', 100, 1_000_000],
    ['a small one that may have arrived', 100, 0],
    ['one in the background', 8 << 20, 0],
  ])('the end of a copy is announced from the event loop, never within copyNotify: %s', async (_, count, delayNs) => {
    simulate({ delayNs });
    const started = upload(count);
    let told = 0;
    const both = [1, 2].map(
      (step) =>
        new Promise<void>((resolve) => {
          nativeCopies().copyNotify(started.copy, () => {
            told += step;
            resolve();
          });
        }),
    );
    expect(told).toBe(0);
    await Promise.all(both);
    expect(told).toBe(3);
    // A copy that ended long ago is reported too.
    await heard(started);
    expect(nativeCopies().copyState(started.copy)).toBe(1);
  });

  test('others have their turn while a small copy is waited for', async () => {
    simulate({ holdNext: 1 });
    const handle = startCopy<DeviceTensor[]>([bytes(100)], device);
    let turns = 0;
    let ended = false;
    const turn = (): void => {
      turns += 1;
      if (!ended) setImmediate(turn);
    };
    setImmediate(turn);
    const result = handle.get();
    await eventually(() => expect(turns).toBeGreaterThan(1));
    expect(handle.ready()).toBe(false);
    simulate({ holdNext: 0 });
    await result;
    ended = true;
  });
});
