/** Makes the summary document of a run (see summaryDocument.ts). */
import { machineOf } from '../../machine/cost/machineOf.ts';
import { profileCosts } from '../../machine/cost/profileCosts.ts';
import { shownBy } from '../../machine/cost/runCosts.ts';
import type { DeviceProfile } from '../../machine/profile/profile.ts';
import { spread } from '../../statistics.ts';
import { atOnce, type InSteps } from '../../steps.ts';
import { type Iteration, iterationOf, makespan } from '../../trace/iteration.ts';
import { type Run, type RunInfo, runName } from '../../trace/run.ts';
import { callTimes } from '../figures/calls.ts';
import { bandwidthUse } from '../figures/copyBandwidth.ts';
import { criticalPath } from '../figures/criticalPath.ts';
import { engineUse, linkUse } from '../figures/engines.ts';
import { hostTimes } from '../figures/hostTime.ts';
import { streamIdle } from '../figures/idle.ts';
import { deviceIdle } from '../figures/idleCauses.ts';
import { launchStatistics } from '../figures/launches.ts';
import { memorySeries } from '../figures/memory.ts';
import { type AttainableBandwidth, eachOperation, type OperationRow } from '../figures/operations.ts';
import { overlap } from '../figures/overlap.ts';
import { queueUse } from '../figures/queue.ts';
import { temporalBreakdown } from '../figures/temporal.ts';
import { byDocument } from '../remedies/byDocument.ts';
import { floorOf, planInSteps } from '../remedies/plan.ts';
import { predict } from '../remedies/predict.ts';
import { costed, testedInSteps } from '../remedies/remedies.ts';
import { programFacts } from '../verdicts/facts.ts';
import { mostSavedNs, verdictSums } from '../verdicts/groups.ts';
import type { Verdict } from '../verdicts/verdict.ts';
import { verdictsInSteps } from '../verdicts/verdicts.ts';
import { type IterationSummary, type SummaryDocument, summaryFormat, summaryVersion } from './summaryDocument.ts';

export interface SummaryOptions {
  /** From the device profile. Without it, the summary has no attainable bandwidth. */
  readonly attainable?: AttainableBandwidth | undefined;
  /** Profile of the run's device, used to test verdicts. Without it there are no remedies. */
  readonly profile?: DeviceProfile | undefined;
  /** Number of operations that a stream holds before a call blocks. Default: that of `profile`. */
  readonly queueDepth?: number | undefined;
  /** Iterations with more rows get no operations, verdicts or calls, which need every row. Default: no limit. */
  readonly mostOperations?: number | undefined;
}

/** Returns everything known about a run as plain JSON. Also works on failed runs, with what they recorded. */
export function summarizeRun(run: Run, options: SummaryOptions = {}): SummaryDocument {
  const summary = summarizeLazily(run, options);
  return { ...summary, operations: [...summary.operations] };
}

/** A summary whose operations are created while they are iterated, which works once. */
export type LazySummary = Omit<SummaryDocument, 'operations'> & { readonly operations: Iterable<OperationRow> };

/** Returns a summary for runs with too many rows to keep an object for each in memory. */
export const summarizeLazily = (run: Run, options: SummaryOptions = {}): LazySummary =>
  atOnce(summarizeInSteps(run, options));

