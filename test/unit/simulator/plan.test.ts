/** Steps are planned with what is known of the program before: that must not show. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { templates } from '../../../core/experiment/templates/templates.ts';
import { lowerUnverified } from '../../../core/program/lower.ts';
import type { Program } from '../../../core/program/program.ts';
import { planProgram } from '../../../core/simulator/plan.ts';
import { parseProfile } from '../../../core/simulator/profile.ts';
import { edits, momentsOf } from '../support/edits.ts';

const profile = parseProfile(
  JSON.parse(readFileSync(new URL('../../../assets/profiles/h200.json', import.meta.url), 'utf8')),
);

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
        // One after the other, as while one edits; for another profile nothing is taken over that was planned before.
        const planned = programs.map((program) => planProgram(program, profile));
        expect(planned).toEqual(programs.map((program) => planProgram(program, structuredClone(profile))));
      }),
    );
  });

  it('prices the same program anew where the profile or a declaration is another one', () => {
    const [program] = templates.slice(0, 1).flatMap(({ build }) => programOf(build()));
    if (program === undefined) throw new Error('the first template can be lowered');
    const slower = { ...profile, calls: { ...profile.calls, launchNs: profile.calls.launchNs + 1000 } };
    const pageable = {
      ...program,
      buffers: program.buffers.map((buffer) => ({ ...buffer, memory: 'pageable' as const })),
    };
    const usual = planProgram(program, profile);
    expect(planProgram(program, slower)).not.toEqual(usual);
    expect(planProgram(pageable, profile)).not.toEqual(usual);
    expect(planProgram(program, profile)).toEqual(usual);
  });
});
