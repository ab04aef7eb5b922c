/** What the corpus promises: every kind of operation, 4 B to 1 GiB, executable on a GPU, and predictable. */
import { describe, expect, it } from 'vitest';
import { corpus } from '../../../bench/gpu/corpus/corpus.ts';
import { walkOperations } from '../../../core/experiment/experiment.ts';
import { operationNames } from '../../../core/experiment/operations.ts';
import { findHazards } from '../../../core/hazards/hazards.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { capabilityGaps } from '../../../core/program/capabilities.ts';
import { lower } from '../../../core/program/lower.ts';
import { h200Costs } from '../machine/toy.ts';

const entries = corpus();

describe('the corpus', () => {
  it('has at least 60 experiments, each under its own name', () => {
    expect(entries.length).toBeGreaterThanOrEqual(60);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  });

  it('covers every kind of operation, and copies from 4 B to 1 GiB', () => {
    const kinds = new Set<string>();
    for (const { experiment } of entries) {
      for (const { operations } of experiment.threads) walkOperations(operations, ({ op }) => kinds.add(op));
    }
    expect(operationNames.filter((name) => !kinds.has(name))).toEqual([]);
    const sizes = entries.flatMap(({ experiment }) => experiment.buffers.flatMap(({ bytes }) => bytes ?? []));
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([4, 2 ** 30]);
  });

  it.each(entries.map((entry) => [entry.id, entry] as const))(
    '%s runs on a GPU, is free of races and can be predicted',
    (_, entry) => {
      const program = lower(entry.experiment);
      expect(capabilityGaps(entry.experiment, 'cuda')).toEqual([]);
      expect(findHazards(program).hazards).toEqual([]);
      expect(simulate(program, h200Costs).makespanNs).toBeGreaterThan(0);
    },
  );
});
