/** The spreads of groups of parameters that recorded makespans ask for. */
import { rangeAround } from '../../core/machine/cost/interval.ts';
import { spreadGroups } from '../../core/machine/cost/spread.ts';

export interface Case {
  readonly pointNs: number;
  readonly recordedNs: number;
  /** Makespans with each group slowed by a factor. */
  readonly turned?: (by: number) => readonly number[];
}

/** Between these a makespan is drawn straight. */
const factors = [0.6, 0.8, 1, 1.25, 1.6] as const;
/** Beyond the level of 0.9 by as much as intervals that are fitted to a few machines lose on others. */
const level = 0.91;
/** Nothing is known to less. */
const floor = 1.02;
const most = 1.6;

/** By group, and last what is beyond all groups, as a factor. None is below `least`. */
export function derive(cases: readonly Case[], least: readonly number[] = []): readonly number[] {
  const known = cases.map(({ pointNs, recordedNs, turned }) => ({
    pointNs,
    recordedNs,
    at: factors.map((by) => (by === 1 ? spreadGroups.map(() => pointNs) : (turned?.(by) ?? []))),
  }));
  const score = (spreads: readonly number[]): number =>
    known.reduce((sum, { pointNs, recordedNs, at }) => {
      const pairs = spreadGroups.map((_, group) => {
        const by = spreads[group] ?? 1;
        return [drawn(at, group, 1 / by), drawn(at, group, by)] as const;
      });
      const [low, high] = rangeAround(pointNs, { pairs, residualShare: (spreads.at(-1) ?? 1) - 1 });
      const outside = Math.max(0, low - recordedNs) + Math.max(0, recordedNs - high);
      return sum + (high - low + (2 / (1 - level)) * outside) / recordedNs;
    }, 0);
  let best = [...spreadGroups.map(() => 1.2), 1.05].map((by, place) => Math.max(by, least[place] ?? 1));
  let lowest = score(best);
  for (const step of [0.1, 0.05, 0.02, 0.01]) {
    for (let moved = true; moved; ) {
      moved = false;
      for (const place of best.keys()) {
        for (const by of [step, -step]) {
          const next = best.with(place, Math.min(most, Math.max(least[place] ?? floor, (best[place] ?? 1) + by)));
          const found = score(next);
          if (found >= lowest) continue;
          [best, lowest, moved] = [next, found, true];
        }
      }
    }
  }
  return best;
}

function drawn(at: readonly (readonly number[])[], group: number, by: number): number {
  const above = Math.max(
    1,
    factors.findIndex((factor) => factor >= by),
  );
  const [from, to] = [factors[above - 1] ?? 1, factors[above] ?? 1];
  const [low, high] = [at[above - 1]?.[group] ?? 0, at[above]?.[group] ?? 0];
  return low + ((by - from) / (to - from)) * (high - low);
}
