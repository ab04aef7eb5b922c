/**
 * Predictions made for nothing. The browser compiles what has run often: of an experiment of 2,000 operations the first
 * predictions take ten times as long as later ones, and compiling goes on beside the next few dozen. So that a person's
 * first edits needn't wait for that, edits are rehearsed while the window is at rest: their predictions are thrown away.
 */
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { Operation } from '../../core/experiment/operations.ts';

/** Shorter ones are predicted within a frame's time from the first edit on. */
export const leastRehearsed = 200;
/** Later ones change little. */
const rehearsals = 40;
/** A prediction of an experiment that long, compiled. What is left of a rest must be longer. */
const roomMs = 8;

let begun = false;

/**
 * Calls `predict` with edits of an experiment, one by one, each in a moment of rest; once for the window. `experiment` may
 * be another one by then: it is asked for each time, and null ends the rehearsal.
 */
export function rehearse(experiment: () => Experiment | null, predict: (experiment: Experiment) => void): void {
  // Without idle callbacks there is no telling when the window is at rest.
  if (begun || !('requestIdleCallback' in window)) return;
  begun = true;
  let turn = 0;
  const next = (rest: IdleDeadline): void => {
    const open = experiment();
    if (open === null || turn === rehearsals) return;
    if (rest.timeRemaining() >= roomMs) {
      predict(rehearsedEdit(open, turn));
      turn += 1;
    }
    requestIdleCallback(next);
  };
  requestIdleCallback(next);
}

/** An operation is put in anew, taken out, or put beside itself, in turn: what most edits do. */
export function rehearsedEdit(experiment: Experiment, turn: number): Experiment {
  const longest = experiment.threads.reduce((a, b) => (b.operations.length > a.operations.length ? b : a));
  const threads = experiment.threads.map((thread) =>
    thread === longest ? { ...thread, operations: edited(thread.operations, turn) } : thread,
  );
  return { ...experiment, threads };
}

function edited(operations: readonly Operation[], turn: number): Operation[] {
  const kind = turn % 3;
  // All over the list, the same operation seldom twice.
  const at = (turn * 37) % operations.length;
  return operations.flatMap((operation, index) => {
    if (index !== at) return [operation];
    return kind === 0 ? [{ ...operation }] : kind === 1 ? [] : [operation, { ...operation }];
  });
}