/** Summarizes a run in steps. A step that is a number says what share of the copies is judged. */
export function* summarizeInSteps(run: Run, options: SummaryOptions = {}): InSteps<LazySummary> {
  const { info, trace } = run;
  const iteration = iterationOf(trace, info.iterations.representative);
  const { info: infoOf, program } = programFacts(info.experiment);
  const isDetailed = iteration.end - iteration.begin <= (options.mostOperations ?? Number.POSITIVE_INFINITY);
  const depth = options.queueDepth ?? (options.profile && profileCosts(options.profile).facts.queueDepth);
  yield;
  const found = isDetailed
    ? yield* verdictsInSteps(iteration, info.experiment, {
        queueDepth: depth,
        device: info.device,
        attainable: options.attainable,
      })
    : [];
  yield;
  const inAll = {
    overlap: overlap(iteration),
    engines: engineUse(iteration),
    link: linkUse(iteration),
    host: hostTimes(iteration),
    temporal: temporalBreakdown(iteration),
    deviceIdle: deviceIdle(iteration),
  };
  yield;
  const judgements = byDocument(found, info.experiment);
  const { floorNs, ...tested } = yield* remedies(run, iteration, judgements, options.profile);
  const mostNs = mostSavedNs(makespan(iteration), [{ floorNs }]);
  const judged = costed(judgements, tested.remedies, mostNs);
  const parts = isDetailed ? yield* joined(iteration, depth) : notJoined;
  yield;
  return {
    format: summaryFormat,
    version: summaryVersion,
    name: runName(info),
    imported: info.imported ?? null,
    engine: info.engine,
    status: info.status,
    error: info.error ?? null,
    createdAt: info.createdAt,
    device: info.device,
    profile: info.profile ?? null,
    machine: info.machine,
    ranOn: info.host ?? null,
    versions: info.versions,
    timing: info.timing,
    makespanNs: makespan(iteration),
    makespanInterval: info.makespanInterval ?? null,
    bandwidthIntervals: info.bandwidthIntervals ?? null,
    iterations: iterationSummary(info, iteration),
    ...inAll,
    ...parts,
    allocators: (info.memory ?? []).map(({ reservedSteps: _, ...state }) => state),
    memory: memorySeries(iteration, program).map(({ device, memory, mostBytes }) => ({ device, memory, mostBytes })),
    operations: isDetailed ? eachOperation(iteration, { info: infoOf, attainable: options.attainable }) : [],
    verdicts: judged,
    verdictSums: verdictSums(judged, mostSavedNs(makespan(iteration), tested.plan)),
    ...tested,
    verification: info.verification,
    notes: info.notes,
  };
}

function* remedies(
  run: Run,
  iteration: Iteration,
  found: readonly Verdict[],
  profile: DeviceProfile | undefined,
): InSteps<Pick<SummaryDocument, 'remedies' | 'plan' | 'predictedWith'> & { readonly floorNs: number }> {
  const { experiment } = run.info;
  const untested = { remedies: [], plan: [], predictedWith: null, floorNs: 0 };
  if (profile === undefined || experiment === null) return untested;
  const shown = shownBy(run, profile);
  const machine = machineOf(profile, shown);
  const before = predict(experiment, machine);
  if (before === null) return untested;
  const made = yield* testedInSteps(before, found, machine);
  const plan = yield* planInSteps(before, machine);
  const isPredicted = made.length > 0 || plan.length > 0;
  const predictedWith = isPredicted ? { profile: profile.name, fromRun: [...shown.keys()] } : null;
  return { remedies: made, plan, predictedWith, floorNs: floorOf(iteration, machine.costs) };
}

type Joined = Pick<SummaryDocument, 'calls' | 'launches' | 'queues' | 'idle' | 'bandwidth' | 'criticalPath'>;

const notJoined: Joined = { calls: [], launches: [], queues: [], idle: [], bandwidth: [], criticalPath: null };

/** Computes everything that needs each activity and its call. */
function* joined(iteration: Iteration, queueDepth: number | undefined): InSteps<Joined> {
  const { lengthNs, parts } = criticalPath(iteration);
  yield;
  return {
    calls: callTimes(iteration),
    launches: launchStatistics(iteration),
    queues: queueUse(iteration, queueDepth),
    idle: streamIdle(iteration),
    bandwidth: bandwidthUse(iteration),
    criticalPath: iteration.begin === iteration.end ? null : { lengthNs, parts },
  };
}

function iterationSummary({ iterations }: RunInfo, { number }: Iteration): IterationSummary {
  const recordedWallNs = spread(iterations.recordedWallNs);
  const plainWallNs = spread(iterations.plainWallNs);
  const known = recordedWallNs !== null && plainWallNs !== null;
  return {
    recorded: iterations.recordedMakespanNs.length,
    representative: number,
    recordedMakespanNs: spread(iterations.recordedMakespanNs),
    recordedWallNs,
    plainWallNs,
    recordingOverheadNs: known ? recordedWallNs.median - plainWallNs.median : null,
  };
}
