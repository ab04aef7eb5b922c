import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { simEngine } from '../../../core/cost/simEngine.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { lower } from '../../../core/program/lower.ts';
import { summarizeRun } from '../../../core/summary/summary.ts';
import { causes } from '../../../core/verdicts/verdict.ts';
import { h200 } from '../machine/toy.ts';

const document = readFileSync('docs/summary-format.md', 'utf8');

function fieldNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fieldNames);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...fieldNames(inner)]);
}

describe('docs/summary-format.md', () => {
  it('names every field of a summary', async () => {
    const engine = simEngine(async () => h200, {
      machine: { os: 'test', cpu: 'test', cores: 2 },
      version: '0.0.0',
      pause: async () => {},
    });
    const experiment = requireExperiment(readFileSync('assets/examples/overlap/pinned-side-stream.json', 'utf8'));
    const run = await engine.run({ experiment, program: lower(experiment), profile: 'h200' });
    const names = [...new Set(fieldNames(summarizeRun(run)))];
    expect(names.length).toBeGreaterThan(60);
    const missing = names.filter((name) => !new RegExp(`\`[^\`]*\\b${name}\\b[^\`]*\``).test(document));
    expect(missing).toEqual([]);
  });

  it('explains every cause', () => {
    for (const cause of causes) expect(document).toContain(`\`${cause}\``);
  });
});
