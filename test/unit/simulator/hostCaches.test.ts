import { describe, expect, it } from 'vitest';
import { HostCaches } from '../../../core/simulator/hostCaches.ts';
import { simulate } from '../../../core/simulator/simulate.ts';
import { type Operations, plainRows, program, programWith, run, times, toyProfile } from './toy.ts';

const MB = 1_000_000;
const [mine, other] = [0, 1];
const buffer = 7;

describe('what lies in the caches of the thread that wrote it', () => {
  it('is what was written, until its processor has moved 1.5 MB more', () => {
    const caches = new HostCaches();
    caches.wrote(mine, buffer, 100, 1000);
    expect(caches.freshBytes(buffer, 0, 2000)).toBe(1000);
    expect(caches.freshBytes(buffer, 600, 200)).toBe(200);
    expect(caches.freshBytes(8, 0, 2000)).toBe(0);
    caches.moved(other, 9 * MB);
    expect(caches.freshBytes(buffer, 0, 2000)).toBe(1000);
    caches.moved(mine, 1.5 * MB - 400);
    expect(caches.freshBytes(buffer, 0, 2000)).toBe(400);
    caches.moved(mine, MB);
    expect(caches.freshBytes(buffer, 0, 2000)).toBe(0);
  });

  it('is the end of what was written, where that is more', () => {
    const caches = new HostCaches();
    caches.wrote(mine, buffer, 0, 2 * MB);
    caches.wrote(mine, buffer, 2 * MB, 2 * MB);
    expect(caches.freshBytes(buffer, 0, 4 * MB)).toBe(1.5 * MB);
    expect(caches.freshBytes(buffer, 0, 2 * MB)).toBe(0);
  });

  it('is each byte once, and no longer what something else has overwritten', () => {
    const caches = new HostCaches();
    caches.wrote(mine, buffer, 0, 1000);
    caches.wrote(other, buffer, 500, 1000);
    expect(caches.freshBytes(buffer, 0, 5000)).toBe(1500);
    caches.overwritten(buffer, 400, 300);
    expect(caches.freshBytes(buffer, 0, 5000)).toBe(1200);
    expect(caches.freshBytes(buffer, 600, 200)).toBe(100);
    caches.overwritten(buffer, 0, 5000);
    expect(caches.freshBytes(buffer, 0, 5000)).toBe(0);
  });

  it('forgets what was written first where that is in many places', () => {
    const caches = new HostCaches();
    for (let place = 0; place < 100; place += 1) caches.wrote(mine, buffer, 10 * place, 5);
    expect(caches.freshBytes(buffer, 0, 1000)).toBe(5 * 64);
  });
});

describe('copies of page-locked memory that a thread has just written', () => {
  const profile = { ...toyProfile, link: { ...toyProfile.link, freshFactor: 2, overFreshFactor: 1.5 } };
  const copies = (operations: Operations) => times(run(program(operations), profile), 'copy');
  const write = { op: 'write', buffer: 'pinned', bytes: 100, pattern: { kind: 'constant', value: 1 } };
  const h2d = { op: 'copy', src: 'pinned', dst: 'device', stream: 'a', bytes: 200 };
  const d2h = { op: 'copy', src: 'device', dst: 'pinned', stream: 'a', bytes: 200 };
  const lengths = (operations: Operations) => copies(operations).map(([, start, end]) => end - start);

  it('take longer to the device, and longer from it over what lies in the caches', () => {
    expect(lengths([h2d])).toEqual([200]);
    expect(lengths([write, h2d])).toEqual([300]);
    expect(lengths([write, d2h])).toEqual([250]);
  });

  it('find nothing in the caches where a copy has written since', () => {
    expect(lengths([write, d2h, h2d])).toEqual([250, 200]);
  });

  it('are as long as ever where what was written is pageable', () => {
    expect(lengths([{ ...write, buffer: 'pageable' }, h2d])).toEqual([200]);
  });

  it('take longer for their bytes, and not for how long any copy takes', () => {
    const { h2d: inwards } = profile.copies;
    const flat = { bytes: 2 ** 30, ns: 200 };
    const device = { ...inwards.pinned, device: [{ bytes: 1, ns: 200 }, flat] };
    const slow = { ...profile, copies: { ...profile.copies, h2d: { ...inwards, pinned: device } } };
    expect(times(run(program([write, h2d]), slow), 'copy').map(([, start, end]) => end - start)).toEqual([300]);
  });

  it('take longer out of what a thread has just pinned', () => {
    expect(lengths([{ op: 'pin', src: 'pageable', dst: 'pinned' }, h2d])).toEqual([400]);
  });
});

describe('buffers that were filled before the iteration', () => {
  const MiB = 2 ** 20;
  const profile = { ...toyProfile, link: { ...toyProfile.link, overFreshFactor: 2 } };
  const filled = (bytes: number, options: object) => {
    const declared = [
      { id: 'device', memory: 'device', bytes },
      { id: 'pinned', memory: 'pinned', bytes },
    ];
    const tested = programWith({ buffers: declared }, [{ op: 'copy', src: 'device', dst: 'pinned', stream: 'a' }]);
    const big = { ...profile, device: { ...profile.device, memoryBytes: 2 ** 40 } };
    const [row] = plainRows(simulate(tested, big, options).trace).filter(({ kind }) => kind === 'copy');
    return row === undefined ? Number.NaN : row.end - row.start;
  };

  it('lie in the caches of one thread, or the end of each part in those of several', () => {
    expect(filled(MiB, { filled: true })).toBe(2 * MiB);
    expect(filled(MiB, {})).toBe(MiB);
    expect(filled(4 * MiB, { filled: true })).toBe(4 * MiB + 1.5 * MB);
    expect(filled(16 * MiB, { filled: true })).toBe(16 * MiB + 4 * 1.5 * MB);
  });
});

describe('copies that begin while data moves the other way', () => {
  it('take longer', () => {
    const link = { ...toyProfile.link, bothBytesPerSecond: 2e9, h2dBesideNs: 5, d2hBesideNs: 7 };
    const both = program([
      { op: 'copy', label: 'h2d', src: 'pinned', dst: 'device', stream: 'a', bytes: 100 },
      { op: 'copy', label: 'd2h', src: 'device2', dst: 'pinned2', stream: 'b', bytes: 100 },
      { op: 'copy', label: 'h2d', src: 'pinned', dst: 'device', stream: 'a', bytes: 100 },
    ]);
    expect(times(run(both, { ...toyProfile, link }), 'copy')).toEqual([
      ['h2d', 13, 113],
      ['d2h', 23, 130],
      ['h2d', 113, 218],
    ]);
  });
});
