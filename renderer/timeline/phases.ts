/** Phases of a program: the time of each larger operation, from its first call to its last activity. */
import { describeOperation } from '../../core/experiment/describe.ts';
import { type Experiment, walkOperations } from '../../core/experiment/experiment.ts';
import type { Operation } from '../../core/experiment/operations.ts';
import type { IterationView } from '../store/opened/loadedRun.ts';

export interface Phase {
  /** Id of the operation. */
  readonly id: string;
  readonly label: string;
  readonly startNs: number;
  readonly endNs: number;
}

interface Numbered {
  readonly id: string;
  readonly op: number;
  /** The last operation inside, or itself if it contains none. */
  readonly last: number;
  readonly label: string;
}

/** One phase is the whole program, and more than the maximum give no overview. */
const [fewest, most] = [2, 12];
/** A search through more rows or operations would slow every edit. */
const mostRows = 50_000;
const mostOperations = 1000;

/** Returns the phases in program order; empty if the program has no distinct phases. */
export function phasesOf(experiment: Experiment | null, { run, rows }: Pick<IterationView, 'run' | 'rows'>): Phase[] {
  const numbered = experiment === null || rows.to - rows.from > mostRows ? [] : larger(experiment);
  if (numbered.length < fewest || numbered.length > most) return [];
  const spans = numbered.map(() => ({ startNs: Number.POSITIVE_INFINITY, endNs: Number.NEGATIVE_INFINITY }));
  const { op, startNs, durationNs } = run.trace.columns;
  for (let row = rows.from; row < rows.to; row += 1) {
    const own = op[row] ?? -1;
    const span = spans[numbered.findIndex((one) => own >= one.op && own <= one.last)];
    if (span === undefined) continue;
    const start = startNs[row] ?? 0;
    span.startNs = Math.min(span.startNs, start);
    span.endNs = Math.max(span.endNs, start + (durationNs[row] ?? 0));
  }
  return numbered.flatMap(({ id, label }, index) => {
    const span = spans[index];
    return span === undefined || span.endNs < span.startNs ? [] : [{ id, label, ...span }];
  });
}

/** Returns copies of many tensors, ranges and loops, which have many rows without their name in the lanes. */
function larger(experiment: Experiment): Numbered[] {
  const found: Numbered[] = [];
  let number = 0;
  for (const { operations } of experiment.threads) {
    if (operations.length > mostOperations) return [];
    for (const operation of operations) {
      const op = number;
      walkOperations([operation], () => {
        number += 1;
      });
      const label = describeOperation(operation, experiment);
      if (isLarge(operation)) found.push({ id: operation.id, op, last: number - 1, label });
      if (found.length > most) return found;
    }
  }
  return found;
}

const isLarge = ({ op }: Operation): boolean => op === 'multiCopy' || op === 'range' || op === 'repeat';
