/** What recording and cold caches add, and the rules that recordings on an H200 showed. */
import { describe, expect, it } from 'vitest';
import { type DeviceProfile, parseProfile } from '../../../core/simulator/profile.ts';
import { whileRecording, withoutRecorder } from '../../../core/simulator/recorder.ts';
import { simulate } from '../../../core/simulator/simulate.ts';
import { h200, program, programWith, run, toyProfile } from './toy.ts';

const recorder = {
  ...{ source: 'made up', callNs: 5, nodeCallNs: 1, nodeNs: 2, copyNodeNs: 3, copyGapNs: 7 },
  ...{ startNs: 4, stepGapNs: 0, tensorNs: 1, firstNs: 9, coldFirstNs: 90, newPart: 0.5, coldNewPart: 2 },
};
const recorded = { ...toyProfile, recorder };
const copy = (bytes: number) =>
  ({ op: 'copy', label: 'h2d', src: 'pinned', dst: 'device', stream: 'a', bytes }) as const;
const device = (rows: ReturnType<typeof run>) =>
  rows.filter(({ lane }) => lane.startsWith('stream:')).map(({ start, end }) => [start, end]);
const host = (rows: ReturnType<typeof run>) =>
  rows.filter(({ lane }) => lane.startsWith('thread:')).map(({ start, end }) => [start, end]);

describe('a machine while it is recorded', () => {
  it('has longer calls, a late first one, and gaps between copies', () => {
    const rows = run(program([copy(100), copy(100)]), whileRecording(recorded));
    // Starts at 4; the first call takes 10 + 5 + 9, the second 10 + 5.
    expect(host(rows)).toEqual([
      [4, 28],
      [28, 43],
    ]);
    // Of the 9 that the first takes longer, 0.11 parts fall behind its handing over.
    expect(device(rows)).toEqual([
      [30, 130],
      [137, 237],
    ]);
  });

  it('lets a thread rest between its steps', () => {
    const rows = run(
      program([copy(100), copy(100)]),
      whileRecording({ ...recorded, recorder: { ...recorder, stepGapNs: 3 } }),
    );
    expect(host(rows)).toEqual([
      [4, 28],
      [31, 46],
    ]);
  });

  it('adds to a copy what it says of copies, and to other calls what it says of those', () => {
    const { copies, calls, memset } = whileRecording({ ...toyProfile, recorder: { ...recorder, copyCallNs: 50 } });
    const added = [copies.h2d.pinned.call, copies.d2d.call, memset.call].map((table) => table[0]?.ns ?? 0);
    const own = [toyProfile.copies.h2d.pinned.call, toyProfile.copies.d2d.call, toyProfile.memset.call];
    expect(added.map((ns, index) => ns - (own[index]?.[0]?.ns ?? 0))).toEqual([50, 50, 5]);
    expect(calls.launchNs - toyProfile.calls.launchNs).toBe(5);
  });

  it('is the machine itself where the profile says nothing of a recorder', () => {
    expect(whileRecording(toyProfile)).toBe(toyProfile);
  });

  it('leaves predictions alone that are not held against recorded runs', () => {
    const two = program([copy(100), copy(100)]);
    expect(run(two, recorded)).toEqual(run(two, toyProfile));
  });

  it.each([
    ['toy', recorded],
    ['H200', h200],
  ])('without its recorder is what it was: %s', (_, profile) => {
    const back = withoutRecorder(whileRecording(profile), profile);
    // Adding and taking away again leaves the last bit of a number open.
    const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(12)) : value);
    const written = (one: DeviceProfile) => parseProfile(JSON.parse(JSON.stringify(one, rounded)));
    expect(written(back)).toEqual(written(profile));
  });
});

describe('calls and copies', () => {
  it('a call is longer after its thread has moved memory, up to what the caches hold', () => {
    const cached = { bytes: 1000, bytesPerSecond: 1e9 };
    const profile = {
      ...toyProfile,
      calls: { ...toyProfile.calls, coldNs: 100 },
      host: { ...toyProfile.host, cached },
    };
    const callAfter = (bytes: number) => {
      const read = { op: 'read', buffer: 'pinned', bytes } as const;
      const [, call] = host(run(program([read, copy(100)]), profile));
      return (call?.[1] ?? 0) - (call?.[0] ?? 0);
    };
    expect([callAfter(200), callAfter(500), callAfter(1000), callAfter(5000)].map(Math.round)).toEqual([
      20, 35, 60, 60,
    ]);
  });

  it('a copy to the device that finds work in its stream takes no less than one on the engine, but for the smallest', () => {
    const queue = { ...toyProfile.queue, queuedCopyNs: 4000, commandCopyBytes: 1024, acrossEnginesNs: 500 };
    expect(device(run(program([copy(1025), copy(1025), copy(1024)]), { ...toyProfile, queue }))).toEqual([
      [13, 1038],
      [1038, 5038],
      [5538, 6562],
    ]);
  });

  it('cudaMalloc waits for the device only where the profile says so', () => {
    const kernel = { op: 'kernel', kernel: { kind: 'spin', durationNs: 5000 }, stream: 'a' } as const;
    const allocate = { op: 'allocate', buffer: 'made', allocator: 'cuda-malloc', stream: 'a' } as const;
    const mine = { id: 'made', memory: 'device', bytes: 100, allocated: 'by-operation' };
    const made = programWith({ buffers: [mine] }, [kernel, allocate]);
    const lasts = (mallocSynchronizes: boolean) => {
      const memory = { ...toyProfile.memory, mallocSynchronizes };
      const rows = run(made, { ...toyProfile, memory });
      return Math.max(...host(rows).map(([, end]) => end ?? 0));
    };
    expect(lasts(true)).toBeGreaterThan(5000);
    expect(lasts(false)).toBeLessThan(5000);
    expect(simulate(made, toyProfile).makespanNs).toBeGreaterThan(5000);
  });
});
