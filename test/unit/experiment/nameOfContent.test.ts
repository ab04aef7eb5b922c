import { describe, expect, it } from 'vitest';
import { freeNewName, isNewName, nameOfContent } from '../../../core/experiment/nameOfContent.ts';
import { experimentOf } from '../support/experiments.ts';

const buffers = [
  { id: 'host', memory: 'pinned', bytes: 64_000_000 },
  { id: 'device', memory: 'device', bytes: 64_000_000 },
];
const named = (operations: readonly object[]) =>
  nameOfContent(experimentOf({ buffers, streams: [{ id: 'side' }] }, operations));
const upload = { op: 'copy', src: 'host', dst: 'device', stream: 'side' };
const kernel = { op: 'kernel', kernel: { kind: 'spin', durationNs: 5 }, stream: 'default' };

describe('an experiment that nobody has named', () => {
  it('is called by what it copies and computes', () => {
    expect(named([upload, kernel, kernel])).toBe('H2D 64 MB pinned, 2 kernels, 2 streams');
    expect(named([upload, upload, { ...upload, src: 'device', dst: 'host', bytes: 4096 }])).toBe(
      '2 × H2D 64 MB pinned, D2H 4 KiB pinned',
    );
    expect(named([{ op: 'repeat', count: 3, operations: [kernel] }])).toBe('kernel');
  });

  it('an experiment without copies and kernels is named by its first operation, and an empty one has no name', () => {
    expect(named([{ op: 'work', durationNs: 1500 }])).toBe('work 1.50 µs');
    expect(named([])).toBeNull();
  });

  it('has a number until then, where there are several', () => {
    expect(freeNewName(new Set())).toBe('New experiment');
    expect(freeNewName(new Set(['New experiment', 'New experiment 2']))).toBe('New experiment 3');
    expect(['New experiment', 'New experiment 12', 'New experiment of mine', 'Mine'].map(isNewName)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
