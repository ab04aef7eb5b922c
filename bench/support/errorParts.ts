/**
 * Finds where a prediction and a recorded run differ: along the predicted critical path, how much later or earlier each step
 * begins and ends, attributed to the step where the difference arises. The parts add up to the whole difference.
 */

import { criticalPath } from '../../core/explain/figures/criticalPath.ts';
import { holdingCalls } from '../../core/explain/figures/hostTime.ts';
import { recordingCosts } from '../../core/machine/cost/profileCosts.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import { simulate } from '../../core/machine/simulate.ts';
import { type Activity, type Iteration, iterationOf, makespan } from '../../core/trace/iteration.ts';
import type { RecordedRun } from './recordedRun.ts';
import { isHostRow, pairRows } from './rowPairs.ts';

export interface ErrorPart {
  /** For example 'kernels', or 'start of copies'. */
  readonly name: string;
  /** Predicted less recorded. */
  readonly ns: number;
  /** The row with the largest part of it. */
  readonly worst: string;
}

const kinds: Partial<Record<Activity['kind'], string>> = {
  'host-call': 'calls',
  'host-sync': 'end of waits',
  'host-work': 'host work',
  'host-read': 'host reads',
  'host-write': 'host writes',
  copy: 'copies',
  kernel: 'kernels',
  memset: 'memsets',
  'host-function': 'host functions',
};

/** Largest first. Rows that one of the two doesn't have are passed over, and count with the next. */
export function errorParts({ program, iterations, makespanNs }: RecordedRun, profile: DeviceProfile): ErrorPart[] {
  const simulated = iterationOf(simulate(program, recordingCosts(profile)).trace, 0);
  const recorded = middle(iterations, makespanNs);
  if (recorded === null) return [];
  const pairs = new Map(pairRows(simulated, [recorded]).map((pair) => [pair.simulated.row, pair]));
  const holding = holdingCalls(simulated);
  const parts = new Parts();
  /** Predicted less recorded, at the last step that was looked at. */
  let apartNs = 0;
  const path = [...criticalPath(simulated).rows].flatMap((row) => pairs.get(row) ?? []);
  path.forEach(({ simulated: here, recorded: [there] }, place) => {
    if (there === undefined) return;
    const next = path[place + 1]?.simulated;
    const what = kinds[here.kind] ?? 'other';
    const [startNs, endNs] = [here.startNs - there.startNs, here.endNs - there.endNs];
    if (here.kind === 'host-sync' || holding.has(here.row)) {
      parts.add(here.kind === 'host-sync' ? what : 'end of calls that wait', endNs - apartNs, here, there);
      apartNs = endNs;
      return;
    }
    parts.add(`start of ${what}`, startNs - apartNs, here, there);
    apartNs = startNs;
    // Work that a call starts doesn't wait for its return.
    if (here.kind === 'host-call' && next !== undefined && !isHostRow(next)) return;
    parts.add(what, endNs - startNs, here, there);
    apartNs = endNs;
  });
  return parts.sorted();
}

function middle(iterations: readonly Iteration[], makespanNs: number): Iteration | null {
  const apart = (one: Iteration): number => Math.abs((makespan(one) ?? 0) - makespanNs);
  return iterations.reduce<Iteration | null>((a, b) => (a === null || apart(b) < apart(a) ? b : a), null);
}

class Parts {
  readonly #found = new Map<string, { ns: number; worstNs: number; worst: string }>();

  add(name: string, ns: number, predicted: Activity, recorded: Activity): void {
    const part = this.#found.get(name) ?? { ns: 0, worstNs: 0, worst: '' };
    this.#found.set(name, part);
    part.ns += ns;
    if (Math.abs(ns) <= part.worstNs) return;
    part.worstNs = Math.abs(ns);
    const [was, is] = [recorded, predicted].map(({ startNs, endNs }) => ((endNs - startNs) / 1000).toFixed(1));
    const bytes = predicted.bytes > 0 ? ` of ${predicted.bytes} B` : '';
    part.worst = `${predicted.name}${bytes} in ${predicted.laneId}: ${was} µs recorded, ${is} predicted`;
  }

  sorted(): ErrorPart[] {
    return [...this.#found]
      .map(([name, { ns, worst }]) => ({ name, ns, worst }))
      .sort((a, b) => Math.abs(b.ns) - Math.abs(a.ns));
  }
}
