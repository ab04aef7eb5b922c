/** What calls of host threads cost by what was called before, and by whom. */
import { describe, expect, it } from 'vitest';
import type { DeviceProfile } from '../../../core/simulator/profile.ts';
import { simulate } from '../../../core/simulator/simulate.ts';
import { plainRows, program, programWith, run, toyProfile } from './toy.ts';

const withCalls = (calls: Partial<DeviceProfile['calls']>): DeviceProfile => ({
  ...toyProfile,
  calls: { ...toyProfile.calls, ...calls },
});
const copy = (stream = 'a') =>
  ({ op: 'copy', label: 'h2d', src: 'pinned', dst: 'device', stream, bytes: 100 }) as const;
const spin = (stream = 'a') => ({ op: 'kernel', kernel: { kind: 'spin', durationNs: 10 }, stream }) as const;
const record = { op: 'recordEvent', event: 'e', stream: 'a' } as const;
const pageable = { ...copy('b'), src: 'pageable' } as const;
/** How long each call lasts: alone a copy's takes 10 ns, a launch 20, an event 5. */
const lengths = (tested: Parameters<typeof run>[0], profile: DeviceProfile, thread = 'thread:main'): number[] =>
  run(tested, profile)
    .filter(({ lane, kind }) => lane === thread && kind === 'host-call')
    .map(({ start, end }) => end - start);

describe('the first calls of an iteration', () => {
  const profile = withCalls({ firstNs: 100, newPart: 0.5 });

  it('cost more: the very first, the first of each kind, and the first in each stream', () => {
    const tested = program([copy(), copy(), spin(), spin(), copy('b'), copy('b'), spin('b')]);
    // In a further stream a copy costs 0.4 of that more, a launch 0.12.
    expect(lengths(tested, profile)).toEqual([110, 10, 30, 20, 12, 10, 21]);
  });

  it('cost each thread more', () => {
    const tested = program([copy()], [copy('b')]);
    expect(lengths(tested, profile, 'thread:thread1')).toEqual([110]);
  });

  /** Of what a call would cost more after an endless preparation: half where that took 2.5 ms. */
  const part = (awayNs: number) => awayNs / (awayNs + 2.5e6);

  it('cost more the longer the buffers were prepared for, flushing counted in', () => {
    const down = { op: 'copy', src: 'device', dst: 'pinned', stream: 'a', bytes: 100 } as const;
    const first = (filled: boolean) => {
      const { trace } = simulate(program([down]), withCalls({ coldFirstNs: 3000 }), { filled });
      const [row] = plainRows(trace).filter(({ kind }) => kind === 'host-call');
      return [row?.start, (row?.end ?? 0) - (row?.start ?? 0)];
    };
    // A byte is filled in a nanosecond; 100,000 bytes are 1,562.5 lines, and flushing one takes 140 ns. Its thread begins later too.
    for (const [filled, preparedNs] of [[true, 100_000] as const, [false, 318_750] as const]) {
      const addedNs = 3000 * part(preparedNs);
      const [startNs = 0, callNs = 0] = first(filled);
      expect(Math.abs(startNs - 0.08 * addedNs)).toBeLessThan(1);
      expect(Math.abs(callNs - 10 - addedNs)).toBeLessThan(2);
    }
  });

  it('cost more of each kind by as much', () => {
    const cold = withCalls({ firstNs: 100, coldFirstNs: 100, newPart: 0.5, coldNewPart: 100.5 });
    const written = { op: 'write', buffer: 'pageable', bytes: 4, pattern: { kind: 'index' } } as const;
    expect(lengths(program([copy(), spin(), written]), cold)).toEqual([
      110,
      20 + Math.round(20 * (0.5 + 100 * part(100_000))),
    ]);
  });

  it('cost more before a multi-tensor copy, whatever was prepared', () => {
    const cold = withCalls({ firstNs: 100, coldFirstNs: 300 });
    const payload = { tensors: 1, bytes: 8, memory: 'pageable' };
    const multi = { op: 'multiCopy', stream: 'a', strategy: 'blocking-loop', payload } as never;
    expect(lengths(program([copy(), multi]), cold)[0]).toBe(110 + 0.42 * 200);
  });

  it('cost less more where they run little of the driver', () => {
    // Half of a launch and more is all of it.
    expect(lengths(program([record, copy()]), profile)).toEqual([5 + 50, 10 + 5]);
    const light = withCalls({ firstNs: 100, eventRecordNs: 2 });
    expect(lengths(program([record]), light)).toEqual([2 + 20]);
  });

  it('cost a little more the longer an iteration takes', () => {
    const cold = withCalls({ firstNs: 100, coldFirstNs: 3100 });
    const firstWith = (...more: Parameters<typeof program>[0]) => lengths(program([copy(), ...more]), cold)[0];
    const added = Math.round(3000 * part(0.06 * 1e6));
    expect(firstWith()).toBe(110);
    expect(firstWith({ op: 'work', durationNs: 1e6 })).toBe(110 + added);
    expect(firstWith({ op: 'kernel', kernel: { kind: 'spin', durationNs: 1e6 }, stream: 'a' })).toBe(110 + added);
    const rounds = { op: 'repeat', count: 1000, operations: [{ op: 'work', durationNs: 1e3 }] } as const;
    expect(firstWith(rounds)).toBe(110 + added);
  });

  it('cost more where they find nothing to wait for, and a part of it behind what they wait for', () => {
    const synchronize = { op: 'synchronizeStream', stream: 'a' } as const;
    const waits = (tested: Parameters<typeof run>[0], newPart: number) =>
      run(tested, withCalls({ newPart }))
        .filter(({ kind }) => kind === 'host-sync')
        .map(({ start, end }) => end - start);
    const done = program([copy(), { op: 'work', durationNs: 500 }, synchronize, synchronize]);
    expect(waits(done, 0.5)).toEqual([15, 10]);
    const pending = program([copy(), synchronize, copy(), synchronize]);
    const [first = 0, later] = waits(pending, 0);
    expect(waits(pending, 5)).toEqual([first + 0.18 * 5 * 10, later]);
  });

  it('leave what is captured as it is', () => {
    const captured = { op: 'graphCapture', graph: 'g', stream: 'a', operations: [copy(), spin()] } as const;
    expect(lengths(program([captured]), withCalls({ newPart: 0.5, otherNs: 7 }))).toEqual(
      lengths(program([captured]), toyProfile),
    );
  });
});

