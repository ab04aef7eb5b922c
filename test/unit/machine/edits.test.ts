import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Operation, OperationOf } from '../../../core/experiment/operations.ts';
import { templates } from '../../../core/experiment/templates/templates.ts';
import { profileCosts } from '../../../core/machine/cost/profileCosts.ts';
import { planProgram } from '../../../core/machine/plan.ts';
import { lowerUnverified } from '../../../core/program/lower.ts';
import type { Program } from '../../../core/program/program.ts';
import { edits, momentsOf, work } from '../support/edits.ts';
import { experimentOf } from '../support/experiments.ts';
import { buffers, h200, h200Costs, streams } from './toy.ts';

/** Returns null if the edit left a document that can't be lowered. */
function programOf(experiment: Experiment): Program | null {
  try {
    return lowerUnverified(experiment);
  } catch {
    return null;
  }
}

describe('a program after an edit', () => {
  it('has the instructions and steps of a document that was never lowered before', () => {
    fc.assert(
      fc.property(fc.constantFrom(...templates), edits, ({ build }, steps) => {
        const moments = momentsOf(build(), steps);
        const edited = moments.map(programOf);
        const anew = moments.map((experiment) => programOf(structuredClone(experiment)));
        expect(edited).toEqual(anew);
        const plans = edited.map((program) => program && planProgram(program, h200Costs));
        expect(plans).toEqual(anew.map((program) => program && planProgram(program, profileCosts({ ...h200 }))));
      }),
    );
  });

  it('is lowered anew if an operation moved into a group without getting another number', () => {
    const apart = experimentOf({}, [{ op: 'range', name: 'step', operations: [work(1)] }, work(2)]);
    const [thread] = apart.threads as [Experiment['threads'][number]];
    const [group, moved] = thread.operations as [OperationOf<'range'>, Operation];
    const whole = { ...group, operations: [...group.operations, moved] };
    const inside = { ...apart, threads: [{ ...thread, operations: [whole] }] };
    lowerUnverified(apart);
    expect(lowerUnverified(inside)).toEqual(lowerUnverified(structuredClone(inside)));
  });

  it('numbers default streams anew if an earlier operation no longer uses one', () => {
    const blocking = { op: 'copy', src: 'pinned', dst: 'device', stream: 'a', mode: 'blocking-memcpy' } as const;
    const before = experimentOf({ streams, buffers }, [{ op: 'synchronizeStream', stream: 'per-thread' }, blocking]);
    const [thread] = before.threads as [Experiment['threads'][number]];
    const [wait, copy] = thread.operations as [OperationOf<'synchronizeStream'>, Operation];
    const after = { ...before, threads: [{ ...thread, operations: [{ ...wait, stream: 'a' }, copy] }] };
    lowerUnverified(before);
    expect(lowerUnverified(after)).toEqual(lowerUnverified(structuredClone(after)));
  });

  it('is priced anew if the profile or a declaration differs', () => {
    const program = lowerUnverified((templates[0] as (typeof templates)[number]).build());
    const buffers = program.buffers.map((buffer) => ({ ...buffer, memory: 'pageable' as const }));
    const usual = planProgram(program, h200Costs);
    expect(
      planProgram(program, profileCosts({ ...h200, parameters: { ...h200.parameters, 'calls.launchNs': 9000 } })),
    ).not.toEqual(usual);
    expect(planProgram({ ...program, buffers }, h200Costs)).not.toEqual(usual);
    expect(planProgram(program, h200Costs)).toEqual(usual);
  });
});
