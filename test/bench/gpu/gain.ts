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
  /** Called with each run: `cause` is the one that was taken away before it, null for the experiment as it is. */
  readonly keep?: (run: Run, cause: Cause | null) => void;
}

/** Times in nanoseconds. */
export interface Timed {
  /** Over the recorded iterations; of a simulation the only one. */
  readonly makespanNs: Spread;
  /** Host clock around whole iterations with recording off. */
  readonly plainWallNs: Spread | null;
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
  /** Makespan before less makespan after, predicted as the remedy says it, and between the medians of the two runs. */
  readonly gain: { readonly predictedNs: number; readonly measuredNs: number; readonly plainNs: number | null } | null;
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
  tools.keep?.(run, null);
  const { verdicts, remedies } = summarizeRun(run, { profile: tools.profile });
  for (const { verdict, remedy } of subjects(explained.before.verdicts, explained.remedies)) {
    const seen = verdicts.find((one) => one.op === verdict.op && one.subject === verdict.subject) ?? null;
    const own = remedies.find((one) => one.op === verdict.op && one.cause === verdict.cause && one.after !== null);
    yield await gainOf(experiment, { verdict, seen, predicted: remedy, own: own ?? null, run }, tools);
  }
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
  readonly predicted: Remedy;
  /** The remedy that the engine's run offers for the same cause. */
  readonly own: Remedy | null;
  readonly run: Run;
}

async function gainOf(experiment: Experiment, tested: Tested, tools: GainTools): Promise<Gain> {
  const { verdict, seen, predicted, own, run } = tested;
  const remedy = own ?? predicted;
  const isSeen = seen?.cause === verdict.cause;
  const before = timed(run);
  const common = { op: verdict.op, label: verdict.label, cause: verdict.cause, seen: seen?.cause ?? null };
  if (remedy.after === null) {
    const none = { remedyOf: null, steps: [], after: null, removed: null, gain: null, predicted: null };
    return { ...common, ...none, error: null, errorOfMakespan: null, measured: { before, after: null }, held: isSeen };
  }
  const changed = applyChange(experiment, remedy);
  const remedied = await tools.run(changed);
  tools.keep?.(remedied, verdict.cause);
  const after = timed(remedied);
  const left = verdictLeft(changed, remedied, verdict, tools.profile);
  const gain = {
    predictedNs: remedy.gainNs,
    measuredNs: before.makespanNs.median - after.makespanNs.median,
    plainNs:
      before.plainWallNs === null || after.plainWallNs === null
        ? null
        : before.plainWallNs.median - after.plainWallNs.median,
  };
  const error = (gain.predictedNs - gain.measuredNs) / Math.abs(gain.measuredNs);
  const removed = left?.cause !== verdict.cause;
  return {
    ...common,
    remedyOf: own === null ? 'simulation' : 'run',
    steps: remedy.steps,
    after: left?.cause ?? null,
    removed,
    gain,
    error,
    errorOfMakespan: (gain.predictedNs - gain.measuredNs) / before.makespanNs.median,
    predicted: { beforeNs: remedy.before.makespanNs, afterNs: remedy.after.makespanNs },
    measured: { before, after },
    held: isSeen && removed && Math.abs(error) <= mostError,
  };
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
  const makespanNs = spread(iterations.recordedMakespanNs);
  if (makespanNs === null) throw new Error('the run holds no iteration');
  return { makespanNs, plainWallNs: spread(iterations.plainWallNs) };
}
