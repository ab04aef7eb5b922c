/** Finds the places in the program that add to a figure; rows of one place are summed. */

import type { Hazard } from '../../explain/hazards/hazard.ts';
import type { Verdict } from '../../explain/verdicts/verdict.ts';
import { verdicts } from '../../explain/verdicts/verdicts.ts';
import { groupBy } from '../../groupBy.ts';
import { iterationOf } from '../../trace/iteration.ts';
import type { Run } from '../../trace/run.ts';
import type { RowIndex } from '../../trace/trace.ts';
import { figureFacts, type GateFigure, tellFigure } from './figures.ts';
import type { Share } from './measure.ts';
import { type GatePlace, type Places, placeKey, placeText } from './places.ts';
import type { GateFinding } from './report.ts';

interface Before {
  readonly shares: readonly Share[];
  readonly places: Places;
}

/** Returns findings, largest first. With `before`, only places that exceed the baseline's step, and by how much. */
export function findingsOf(
  figure: GateFigure,
  shares: readonly Share[],
  places: Places,
  run: Run,
  before?: Before,
): GateFinding[] {
  const had = before === undefined ? new Map<string, number>() : amounts(before.shares, before.places);
  const groups = groupBy(shares, ({ row, call }) => placeText(places.of(row, call)));
  const why = figure === 'exposedCopyNs' ? verdictsByRow(run) : new Map<RowIndex, Verdict>();
  const findings = [...groups.values()].flatMap((group): GateFinding[] => {
    const [first] = group;
    if (first === undefined) return [];
    const place = places.of(first.row, first.call);
    const key = placeKey(place);
    const sum = group.reduce((total, { amount }) => total + amount, 0);
    const amount = sum - (had.get(key) ?? 0);
    // If a place had more in the baseline, the rest counts for the next place of its function.
    had.set(key, Math.max(0, -amount));
    if (!(amount > 0)) return [];
    const verdict = group.map(({ row }) => why.get(row)).find((one) => one !== undefined);
    return [
      {
        place,
        times: group.length,
        amount,
        message: `${placeText(place)}: ${tellFigure(figure, amount)}${before === undefined ? '' : ' beyond the baseline'}${timesText(figure, group.length)}.`,
        because: verdict?.title ?? null,
        remedy: verdict?.remedy ?? figureFacts[figure].remedy,
      },
    ];
  });
  return findings.sort((a, b) => b.amount - a.amount);
}

function amounts(shares: readonly Share[], places: Places): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { row, call, amount } of shares) {
    const key = placeKey(places.of(row, call));
    sums.set(key, (sums.get(key) ?? 0) + amount);
  }
  return sums;
}

const timesText = (figure: GateFigure, times: number): string =>
  figureFacts[figure].unit === 'count' || times === 1 ? '' : `, in ${times} calls`;

/** Returns, by the copy's row, the verdict on why it ran without a kernel. */
function verdictsByRow({ trace, info }: Run): Map<RowIndex, Verdict> {
  const iteration = iterationOf(trace, info.iterations.representative);
  const found = verdicts(iteration, info.experiment, { device: info.device });
  return new Map(found.filter(({ cause }) => cause !== 'overlapped').map((verdict) => [verdict.row, verdict]));
}

/** A hazard with a key, so that it counts once. */
export interface HazardFinding extends GateFinding {
  readonly key: string;
  /** Places of both operations. */
  readonly places: readonly GatePlace[];
}

export function hazardFinding(hazard: Hazard, places: Places): HazardFinding {
  const { first, second, title, explanation, change, kind } = hazard;
  return {
    key: `${kind} ${first.op} ${second.op}`,
    places: [first, second].map(({ path, label }) => places.ofOperation(path, label)),
    place: places.ofOperation(second.path, second.label),
    times: 1,
    amount: 1,
    message: `${title}: ${explanation}`,
    because: hazard.missing,
    remedy: change === null ? hazard.remedy : change.steps.join(' '),
  };
}
