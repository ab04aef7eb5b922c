import { expect, it } from 'vitest';
import { changedWords, programDifferences } from '../../../core/explain/compare/programs.ts';
import { experimentOf } from '../support/experiments.ts';

type Memory = 'pageable' | 'pinned';
type Operations = Parameters<typeof experimentOf>[1];

const kernel = { op: 'kernel', id: 'kernel1', kernel: { kind: 'spin', durationNs: 1000 } } as const;
const copy = { op: 'copy', id: 'copy1', src: 'host', dst: 'gpu' } as const;
const buffers = (memory: Memory) => [
  { id: 'host', memory, bytes: 1024 },
  { id: 'other', memory: 'pinned' as const, bytes: 1024 },
  { id: 'gpu', memory: 'device' as const, bytes: 1024 },
];
const program = (operations: Operations, memory: Memory = 'pageable') =>
  experimentOf({ buffers: buffers(memory), streams: [{ id: 'side' }] }, operations);

const before = program([copy, kernel, { op: 'synchronizeDevice', id: 'synchronizeDevice1' }]);

it('finds no difference between equal programs, whatever their names and iterations', () => {
  const other = { ...structuredClone(before), name: 'other', environment: { ...before.environment, iterations: 9 } };
  expect(programDifferences(before, other)).toEqual([]);
  expect(changedWords(before, other)).toBeUndefined();
});

it('names the memory, stream, mode and duration that changed, with what they belong to', () => {
  const after = program(
    [
      { ...copy, stream: 'side', mode: 'blocking-to' },
      { ...kernel, kernel: { kind: 'spin', durationNs: 2000 } },
      { op: 'synchronizeDevice', id: 'synchronizeDevice1' },
    ],
    'pinned',
  );
  expect(programDifferences(before, after)).toEqual([
    'pinned instead of pageable (host)',
    'stream side instead of legacy default (H2D 1.00 KiB)',
    'blocking-to instead of async (H2D 1.00 KiB)',
    expect.stringMatching(/^duration 2 .s instead of 1 .s \(spin kernel\)$/),
  ]);
  expect(changedWords(before, after)).toBe('pinned instead of pageable, 3 more');
});

it('names the memory of a copy that reads another buffer', () => {
  const after = program([{ ...copy, src: 'other' }, kernel, { op: 'synchronizeDevice', id: 'synchronizeDevice1' }]);
  expect(programDifferences(before, after)).toEqual(['pinned instead of pageable (H2D 1.00 KiB)']);
});

it('names operations that were added, removed, moved into a group, or put in another order', () => {
  expect(programDifferences(before, program([copy, kernel, kernel2, kernel3]))).toEqual([
    'with 2 × spin kernel',
    'without synchronize device',
  ]);
  expect(programDifferences(before, program([kernel, copy, synchronize]))).toEqual(['another order of operations']);
  const repeat = { op: 'repeat', id: 'repeat1', count: 2, operations: [copy, kernel] } as const;
  expect(programDifferences(before, program([{ ...repeat, operations: [...repeat.operations] }, synchronize]))).toEqual(
    ['in repeat1 instead of main (H2D 1.00 KiB, spin kernel)', expect.stringMatching(/^with /)],
  );
});

const kernel2 = { ...kernel, id: 'kernel2' };
const kernel3 = { ...kernel, id: 'kernel3' };
const synchronize = { op: 'synchronizeDevice', id: 'synchronizeDevice1' } as const;
