import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../../core/code/code.ts';
import { applyChange } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { findHazards } from '../../../core/explain/hazards/hazards.ts';
import { copyOnce } from '../../../core/explain/remedies/copyOnce.ts';
import { doubleBuffer } from '../../../core/explain/remedies/doubleBuffer.ts';
import { joinedCopies } from '../../../core/explain/remedies/joinCopies.ts';
import { lower } from '../../../core/program/lower.ts';
import { experimentOf } from '../support/experiments.ts';

const example = JSON.parse(readFileSync('assets/examples/pipelines/dataset-loop.json', 'utf8'));
/** The example with another number of rounds. */
const loopOf = (count: number): Experiment => {
  const made = structuredClone(example);
  made.threads[0].operations[0].count = count;
  return requireExperiment(made);
};
const withOperations = (...operations: object[]): Experiment =>
  experimentOf(
    {
      buffers: [
        { id: 'host', memory: 'pinned', bytes: 64, pattern: { kind: 'random', seed: 7 } },
        { id: 'device', memory: 'device', bytes: 64 },
      ],
      streams: [{ id: 'side' }],
    },
    operations,
  );
const copy = { op: 'copy', src: 'host', dst: 'device', bytes: 4, srcStepBytes: 4, dstStepBytes: 8 };
const repeat = (count: number, ...operations: object[]) => ({ op: 'repeat', count, operations });
const offsetsOf = (experiment: Experiment) =>
  lower(experiment).threads[0]?.instructions.map((one) =>
    one.code === 'copy' ? [one.srcOffset, one.dstOffset] : 'offset' in one ? one.offset : one.code,
  );
const contentOf = (experiment: Experiment, id: string) => {
  const { buffers, expectations } = lower(experiment);
  return expectations.filter(({ buffer }) => buffers[buffer]?.id === id).map(({ buffer: _, ...rest }) => rest);
};

describe('a repeat with moving offsets', () => {
  it('moves each operation by its step, begins again in each round of an outer loop, and leaves other loops alone', () => {
    const memset = { op: 'memset', buffer: 'device', bytes: 4, offset: 8, stepBytes: 4 };
    const fixed = repeat(9, { op: 'work', durationNs: 1 });
    expect(offsetsOf(withOperations(repeat(2, repeat(2, copy), fixed), memset))).toEqual([
      ...['repeat', [0, 0], [4, 8], 'repeat', 'work', 'endRepeat', 'endRepeat'],
      8,
    ]);
    const range = { op: 'range', name: 'round', operations: [memset] };
    expect(offsetsOf(withOperations(repeat(2, range, repeat(1, copy))))).toEqual([
      ...['beginRange', 8, 'endRange', [0, 0]],
      ...['beginRange', 12, 'endRange', [0, 0]],
    ]);
  });

  it('lets the host read what each round brings', () => {
    const read = { op: 'read', buffer: 'host', bytes: 4, stepBytes: 4 };
    const reads = lower(withOperations(repeat(3, read))).threads[0]?.instructions;
    expect(reads?.map((one) => one.code === 'read' && one.expected?.patternOffset)).toEqual([0, 4, 8]);
  });

  it('names the round that leaves its buffer', () => {
    expect(() => lower(withOperations(repeat(9, copy)))).toThrow(
      expect.objectContaining({
        field: 'threads[0].operations[0].operations[0].dstStepBytes',
        message: 'round 9 reaches bytes 64 to 68, beyond "device" (64 bytes).',
        remedy: 'Use at most 8 rounds, or make "device" larger.',
      }),
    );
    const many = { op: 'write', buffer: 'host', bytes: 1, stepBytes: 1, pattern: { kind: 'index', seed: 0 } };
    expect(() =>
      lower(withOperations(repeat(64, many, ...Array.from({ length: 60 }, () => repeat(64, many))))),
    ).toThrow('more than 200000 operations');
  });

  it('is no race if each round touches bytes of its own', () => {
    const own = [copy, { ...copy, stream: 'side', dstOffset: 4 }];
    expect(findHazards(lower(withOperations(repeat(8, ...own)))).hazards).toEqual([]);
    const same = { ...copy, stream: 'side', dstOffset: 8 };
    expect(findHazards(lower(withOperations(repeat(7, copy, same)))).hazards).toHaveLength(1);
  });

  it('is a loop in both languages', () => {
    const text = (language: 'cuda' | 'pytorch') => codeOf(loopOf(16), language).text;
    expect(text('cuda')).toContain('for (std::size_t i = 0; i < 16; ++i) {');
    expect(text('cuda')).toContain('cudaMemcpyAsync(batch, dataset + i * 4 * MiB, 4 * MiB,');
    expect(text('pytorch')).toContain('for i in range(16):');
    expect(text('pytorch')).toContain('batch.copy_(dataset[i * 4 * MiB : 4 * MiB + i * 4 * MiB], non_blocking=True)');
  });

  it('brings new data in each round, so no remedy copies it once', () => {
    expect(copyOnce(loopOf(16))).toBeNull();
    expect(copyOnce(withOperations(repeat(2, { ...copy, srcStepBytes: undefined })))).toBeNull();
  });

  it.each([15, 16])('fills two buffers in turn with the same result after %i rounds', (count) => {
    const before = loopOf(count);
    const change = doubleBuffer(before);
    expect(change).not.toBeNull();
    const after = change === null ? before : applyChange(before, change);
    expect(after.buffers).toHaveLength(before.buffers.length + 1);
    expect(contentOf(after, 'results')).toEqual(contentOf(before, 'results'));
  });

  it('is one copy if each step continues the last one, and no other loop of steps is', () => {
    const change = joinedCopies(withOperations(repeat(8, { ...copy, dstStepBytes: 4 })));
    expect(change?.patches[0]?.value).toMatchObject([{ op: 'copy', bytes: 32 }]);
    expect(change?.patches[0]?.value[0]).not.toHaveProperty('srcStepBytes');
    expect(joinedCopies(withOperations(repeat(8, copy)))).toBeNull();
  });
});
