/**
 * Verdicts put to the test on an engine: the experiment runs, its cause is read from what was recorded, the remedy is
 * applied, the changed experiment runs, and the gain that was predicted is compared with the one that was measured.
 */
import { explainWithRemedies } from '../../../core/analysis/counterfactual/remedies.ts';
import type { Remedy } from '../../../core/analysis/counterfactual/remedy.ts';
import { type Spread, spread } from '../../../core/analysis/statistics.ts';
import { summarizeRun } from '../../../core/analysis/summary.ts';
import type { Cause, Verdict } from '../../../core/analysis/verdicts/verdict.ts';
import { applyChange } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { lower } from '../../../core/program/lower.ts';
import type { DeviceProfile } from '../../../core/simulator/profile.ts';
import type { Run } from '../../../core/trace/run.ts';

/** A predicted gain may be this far from the measured one, as a share of the measured one. */
export const mostError = 0.1;

export interface GainTools {
  run(experiment: Experiment): Promise<Run>;
  /** Of the machine that `run` runs on. */
  readonly profile: DeviceProfile;
  /** Runs of each, before and after in turn, so that what drifts drifts in both; 1 where left out. */
  readonly rounds?: number;
  /** Called with each run: `cause` is the one that was taken away before it, null for the experiment as it is. */
  readonly keep?: (run: Run, cause: Cause | null) => void;
}

/** Times in nanoseconds. */
export interface Timed {
  /** With recording off: host clock from an iteration's start until the device had done everything. Over all rounds. */
  readonly plainNs: Spread;
  /** Over the recorded iterations of the first round. */
  readonly recordedNs: Spread;
}

/**
 * Makespan before less makespan after. Measured: between the medians of all iterations with recording off, since a gain
 * is told of the program without a recorder; so is every experiment judged, also where a recorder changes nothing.
 */
export interface GainTimes {
  readonly predictedNs: number;
  readonly measuredNs: number;
  /** The least and the most that a single round gives. */
  readonly leastNs: number;
  readonly mostNs: number;
  /** Between the medians of what was recorded. */
  readonly recordedNs: number;
}

/** One verdict of the simulator, and what became of it on the engine. */
export interface Gain {
  readonly op: number;
  readonly label: string;
  /** What the simulator says. */
  readonly cause: Cause;
  /** What the run on the engine says of the same operation; null where it has no verdict for it. */
  readonly seen: Cause | null;
  /** Whose remedy was applied: that of the engine's run, or where it has none for this cause, the simulator's. */
  readonly remedyOf: 'run' | 'simulation' | null;
  readonly steps: readonly string[];
  /** What the remedied run says of the operation. */
  readonly after: Cause | null;
  /** Whether the cause is gone; null where nothing takes it away. */
  readonly removed: boolean | null;
  /** Null where nothing takes the cause away. */
  readonly gain: GainTimes | null;
  /** predictedNs - measuredNs, over measuredNs. Null without a gain. */
  readonly error: number | null;
  /** The same over the measured makespan before. */
  readonly errorOfMakespan: number | null;
  readonly predicted: { readonly beforeNs: number; readonly afterNs: number } | null;
  readonly measured: { readonly before: Timed; readonly after: Timed | null };
  /** The cause is seen, its remedy takes it away, and the gain is as predicted. */
  readonly held: boolean;
}

/** One for each verdict of the simulator that says why there was no overlap; of verdicts with one remedy the first. */
export async function* gainsOf(experiment: Experiment, tools: GainTools): AsyncGenerator<Gain, void> {
  const explained = explainWithRemedies(experiment, tools.profile);
  if (explained === null) throw new Error('the simulator can not run this experiment');
  const run = await tools.run(experiment);
  const { verdicts, remedies } = summarizeRun(run, { profile: tools.profile });
  let kept = run;
  for (const { verdict, remedy } of subjects(explained.before.verdicts, explained.remedies)) {
    const seen = verdicts.find((one) => one.op === verdict.op && one.subject === verdict.subject) ?? null;
    const own = remedies.find((one) => one.op === verdict.op && one.cause === verdict.cause && one.after !== null);
    const tested = {
      verdict,
      seen,
      remedy: own ?? remedy,
      remedyOf: own === undefined ? 'simulation' : 'run',
    } as const;
    const measured = remedy.after === null && own === undefined ? null : await inTurn(experiment, tested, run, tools);
    if (measured !== null) {
      kept = measured.before;
      tools.keep?.(measured.after, verdict.cause);
    }
    yield judged(experiment, tested, measured ?? { before: run, after: null }, tools);
  }
  tools.keep?.(kept, null);
}

interface Subject {
  readonly verdict: Verdict;
  readonly remedy: Remedy;
}

