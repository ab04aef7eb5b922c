/** One time window over several runs, each shifted so that a chosen moment is at one place in all. */
import { useMemo } from 'react';
import type { TimeView } from '../timeline/time/timeView.ts';
import type { SharedTime, TimeWindow } from '../timeline/time/timeWindow.ts';

const moved = ({ startNs, endNs }: TimeView, byNs: number): TimeView => ({
  startNs: startNs + byNs,
  endNs: endNs + byNs,
});

/** The shared window in the time of one run, whose time 0 is at `shiftNs` of the shared time. */
export class AlignedTime implements SharedTime {
  readonly limits: TimeView;
  readonly #shared: TimeWindow;
  readonly #shiftNs: number;

  constructor(shared: TimeWindow, shiftNs: number) {
    this.#shared = shared;
    this.#shiftNs = shiftNs;
    this.limits = moved(shared.limits, -shiftNs);
  }

  get view(): TimeView {
    return moved(this.#shared.view, -this.#shiftNs);
  }

  get cursor(): number | null {
    return this.#shared.cursor === null ? null : this.#shared.cursor - this.#shiftNs;
  }

  set cursor(timeNs: number | null) {
    this.#shared.cursor = timeNs === null ? null : timeNs + this.#shiftNs;
  }

  readonly move: SharedTime['move'] = (change) =>
    this.#shared.move((view, limits) =>
      moved(change(moved(view, -this.#shiftNs), moved(limits, -this.#shiftNs)), this.#shiftNs),
    );

  readonly subscribe: SharedTime['subscribe'] = (listener) => this.#shared.subscribe(listener);
}

export const useAlignedTime = (shared: TimeWindow, shiftNs: number): SharedTime =>
  useMemo(() => new AlignedTime(shared, shiftNs), [shared, shiftNs]);

export interface Aligned {
  /** Place of each run's time 0 in the shared time. */
  readonly shifts: readonly number[];
  /** Place of the chosen moment in the shared time; null if none was chosen. */
  readonly anchorNs: number | null;
  /** Last end of all runs. */
  readonly extentNs: number;
}

/** `anchors` are null for runs that lack the moment: their iterations begin at the shared time 0. */
export function alignRuns(makespans: readonly number[], anchors: readonly (number | null)[]): Aligned {
  const known = anchors.filter((anchor) => anchor !== null);
  const anchorNs = known.length === 0 ? null : Math.max(...known);
  const shifts = makespans.map((_, index) => {
    const own = anchors[index] ?? null;
    return anchorNs === null || own === null ? 0 : anchorNs - own;
  });
  const extentNs = Math.max(0, ...makespans.map((makespan, index) => makespan + (shifts[index] ?? 0)));
  return { shifts, anchorNs, extentNs };
}