describe('calls in a row', () => {
  it('cost more where the one before put something else into a stream', () => {
    const tested = program([copy(), copy('b'), spin(), record, spin(), spin()]);
    // A record's call is a quarter as long as a launch.
    expect(lengths(tested, withCalls({ otherNs: 8 }))).toEqual([10, 10, 28, 7, 28, 20]);
  });

  it('cost more after their thread has moved memory, in proportion up to what the caches hold', () => {
    const write = (bytes: number) => ({ op: 'write', buffer: 'pageable', bytes, pattern: { kind: 'index' } }) as const;
    const cold = withCalls({ coldNs: 16, coldBytes: 50_000 });
    // A launch is 16 more, and a copy's call half as long as a launch.
    expect(lengths(program([copy(), write(25_000), copy(), write(100_000), copy(), copy()]), cold)).toEqual([
      10, 14, 18, 10,
    ]);
    expect(lengths(program([spin(), write(25_000), spin(), spin()]), cold)).toEqual([20, 28, 20]);
  });

  it('cost more since the last of their own kind: each finds its part of the driver gone', () => {
    const write = { op: 'write', buffer: 'pageable', bytes: 100_000, pattern: { kind: 'index' } } as const;
    const tested = program([copy(), spin(), record, write, record, copy(), spin(), copy()]);
    expect(lengths(tested, withCalls({ coldNs: 16, coldBytes: 50_000 }))).toEqual([10, 20, 5, 9, 18, 36, 10]);
  });

  it('count as in a row across a wait', () => {
    const tested = program([copy(), { op: 'synchronizeStream', stream: 'a' }, copy()]);
    expect(lengths(tested, withCalls({ otherNs: 7 }))).toEqual([10, 10]);
  });
});

describe('a copy within the device', () => {
  const within = { op: 'copy', src: 'device', dst: 'device2', stream: 'a', bytes: 100 } as const;
  const slow = withCalls({ launchNs: 4, newPart: 0.5, otherNs: 7 });

  it('is another kind of call than a copy over the link', () => {
    // The first of its kind costs half as much more, and follows another kind.
    expect(lengths(program([copy(), within, copy()]), slow)).toEqual([10, 10 + 5 + 7, 10 + 7]);
  });

  it('finds most of what it runs where a launch was before, as a launch and a memset do behind it', () => {
    const memset = { op: 'memset', buffer: 'device', bytes: 100, value: 0, stream: 'a' } as const;
    const profile = withCalls({ newPart: 1 });
    // A launch takes 20 otherwise, and a memset's call 10.
    expect(lengths(program([within, spin(), memset, memset]), profile)).toEqual([10, 28, 14, 10]);
  });

  it('is a launch in a row of them, until their thread waits', () => {
    const wait = { op: 'synchronizeStream', stream: 'a' } as const;
    expect(lengths(program([within, within, within, wait, within]), slow)).toEqual([10, 4, 4, 10]);
  });
});

describe('calls of several threads', () => {
  const profile = withCalls({ meetingNs: 4 });

  it('take longer where they meet, and only there', () => {
    const apart = { op: 'work', durationNs: 50 } as const;
    const tested = program([spin(), apart, spin()], [copy('b')]);
    // Main's launch begins first; the copy of the other thread finds it under way.
    expect(lengths(tested, profile)).toEqual([20, 20]);
    expect(lengths(tested, profile, 'thread:thread1')).toEqual([14]);
  });

  it('take longer for each one that they meet', () => {
    const tested = program([spin()], [copy('b')], [copy('b')]);
    expect(lengths(tested, profile, 'thread:thread2')).toEqual([18]);
  });

  it('meet one that is staging, and one that waits for the device', () => {
    const waiting = program(
      [spin(), { op: 'synchronizeStream', stream: 'a' }],
      [{ op: 'work', durationNs: 25 }, copy('b')],
    );
    expect(lengths(waiting, profile, 'thread:thread1')).toEqual([14]);
    const staging = programWith({}, [pageable], [{ op: 'work', durationNs: 150 }, copy()]);
    expect(lengths(staging, profile, 'thread:thread1')).toEqual([14]);
  });

  it('of one thread never meet', () => {
    const tested = program([copy(), copy(), pageable, spin()]);
    expect(lengths(tested, profile)).toEqual(lengths(tested, toyProfile));
  });
});
