/** What the blind set promises: the same for the same seed, executable on a GPU, short, free of races, and predictable. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blindExperiments, seeds } from '../../../bench/gpu/blind/blind.ts';
import { bufferBytes } from '../../../core/experiment/resources.ts';
import { findHazards } from '../../../core/hazards/hazards.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { capabilityGaps } from '../../../core/program/capabilities.ts';
import { lower } from '../../../core/program/lower.ts';
import { runs } from '../../support/effort.ts';
import { h200Costs } from '../machine/toy.ts';

it('any seed gives valid experiments', () => {
  // Of the first, one size had been a part of a byte.
  fc.assert(
    fc.property(fc.integer(), (seed) => blindExperiments(seed).length > 0),
    { examples: [[20_261_123]], numRuns: runs(20) },
  );
});

describe.each(seeds)('the blind set of seed %d', (seed) => {
  const entries = blindExperiments(seed);

  it('is the same each time, and each experiment is another one', () => {
    expect(blindExperiments(seed)).toEqual(entries);
    const programs = entries.map(({ experiment }) => JSON.stringify({ ...experiment, name: '' }));
    expect(new Set(programs).size).toBe(entries.length);
  });

  it.each(entries.map((entry) => [entry.id, entry] as const))(
    '%s runs on a GPU within 60 ms and 4 GiB, is free of races and can be predicted',
    (_, { experiment }) => {
      const program = lower(experiment);
      expect(capabilityGaps(experiment, 'cuda')).toEqual([]);
      expect(findHazards(program).hazards).toEqual([]);
      const onDevice = experiment.buffers.filter(({ memory }) => memory === 'device');
      expect(onDevice.reduce((sum, buffer) => sum + bufferBytes(buffer), 0)).toBeLessThan(2 ** 32);
      const { makespanNs } = simulate(program, h200Costs);
      expect(makespanNs).toBeGreaterThan(0);
      expect(makespanNs).toBeLessThan(60e6);
    },
  );
});
