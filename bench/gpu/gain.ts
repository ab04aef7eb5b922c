/**
 * Verdicts put to the test on an engine: the experiment runs, its cause is read from what was recorded, the remedy is
 * applied, the changed experiment runs, and the gain that was predicted is compared with the one that was measured.
 */

import { applyChange } from '../../core/experiment/change.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { explainWithRemedies } from '../../core/explain/remedies/remedies.ts';
import type { Remedy } from '../../core/explain/remedies/remedy.ts';
import { summarizeRun } from '../../core/explain/summary/summary.ts';
import type { Cause, Verdict } from '../../core/explain/verdicts/verdict.ts';
import { machineOf } from '../../core/machine/cost/machineOf.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import { lower } from '../../core/program/lower.ts';
import { median, type Spread, spread } from '../../core/statistics.ts';
import type { Run } from '../../core/trace/run.ts';

/** A predicted gain may be this far from the measured one, as a share of the measured one. */
export const mostError = 0.1;

export interface GainTools {
  run(experiment: Experiment): Promise<Run>;
  /** Profile of the machine that `run` runs on. */
  readonly profile: DeviceProfile;
  /** Runs of each, before and after in turn, so that what drifts drifts in both; 1 where left out. */
  readonly rounds?: number;
}

/** Times in nanoseconds. */
export interface Timed {
  /** With recording off: host clock from an iteration's start until the device had done everything. Over all rounds. */
  readonly plainNs: Spread;
  /** Over the recorded iterations of all rounds. */
  readonly recordedNs: Spread;
}

/**
 * Makespan before minus after, in each round. The prediction uses the run before of the same round; the measurement is
 * between the medians of the iterations with recording off, since a gain is of the program without a recorder. Then the
 * medians of the rounds. All experiments are judged like this, even if a recorder changes nothing.
 */
export interface GainTimes {
  readonly predictedNs: number;
  readonly measuredNs: number;
  /** The least and the most that a round measured. */
  readonly leastNs: number;
  readonly mostNs: number;
  /** Between the medians of what was recorded. */
  readonly recordedNs: number;
  readonly rounds: readonly { readonly predictedNs: number; readonly measuredNs: number }[];
}

/** One verdict of the simulator, and what became of it on the engine. */
export interface Gain {
  readonly op: number;
  readonly label: string;
  /** Cause from the simulator. */
  readonly cause: Cause;
  /** Cause of the same operation in the engine's run; null if it has no verdict there. */
  readonly seen: Cause | null;
  /** Whose remedy was applied: that of the engine's run, or where it has none for this cause, the simulator's. */
  readonly remedyOf: 'run' | 'simulation' | null;
  readonly steps: readonly string[];
  /** Cause of the operation in the remedied run. */
  readonly after: Cause | null;
  /** Whether the cause is gone; null if no remedy removes it. */
  readonly removed: boolean | null;
  /** Null if no remedy removes the cause. */
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
  const explained = explainWithRemedies(experiment, machineOf(tools.profile));
  if (explained === null) throw new Error('the simulator can not run this experiment');
  const run = await tools.run(experiment);
  const { verdicts } = summarizeRun(run);
  for (const { verdict, remedy } of subjects(explained.before.verdicts, explained.remedies)) {
    const seen = verdicts.find((one) => one.op === verdict.op && one.subject === verdict.subject) ?? null;
    const own = remedyOf(run, verdict, tools.profile);
    const tested = { verdict, seen, remedy: own ?? remedy, isOwn: own !== null };
    const rounds = tested.remedy.after === null ? [] : await inTurn(experiment, tested, run, tools);
    yield judged(experiment, tested, { run, rounds }, tools);
  }
}

/** Returns the run's remedy for this cause, with its gain; null if there is none. */
function remedyOf(run: Run, { op, cause }: Verdict, profile: DeviceProfile): Remedy | null {
  const { remedies } = summarizeRun(run, { profile });
  return remedies.find((one) => one.op === op && one.cause === cause && one.after !== null) ?? null;
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
    if (verdict !== undefined && remedy.isConfirmed !== false && !found.has(key)) found.set(key, { verdict, remedy });
  }
  return [...found.values()];
}

interface Tested {
  readonly verdict: Verdict;
  readonly seen: Verdict | null;
  readonly remedy: Remedy;
  /** Whether the engine's run offers it; else the simulator does. */
  readonly isOwn: boolean;
}

interface Round {
  readonly before: Run;
  readonly after: Run;
  readonly predictedNs: number;
}

/** The experiment as it is (of which `first` is there) and with the remedy, in turn. */
async function inTurn(
  experiment: Experiment,
  { verdict, remedy }: Tested,
  first: Run,
  { run, rounds = 1, profile }: GainTools,
): Promise<Round[]> {
  const changed = applyChange(experiment, remedy);
  const made: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = round === 0 ? first : await run(experiment);
    const after = await run(changed);
    made.push({ before, after, predictedNs: (remedyOf(before, verdict, profile) ?? remedy).gainNs });
  }
  return made;
}

interface Measured {
  readonly run: Run;
  /** Empty if no remedy removes the cause. */
  readonly rounds: readonly Round[];
}

function judged(experiment: Experiment, tested: Tested, { run, rounds }: Measured, { profile }: GainTools): Gain {
  const { verdict, seen, remedy, isOwn } = tested;
  const isSeen = seen?.cause === verdict.cause;
  const common = { op: verdict.op, label: verdict.label, cause: verdict.cause, seen: seen?.cause ?? null };
  const [first] = rounds;
  if (remedy.after === null || first === undefined) {
    const none = { remedyOf: null, steps: [], after: null, removed: null, gain: null, predicted: null };
    const measured = { before: timed([run]), after: null };
    return { ...common, ...none, error: null, errorOfMakespan: null, measured, held: isSeen };
  }
  const [before, after] = [timed(rounds.map((one) => one.before)), timed(rounds.map((one) => one.after))];
  const left = verdictLeft(applyChange(experiment, remedy), first.after, verdict, profile);
  const gain = gainTimes(rounds, before, after);
  const error = (gain.predictedNs - gain.measuredNs) / Math.abs(gain.measuredNs);
  const removed = left?.cause !== verdict.cause;
  return {
    ...common,
    remedyOf: isOwn ? 'run' : 'simulation',
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

function gainTimes(rounds: readonly Round[], before: Timed, after: Timed): GainTimes {
  const each = rounds.map((round) => ({
    predictedNs: round.predictedNs,
    measuredNs: timed([round.before]).plainNs.median - timed([round.after]).plainNs.median,
  }));
  const measured = each.map(({ measuredNs }) => measuredNs);
  return {
    predictedNs: median(each.map(({ predictedNs }) => predictedNs)),
    measuredNs: median(measured),
    leastNs: Math.min(...measured),
    mostNs: Math.max(...measured),
    recordedNs: before.recordedNs.median - after.recordedNs.median,
    rounds: each,
  };
}

/** Returns the operation's verdict in the changed experiment. If it was cut in parts, the last part counts. */
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

/** Over all iterations of these runs. */
function timed(runs: readonly Run[]): Timed {
  const recordedNs = spread(runs.flatMap(({ info }) => info.iterations.recordedMakespanNs));
  const plainNs = spread(runs.flatMap(({ info }) => info.iterations.plainWallNs));
  if (recordedNs === null || plainNs === null) throw new Error('the run holds no iteration');
  return { plainNs, recordedNs };
}
