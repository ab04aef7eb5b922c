/**
 * Matches operations of two experiments: by id and kind, then, for experiments written separately, by label and kind in
 * order. Operations without a match were added or removed.
 */
import { operationsOf } from '../../experiment/edit/paths.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { Operation } from '../../experiment/operations.ts';
import { append } from '../../groupBy.ts';

/** Returns, for each operation number of `a`, its number in `b`; -1 if it has none. */
export function matchOperations(a: Experiment, b: Experiment): Int32Array {
  const matches = new Int32Array(operationsOf(a).length).fill(-1);
  const taken = new Set<number>();
  const matchBy = (key: (operation: Operation) => string | undefined): void => {
    const waiting = new Map<string, number[]>();
    for (const [op, operation] of operationsOf(b).entries()) {
      const name = key(operation);
      if (name !== undefined && !taken.has(op)) append(waiting, `${operation.op} ${name}`, op);
    }
    for (const list of waiting.values()) list.reverse();
    for (const [op, operation] of operationsOf(a).entries()) {
      const name = key(operation);
      if (name === undefined || matches[op] !== -1) continue;
      const found = waiting.get(`${operation.op} ${name}`)?.pop();
      if (found === undefined) continue;
      matches[op] = found;
      taken.add(found);
    }
  };
  matchBy(({ id }) => id);
  matchBy(({ label }) => label);
  return matches;
}
