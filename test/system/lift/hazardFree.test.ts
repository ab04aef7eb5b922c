/** The recorded programs are right: no race may be found in their lifted experiments, with or without a remedy. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findHazards } from '../../../core/explain/hazards/hazards.ts';
import { plannerOf } from '../../../core/lift/answers.ts';
import { experimentOf } from '../../../core/lift/experimentOf.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import type { Script } from '../../../core/lift/script.ts';
import { lower } from '../../../core/program/lower.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { h200Costs as costs } from '../../unit/machine/toy.ts';

const traces = ['pytorch-pairs', 'pytorch-pairs-h200', 'pytorch-unseen-h200'].flatMap((folder) =>
  readdirSync(`test/fixtures/${folder}`)
    .filter((file) => file.endsWith('.gz'))
    .map((file) => `${folder}/${file}`),
);

const hazards = (script: Script): string[] =>
  findHazards(lower(experimentOf(script, '').experiment)).hazards.map(({ kind, title }) => `${kind}: ${title}`);

describe.each(traces)('%s', (file) => {
  it('has no hazard, and gets none by what the plan changes', async () => {
    const { info, trace } = await importTraceFile(`test/fixtures/${file}`, 'test');
    const lifted = liftTrace(trace, file);
    expect(hazards(lifted.script)).toEqual([]);
    // The patterns of large traces are in the small ones too.
    if (trace.count > 3000) return;
    const planner = plannerOf(lifted, info, costs);
    for (const { changes } of planner.plan().remedies) {
      expect(hazards(planner.changed(changes)), changes.join()).toEqual([]);
    }
  });
});
