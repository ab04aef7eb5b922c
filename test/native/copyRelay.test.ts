/** startCopy over the links of several devices: on simulated ones, each with its faults. */
import { afterEach, expect, test } from 'vitest';
import { copyCounts, measureCopies, trimCopies } from '../../native/copy/measure.ts';
import type { CopyOptions } from '../../native/copy/startCopy.ts';
import { type DeviceTensor, type HostTensor, pinnedBuffer, startCopy } from '../../native/index.ts';
import { bytes, calm, device, expectBytes, other, simulate } from './copySupport.ts';
import { describeNative } from './support.ts';

const MiB = 2 ** 20;
const sources = [1, 2, 3].map((seed) => bytes(6 * MiB + seed, seed));
const relayed: CopyOptions = { relay: [1], chunkBytes: 65_536, slotBytes: 65_536 };

const up = (data: unknown, options: CopyOptions = relayed): Promise<DeviceTensor[]> =>
  startCopy<DeviceTensor[]>(data, device, options).get();
const down = (data: unknown, options: CopyOptions = relayed): Promise<HostTensor[]> =>
  startCopy<HostTensor[]>(data, 'cpu', options).get();

describeNative('startCopy, relays', () => {
  afterEach(() => {
    simulate(calm);
    simulate({ ...calm, device: other });
  });

  test.each([
    ['one device', relayed],
    ['several', { ...relayed, relay: [1, 2, 3] }],
    ['all with peer access', { ...relayed, relay: 'auto' }],
    ['large slots', { relay: [1] }],
  ] as const)('brings every byte there and back over the link of %s', async (_, options) => {
    const pinned = new Uint8Array(pinnedBuffer(7 * MiB, device));
    pinned.set(bytes(7 * MiB, 9));
    const all = [...sources, bytes(100, 4), pinned];
    const copied = await up(all, options);
    expectBytes(await down(copied, options), all);
    expectBytes(await down(copied, { ...options, use_pinned_staging: false }), all);
    expectBytes(await down(copied, {}), all);
    expect(copyCounts(device).relayBytes).toBeGreaterThan(0);
    trimCopies(device);
    expect(copyCounts(device).relayBytes).toBe(0);
  });

  test('a failure on the relay device rejects, says where, and the next copy is right', async () => {
    for (const failing of [device, other]) {
      // The target's own link would take seconds: the relay surely comes to a chunk before.
      simulate({ delayNs: 20_000_000 });
      simulate({ device: failing, failAfter: 0 });
      const message = failing === other ? expect.stringContaining('relay device 1') : expect.any(String);
      await expect(up(sources)).rejects.toMatchObject({ code: 'engine.cuda', message });
      simulate(calm);
      simulate({ ...calm, device: failing });
      expectBytes(await down(await up(sources)), sources);
    }
  });

  test('a cancelled copy ends soon on both devices', async () => {
    simulate({ delayNs: 5_000_000, holdNext: 1 });
    simulate({ device: other, delayNs: 5_000_000 });
    const handle = startCopy([bytes(64 * MiB)], device, relayed);
    const result = handle.get();
    // It can't be through.
    expect(handle.cancel()).toBe(true);
    simulate({ holdNext: 0 });
    await expect(result).rejects.toMatchObject({ code: 'copy.cancelled' });
    simulate(calm);
    simulate({ ...calm, device: other });
    expectBytes(await down(await up(sources)), sources);
  });

  test('without peer access a named device is refused, and "auto" leaves it out', async () => {
    // A device that no copy has gone through yet.
    const apart = 'cpu-device:7';
    simulate({ device: apart, peers: 0 });
    const target = 'cpu-device:6';
    const options = { ...relayed, relay: [7] };
    expect(() => startCopy(sources, target, options)).toThrow(
      expect.objectContaining({
        code: 'copy.no-peer-access',
        field: 'relay',
        message: expect.stringMatching(/device 6.*device 7/),
        remedy: expect.stringContaining('Leave device 7 out'),
      }),
    );
    const copied = await startCopy<DeviceTensor[]>(sources, target, { ...options, relay: 'auto' }).get();
    expectBytes(await down(copied, {}), sources);
    simulate({ ...calm, device: apart });
  });

  test.each([
    ['what it is for', { relay: [0] }, 'copy.bad-option'],
    ['a device that is not there', { relay: [8] }, 'copy.no-device'],
    ['a device named twice', { relay: [1, 1] }, 'copy.bad-option'],
    ['half a device', { relay: [0.5] }, 'copy.bad-option'],
    ['another word', { relay: 'all' }, 'copy.bad-option'],
    ['a strategy without relays', { relay: [1], strategy: 'packed' }, 'copy.bad-option'],
  ])('refuses %s', (_, options, code) => {
    expect(() => startCopy(sources, device, options as CopyOptions)).toThrow(expect.objectContaining({ code }));
  });

  test('a steady state allocates nothing', () => {
    for (const direction of ['h2d', 'd2h'] as const) {
      for (const memory of ['pageable', 'pinned'] as const) {
        const found = measureCopies({ device, direction, memory, sizes: new Array(9).fill(MiB), ...relayed });
        expect(found).toMatchObject({ wrong: 0, checked: 18 * MiB, allocations: 0 });
      }
    }
  });
});
