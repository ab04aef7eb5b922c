/** Steps are planned with what is known of the program before: that must not show. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { profileCosts } from '../../../core/cost/profileCosts.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { templates } from '../../../core/experiment/templates/templates.ts';
import { planProgram } from '../../../core/machine/plan.ts';
import { lowerUnverified } from '../../../core/program/lower.ts';
import type { Program } from '../../../core/program/program.ts';
import { edits, momentsOf } from '../support/edits.ts';
import { h200, h200Costs } from './toy.ts';

const costs = h200Costs;

/** Empty where the edit left what no engine could execute. */
function programOf(experiment: Experiment): Program[] {
  try {
    return [lowerUnverified(experiment)];
  } catch {
    return [];
  }
}

describe('planning after edits', () => {
  it('gives what it would give of a program that was never planned before', () => {
    fc.assert(
      fc.property(fc.constantFrom(...templates), edits, ({ build }, steps) => {
        const programs = momentsOf(build(), steps).flatMap(programOf);
        // One after the other, as while one edits; for other costs nothing is taken over that was planned before.
        const planned = programs.map((program) => planProgram(program, costs));
        const others = profileCosts({ ...h200 });
        expect(planned).toEqual(programs.map((program) => planProgram(program, others)));
      }),
    );
  });

  it('prices the same program anew where the profile or a declaration is another one', () => {
    const [program] = templates.slice(0, 1).flatMap(({ build }) => programOf(build()));
    if (program === undefined) throw new Error('the first template can be lowered');
    const slower = profileCosts({ ...h200, parameters: { ...h200.parameters, 'calls.launchNs': 9000 } });
    const pageable = {
      ...program,
      buffers: program.buffers.map((buffer) => ({ ...buffer, memory: 'pageable' as const })),
    };
    const usual = planProgram(program, costs);
    expect(planProgram(program, slower)).not.toEqual(usual);
    expect(planProgram(pageable, costs)).not.toEqual(usual);
    expect(planProgram(program, costs)).toEqual(usual);
  });
});
