/** Intervals of a predicted run's figures. */
import {
  type Around,
  figuresAround,
  intervalAround,
  intervalLevel,
  levelText,
  rangeAround,
} from '../../machine/cost/interval.ts';
import { machineOf, recordingMachineOf } from '../../machine/cost/machineOf.ts';
import type { DeviceProfile } from '../../machine/profile/profile.ts';
import type { Program } from '../../program/program.ts';
import type { InSteps } from '../../steps.ts';
import { iterationOf } from '../../trace/iteration.ts';
import type { Interval, RateInterval, Run } from '../../trace/run.ts';
import { formatRange, formatRate } from '../../units.ts';
import { type LinkUse, linkUse } from '../figures/engines.ts';

/** Null if the run isn't predicted, or its profile has published figures only. */
export interface PredictedIntervals {
  readonly makespanInterval: Interval | null;
  /** Those of `link`. */
  readonly bandwidthIntervals: { readonly h2d: RateInterval | null; readonly d2h: RateInterval | null } | null;
}

export const noIntervals: PredictedIntervals = { makespanInterval: null, bandwidthIntervals: null };

/** Returns the intervals of a run simulated with `profile`, by simulating `program` on each similar machine. */
export function* predictedIntervals(
  { info, trace }: Run,
  program: Program,
  profile: DeviceProfile,
): InSteps<PredictedIntervals> {
  const [makespanNs = 0] = info.iterations.recordedMakespanNs;
  const { around: machines } = (info.whileRecording === true ? recordingMachineOf : machineOf)(profile);
  if (makespanNs === 0 || machines === null) return noIntervals;
  const around = yield* figuresAround(program, machines, ({ trace: other, makespanNs: otherNs }) => ({
    makespanNs: otherNs as number,
    link: linkUse(iterationOf(other, 0)),
  }));
  if (around === null) return noIntervals;
  const link = linkUse(iterationOf(trace, info.iterations.representative));
  const rates = (way: keyof LinkUse): RateInterval | null => {
    const point = link[way].bytesPerSecond;
    if (point === null) return null;
    const [lowBytesPerSecond, highBytesPerSecond] = rangeAround(
      point,
      mapped(around, (figures) => figures.link[way].bytesPerSecond ?? point),
    );
    return { lowBytesPerSecond, highBytesPerSecond, level: intervalLevel };
  };
  return {
    makespanInterval: intervalAround(
      makespanNs,
      mapped(around, (figures) => figures.makespanNs),
    ),
    bandwidthIntervals: { h2d: rates('h2d'), d2h: rates('d2h') },
  };
}

const mapped = <Figures>(
  { pairs, residualShare }: Around<Figures>,
  read: (figures: Figures) => number,
): Around<number> => ({
  pairs: pairs.map(([fast, slow]) => [read(fast), read(slow)] as const),
  residualShare,
});

/** Returns for example '52.6 to 57.4 GB/s (90 %)'. */
export const rateIntervalText = ({ lowBytesPerSecond, highBytesPerSecond, level }: RateInterval): string =>
  `${formatRange(lowBytesPerSecond, highBytesPerSecond, formatRate)} (${levelText(level)})`;
