import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { insertExperiment } from '../../../core/experiment/edit/operations.ts';
import { atEndOf } from '../../../core/experiment/edit/paths.ts';
import { parseExperiment, requireExperiment } from '../../../core/experiment/parse.ts';
import { emptyExperiment } from '../../../core/experiment/templates/build.ts';
import { strategyB } from '../../../core/experiment/templates/strategies.ts';
import { templates } from '../../../core/experiment/templates/templates.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { capabilityGaps } from '../../../core/program/capabilities.ts';
import { lower } from '../../../core/program/lower.ts';
import { h200Costs as costs } from '../machine/toy.ts';

const shipped = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../assets/${path}`, import.meta.url), 'utf8'));

describe('templates', () => {
  for (const { id, build } of templates) {
    it(`${id} parses, lowers, and simulates where the simulator has what it needs`, () => {
      const experiment = build();
      expect(parseExperiment(JSON.parse(JSON.stringify(experiment)))).toEqual({ ok: true, experiment });
      const program = lower(experiment);
      const gaps = capabilityGaps(experiment, 'sim');
      if (gaps.length === 0) expect(simulate(program, costs).makespanNs).toBeGreaterThan(0);
      else expect(gaps.every(({ reason }) => reason.length > 0)).toBe(true);
    });

    it(`${id} can be inserted twice into one experiment`, () => {
      const empty = emptyExperiment();
      const once = insertExperiment(empty, build(), atEndOf(empty, 0)).experiment;
      const twice = insertExperiment(once, build(), atEndOf(once, 0)).experiment;
      expect(twice.buffers).toHaveLength(2 * build().buffers.length);
      expect(twice.threads).toHaveLength(2 * build().threads.length - 1);
      expect(() => lower(twice)).not.toThrow();
    });
  }

  it('strategy B is the shipped example', () => {
    expect(requireExperiment(shipped('examples/pipelines/strategy-b.json'))).toEqual(strategyB());
  });
});