function subjects(verdicts: readonly Verdict[], remedies: readonly Remedy[]): Subject[] {
  const found = new Map<string, Subject>();
  for (const remedy of remedies) {
    const verdict = verdicts.find(({ op, cause }) => op === remedy.op && cause === remedy.cause);
    const key = JSON.stringify([remedy.cause, remedy.steps]);
    if (verdict !== undefined && remedy.borneOut !== false && !found.has(key)) found.set(key, { verdict, remedy });
  }
  return [...found.values()];
}

interface Tested {
  readonly verdict: Verdict;
  readonly seen: Verdict | null;
  readonly remedy: Remedy;
  readonly remedyOf: 'run' | 'simulation';
}

interface Measured {
  readonly before: Run;
  readonly after: Run | null;
}

/** The experiment as it is (of which `first` is there) and with the remedy, in turn. */
async function inTurn(
  experiment: Experiment,
  { remedy }: Tested,
  first: Run,
  { run, rounds = 1 }: GainTools,
): Promise<{ readonly before: Run; readonly after: Run }> {
  const changed = applyChange(experiment, remedy);
  let [before, after] = [first, await run(changed)];
  for (let round = 1; round < rounds; round += 1) {
    before = withRound(before, await run(experiment));
    after = withRound(after, await run(changed));
  }
  return { before, after };
}

/** The first run, with the plain iterations of both. */
const withRound = (first: Run, next: Run): Run => {
  const plainWallNs = [...first.info.iterations.plainWallNs, ...next.info.iterations.plainWallNs];
  return { ...first, info: { ...first.info, iterations: { ...first.info.iterations, plainWallNs } } };
};

function judged(experiment: Experiment, tested: Tested, measured: Measured, { profile }: GainTools): Gain {
  const { verdict, seen, remedy, remedyOf } = tested;
  const isSeen = seen?.cause === verdict.cause;
  const before = timed(measured.before);
  const common = { op: verdict.op, label: verdict.label, cause: verdict.cause, seen: seen?.cause ?? null };
  if (remedy.after === null || measured.after === null) {
    const none = { remedyOf: null, steps: [], after: null, removed: null, gain: null, predicted: null };
    return { ...common, ...none, error: null, errorOfMakespan: null, measured: { before, after: null }, held: isSeen };
  }
  const after = timed(measured.after);
  const left = verdictLeft(applyChange(experiment, remedy), measured.after, verdict, profile);
  const gain = gainTimes(remedy.gainNs, measured.before, measured.after);
  const error = (gain.predictedNs - gain.measuredNs) / Math.abs(gain.measuredNs);
  const removed = left?.cause !== verdict.cause;
  return {
    ...common,
    remedyOf,
    steps: remedy.steps,
    after: left?.cause ?? null,
    removed,
    gain,
    error,
    errorOfMakespan: (gain.predictedNs - gain.measuredNs) / before.plainNs.median,
    predicted: { beforeNs: remedy.before.makespanNs, afterNs: remedy.after.makespanNs },
    measured: { before, after },
    held: isSeen && removed && Math.abs(error) <= mostError,
  };
}

function gainTimes(predictedNs: number, before: Run, after: Run): GainTimes {
  const medians = [before, after].map((run) => roundsOf(run).map((walls) => spread(walls)?.median ?? Number.NaN));
  const [befores = [], afters = []] = medians;
  const gains = befores.map((ns, round) => ns - (afters[round] ?? Number.NaN));
  return {
    predictedNs,
    measuredNs: timed(before).plainNs.median - timed(after).plainNs.median,
    leastNs: Math.min(...gains),
    mostNs: Math.max(...gains),
    recordedNs: timed(before).recordedNs.median - timed(after).recordedNs.median,
  };
}

/** Plain iterations by round: each has as many as were recorded. */
function roundsOf({ info: { iterations } }: Run): number[][] {
  const { plainWallNs, recordedMakespanNs } = iterations;
  const each = Math.max(1, recordedMakespanNs.length);
  const rounds = Math.ceil(plainWallNs.length / each);
  return Array.from({ length: rounds }, (_, round) => plainWallNs.slice(round * each, (round + 1) * each));
}

/** What is said of the operation in the changed experiment. One that was cut in parts is the last of them. */
function verdictLeft(
  changed: Experiment,
  run: Run,
  { label, subject }: Verdict,
  profile: DeviceProfile,
): Verdict | null {
  const op = lower(changed).operations.findLast((operation) => operation.label === label)?.op;
  if (op === undefined) throw new Error(`"${label}" is not in the changed experiment`);
  return summarizeRun(run, { profile }).verdicts.find((one) => one.op === op && one.subject === subject) ?? null;
}

function timed({ info: { iterations } }: Run): Timed {
  const [recordedNs, plainNs] = [spread(iterations.recordedMakespanNs), spread(iterations.plainWallNs)];
  if (recordedNs === null || plainNs === null) throw new Error('the run holds no iteration');
  return { plainNs, recordedNs };
}
