/** Makes the summary document of a run (see summaryDocument.ts). */
import { machineOf } from '../cost/machineOf.ts';
import { profileCosts } from '../cost/profileCosts.ts';
import { shownBy } from '../cost/runCosts.ts';
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
import type { DeviceProfile } from '../profile/profile.ts';
import { remediesFor } from '../remedies/remedies.ts';
import { spread } from '../statistics.ts';
import { atOnce, type InSteps } from '../steps.ts';
import { type Iteration, iterationOf, makespan } from '../trace/iteration.ts';
import { type Run, type RunInfo, runName } from '../trace/run.ts';
import { programFacts } from '../verdicts/facts.ts';
import { verdictSums } from '../verdicts/groups.ts';
import type { Verdict } from '../verdicts/verdict.ts';
import { verdictsInSteps } from '../verdicts/verdicts.ts';
import { type IterationSummary, type SummaryDocument, summaryFormat, summaryVersion } from './summaryDocument.ts';

export interface SummaryOptions {
  /** From the device profile; without it no attainable bandwidth is given. */
  readonly attainable?: AttainableBandwidth | undefined;
  /** Of the run's device: verdicts are put to the test with it. Without it there are no remedies. */
  readonly profile?: DeviceProfile | undefined;
  /** Operations that a stream holds before a call blocks; that of `profile` where left out. */
  readonly queueDepth?: number | undefined;
  /** Iterations of more rows get nothing that rests on every row and its call: no operations, verdicts or calls. No limit by default. */
  readonly mostOperations?: number | undefined;
}

/** Everything there is to say of a run in plain JSON values. Works on failed runs too, with what they recorded. */
export function summarizeRun(run: Run, options: SummaryOptions = {}): SummaryDocument {
  const summary = summarizeLazily(run, options);
  return { ...summary, operations: [...summary.operations] };
}

/** A summary whose operations are made as they are asked for, once. */
export type LazySummary = Omit<SummaryDocument, 'operations'> & { readonly operations: Iterable<OperationRow> };

/** The same for runs of so many rows that an object for each would fill the memory. */
export const summarizeLazily = (run: Run, options: SummaryOptions = {}): LazySummary =>
  atOnce(summarizeInSteps(run, options));

/** The same in steps. */
export function* summarizeInSteps(run: Run, options: SummaryOptions = {}): InSteps<LazySummary> {
  const { info, trace } = run;
  const iteration = iterationOf(trace, info.iterations.representative);
  const { info: infoOf, program } = programFacts(info.experiment);
  const isDetailed = iteration.end - iteration.begin <= (options.mostOperations ?? Number.POSITIVE_INFINITY);
  const depth = options.queueDepth ?? (options.profile && profileCosts(options.profile).facts.queueDepth);
  yield;
  const found = isDetailed
    ? yield* verdictsInSteps(iteration, info.experiment, { queueDepth: depth, device: info.device })
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
    memory: memorySeries(iteration, program).map(({ device, memory, mostBytes }) => ({ device, memory, mostBytes })),
    operations: isDetailed ? eachOperation(iteration, { info: infoOf, attainable: options.attainable }) : [],
    verdicts: found,
    verdictSums: verdictSums(found),
    ...remedies(run, found, options.profile),
    verification: info.verification,
    notes: info.notes,
  };
}

function remedies(
  run: Run,
  found: readonly Verdict[],
  profile: DeviceProfile | undefined,
): Pick<SummaryDocument, 'remedies' | 'predictedWith'> {
  const { experiment } = run.info;
  if (profile === undefined || experiment === null) return { remedies: [], predictedWith: null };
  const shown = shownBy(run, profile);
  const made = remediesFor(experiment, found, machineOf(profile, shown));
  const predictedWith = made.length === 0 ? null : { profile: profile.name, fromRun: [...shown.keys()] };
  return { remedies: made, predictedWith };
}

type Joined = Pick<SummaryDocument, 'calls' | 'launches' | 'queues' | 'idle' | 'bandwidth' | 'criticalPath'>;

const notJoined: Joined = { calls: [], launches: [], queues: [], idle: [], bandwidth: [], criticalPath: null };

/** What rests on every activity and its call. */
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
