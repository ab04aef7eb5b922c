/** The descent by itself, on errors that can be worked out by hand. */
import { describe, expect, it } from 'vitest';
import { type DescentStep, descend, type Terms } from '../../../../core/calibrate/fit/descent.ts';

const options = { knobs: 3, furthest: 1.5, steps: [0.3, 0.1, 0.03, 0.01], budget: 10_000 };

/** Each term wants the sum of two knobs at a value; the third knob changes nothing. */
function terms(wanted: readonly number[]): Terms & { evaluations: number } {
  return {
    count: wanted.length,
    evaluations: 0,
    evaluate(turns, which) {
      this.evaluations += which.length;
      return Float64Array.from(which, (index) => ((turns[index] ?? 0) - (wanted[index] ?? 0)) ** 2);
    },
    pull: (_, turn) => turn ** 2 / 1e6,
  };
}

function result(some: Terms, changes: Partial<typeof options> = {}): DescentStep {
  const going = descend(some, { ...options, ...changes });
  for (;;) {
    const step = going.next();
    if (step.done === true) return step.value;
  }
}

describe('a descent', () => {
  it('turns each knob to where its error is least, and leaves alone what changes nothing', () => {
    const { turns } = result(terms([0.7, -1.1]));
    expect(turns[0]).toBeCloseTo(0.7, 1);
    expect(turns[1]).toBeCloseTo(-1.1, 1);
    expect(turns[2]).toBe(0);
  });

  it('turns no knob further than it may', () => {
    expect(Math.abs(result(terms([9, 0])).turns[0] ?? 0)).toBeLessThanOrEqual(1.5);
  });

  it('ends within its budget, but for one round', () => {
    const some = terms([0.7, -1.1]);
    const { evaluations } = result(some, { budget: 30 });
    expect(evaluations).toBe(some.evaluations);
    expect(evaluations).toBeLessThan(30 + 2 * 4 + 2 * 4);
  });

  it('gives nothing worse than no turn where terms change behind its back', () => {
    // The second knob doesn't change the second term where it is probed, only further on.
    const some: Terms = {
      count: 2,
      evaluate: (turns, which) =>
        Float64Array.from(which, (index) => {
          const turn = turns[1] ?? 0;
          return index === 0 ? (turn - 1) ** 2 : turn > 0.2 ? 100 : 0;
        }),
      pull: () => 0,
    };
    const { turns, error } = result(some);
    expect(error).toBeLessThanOrEqual(1);
    expect([...turns]).toEqual([0, 0, 0]);
  });

  it('is the same each time', () => {
    expect(result(terms([0.4, 0.2]))).toEqual(result(terms([0.4, 0.2])));
  });
});
