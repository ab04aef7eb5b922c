/**
 * Coordinate descent: one knob at a time is turned for as long as that makes the error smaller, first by much, then by
 * little. Needs no derivatives, which a simulation with queues doesn't have, and always gives the same for the same.
 */

/** The parts of an error that knobs change, each by itself: most knobs change few of them. */
export interface Terms {
  readonly count: number;
  /** The part of each of `which`, with knobs at `turns`. */
  evaluate(turns: Float64Array, which: readonly number[]): Float64Array;
  /** What turning a knob that far costs by itself. */
  pull(knob: number, turn: number): number;
  /** Whether a knob can change a part at all; any can change all where left out. */
  mayChange?(knob: number, index: number): boolean;
}

export interface DescentOptions {
  readonly knobs: number;
  /** Furthest that a knob is turned, either way. */
  readonly furthest: number;
  /** Turns that are tried, from large to small. */
  readonly steps: readonly number[];
  /** Evaluations of one term: when so many have been made, it ends. */
  readonly budget: number;
}

export interface DescentStep {
  readonly turns: Float64Array;
  readonly error: number;
  readonly evaluations: number;
}

/** Least gain for which a knob is turned, as a part of the error. */
const worthwhile = 1e-4;
/** How far a knob is turned to learn which terms it changes. */
const probe = 0.05;

/** Yields after each knob, where it stands; returns the best that it found, which is never worse than no turn at all. */
export function* descend(terms: Terms, options: DescentOptions): Generator<DescentStep, DescentStep, void> {
  const turns = new Float64Array(options.knobs);
  const all = Array.from({ length: terms.count }, (_, index) => index);
  const parts = terms.evaluate(turns, all);
  let evaluations = terms.count;
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  const pulls = (): number => turns.reduce((total, turn, knob) => total + terms.pull(knob, turn), 0);
  const state = (): DescentStep => ({ turns, error: sum(parts) + pulls(), evaluations });
  /** All terms anew: a knob may have come to change one that it didn't change where it was probed. */
  const best = { turns: turns.slice(), error: state().error };
  const settle = (): void => {
    parts.set(terms.evaluate(turns, all));
    evaluations += all.length;
    const { error } = state();
    if (error <= best.error) Object.assign(best, { turns: turns.slice(), error });
  };

  /** Turns the knob where that gains something. */
  const attempt = (knob: number, to: number, which: readonly number[]): boolean => {
    const from = turns[knob] ?? 0;
    if (Math.abs(to) > options.furthest) return false;
    turns[knob] = to;
    const found = terms.evaluate(turns, which);
    evaluations += which.length;
    const before = which.reduce((total, index) => total + (parts[index] ?? 0), terms.pull(knob, from));
    const gain = before - sum(found) - terms.pull(knob, to);
    if (!(gain > worthwhile * (sum(parts) + 1e-9))) {
      turns[knob] = from;
      return false;
    }
    which.forEach((index, place) => {
      parts[index] = found[place] ?? 0;
    });
    return true;
  };

  /** The terms that a knob changes when it is turned either way from where it stands. */
  const changed = (knob: number): number[] => {
    const from = turns[knob] ?? 0;
    const found = new Set<number>();
    const asked = all.filter((index) => terms.mayChange?.(knob, index) ?? true);
    for (const by of [probe, -probe]) {
      turns[knob] = from + by;
      terms.evaluate(turns, asked).forEach((part, place) => {
        const index = asked[place] ?? 0;
        if (part !== parts[index]) found.add(index);
      });
      evaluations += asked.length;
    }
    turns[knob] = from;
    return [...found].sort((a, b) => a - b);
  };

  const affected: number[][] = [];
  for (let knob = 0; knob < options.knobs; knob += 1) {
    affected.push(evaluations < options.budget ? changed(knob) : []);
    yield state();
  }
  for (const step of options.steps) {
    for (let knob = 0; knob < options.knobs; knob += 1) {
      const which = affected[knob] ?? [];
      if (which.length === 0) continue;
      for (const direction of [step, -step]) {
        let going = true;
        while (going && evaluations < options.budget) going = attempt(knob, (turns[knob] ?? 0) + direction, which);
      }
      yield state();
    }
    settle();
  }
  return { ...best, evaluations };
}
