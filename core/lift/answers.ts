/** Analysis of a recorded program's trace: its steps, where their time goes, and what changes gain. */
import type { Experiment } from '../experiment/experiment.ts';
import type { CostModel } from '../machine/costModel.ts';
import { lowerMedian } from '../statistics.ts';
import { type Run, type RunInfo, runName } from '../trace/run.ts';
import type { KnownMachine } from './assumptions.ts';
import { cautionOf } from './caution.ts';
import { keptCopies, movablesOf } from './changes/device.ts';
import { isScalar } from './changes/memory.ts';
import type { ChangeWord } from './changes/words.ts';
import { experimentOf } from './experimentOf.ts';
import { type Lifted, type LiftOptions, type LongSteps, liftTrace } from './fromTrace.ts';
import { keptBytes, needsOf } from './needs.ts';
import type { PartTime } from './parts.ts';
import { Planner, type Remedy } from './plan.ts';
import { type PlanStep, planSteps } from './planSteps.ts';
import { plainStepNs, profilerOf } from './profilerCost.ts';
import { type RanksAnswer, ranksAnswer, type SlowestRank, type UnevenWork } from './ranks.ts';
import { copiesOf, isPageable, type Script } from './script.ts';
import { answerSentence, mostBusy } from './sentence.ts';
import { codeOf } from './words.ts';

export interface StepsAnswer {
  readonly count: number;
  readonly rule: string;
  /** Recorded, with the profiler's cost. */
  readonly medianNs: number;
  /** Predicted, or given by --step-ms. */
  readonly unprofiledNs: number;
  /** 90 % interval; wide if steps differ. */
  readonly unprofiledLowNs: number;
  readonly unprofiledHighNs: number;
  readonly list: readonly { readonly name: string; readonly ns: number }[];
  /** Parts of the median step; they add up to it. */
  readonly parts: readonly PartTime[];
  readonly long: LongSteps | null;
  /** First use of a device, and its longest calls. */
  readonly initialisation: Lifted['initialisation'];
  readonly inferred: readonly string[];
  /** Given if the replay is far from the recording, or steps differ much. Null otherwise. */
  readonly caution: string | null;
}

export interface RemedyAnswer extends Remedy {
  /** Lines to change; empty without stacks. */
  readonly lines: readonly string[];
  readonly code: readonly string[];
  /** Conditions of the gain, in sentences. */
  readonly needs: readonly string[];
  /** Additional device memory. */
  readonly keptBytes: number;
  readonly mayGainNothing: boolean;
}

export interface TraceAnswers {
  /** Sentence: where the step time goes, what to change, the step after it. */
  readonly answer: string;
  readonly steps: StepsAnswer;
  /** Recommended changes first. */
  readonly plan: readonly RemedyAnswer[];
  /** Order of the recommended changes. */
  readonly planSteps: readonly PlanStep[];
  readonly tried: RemedyAnswer | null;
  /** Ranks of a job; steps and plan are the slowest’s. */
  readonly ranks?: RanksAnswer['ranks'];
  readonly slowest?: number;
}

export interface AskOptions extends LiftOptions {
  readonly tried?: readonly ChangeWord[] | undefined;
  /** Step time without a profiler, if the person knows it. */
  readonly knownStepNs?: number | undefined;
  /** Called before each of several ranks is read, with its index. */
  readonly onRank?: ((place: number, of: number) => void) | undefined;
}

/** A trace that is lifted once, for all questions about it. */
export interface OpenedTrace {
  readonly lifted: Lifted;
  readonly planner: Planner;
  /** Null for a run of one rank. */
  readonly several: SlowestRank | null;
}

/** Throws `lift.*` if the trace lacks what a replay needs. */
export function openTrace(run: Run, costs: CostModel, options: AskOptions = {}): OpenedTrace {
  const several = ranksAnswer(run, options, options.onRank);
  const lifted = several?.lifted ?? liftTrace(run.trace, runName(run.info), { ...options, error: run.info.error });
  return { lifted, planner: plannerOf(lifted, run.info, costs, options.knownStepNs), several };
}

/** Throws `lift.*` if the trace lacks what a replay needs. */
export const traceAnswers = (run: Run, costs: CostModel, options: AskOptions = {}): TraceAnswers =>
  answersOf(openTrace(run, costs, options), options.tried);

export const answersOf = ({ lifted, planner, several }: OpenedTrace, tried?: readonly ChangeWord[]): TraceAnswers => ({
  ...planAnswers(lifted, planner, several?.uneven ?? null),
  tried: tried === undefined ? null : remedyAnswer(lifted.script, planner.tried(tried)),
  ...(several === null ? {} : { ranks: several.ranks, slowest: several.slowest }),
});

/** Returns the lifted steps with these changes as an experiment. */
export function liftedExperiment(
  { lifted, planner }: Pick<OpenedTrace, 'lifted' | 'planner'>,
  changes: readonly ChangeWord[],
): Experiment {
  const { name, inferred } = lifted.script;
  const caution = cautionOf(lifted.recordedNs, planner.replayedNs);
  const made = experimentOf(planner.changed(changes), liftedDescription(name, changes, inferred, caution)).experiment;
  const which = changes.length === 0 ? 'as it is' : changes.join(', ');
  return { ...made, name: `${name.slice(0, 120)}: ${which}`.slice(0, 200) };
}

/** Returns the analysis of a trace; `uneven` is for several ranks. */
export function planAnswers(lifted: Lifted, planner: Planner, uneven: UnevenWork | null): Omit<TraceAnswers, 'tried'> {
  const { remedies } = planner.plan();
  const steps = stepsAnswer(lifted, planner);
  const plan = remedies.map((remedy) => remedyAnswer(lifted.script, remedy));
  const recommended = plan.find(({ mayGainNothing }) => !mayGainNothing);
  return {
    answer: answerSentence(steps, plan, {
      busyShare: lifted.busiestNs / lowerMedian(lifted.recordedNs),
      uneven,
    }),
    steps,
    plan,
    planSteps: recommended === undefined ? [] : planSteps(planner, recommended),
  };
}

/** `info` belongs to the trace: its recorder has lengthened the times. */
export const plannerOf = (
  { script, recordedNs, parts, busiestNs }: Lifted,
  info: Pick<RunInfo, 'imported' | 'device'>,
  costs: CostModel,
  knownStepNs?: number,
): Planner =>
  new Planner({
    script,
    costs,
    machine: knownMachine(costs, info.device?.name),
    profiler: profilerOf(info),
    exposedCommunicationNs: parts.find(({ part }) => part === 'communication')?.ns,
    recordedNs,
    ...(isBusy(busiestNs, recordedNs) ? { kernelsNs: busiestNs } : {}),
    knownStepNs: knownStepNs ?? plainStepNs(info, lowerMedian(recordedNs)),
  });

const isBusy = (busiestNs: number, recordedNs: readonly number[]): boolean =>
  busiestNs >= mostBusy * lowerMedian(recordedNs);

export const remedyAnswer = (script: Script, remedy: Remedy): RemedyAnswer => ({
  ...remedy,
  lines: linesOf(script, remedy.changes),
  code: remedy.changes.map((word) => codeOf[word]),
  needs: needsOf(script, remedy.changes),
  keptBytes: remedy.changes.includes('keep-on-device') ? keptBytes(script) : 0,
  mayGainNothing: remedy.lowShare <= 0,
});

export function stepsAnswer(
  { found, recordedNs, script, parts, long, initialisation }: Lifted,
  planner: Planner,
): StepsAnswer {
  return {
    count: found.ranges.length,
    rule: found.rule,
    medianNs: lowerMedian(recordedNs),
    unprofiledNs: planner.unprofiledNs,
    unprofiledLowNs: planner.unprofiledRange.lowNs,
    unprofiledHighNs: planner.unprofiledRange.highNs,
    list: found.ranges.map(({ name }, index) => ({ name, ns: recordedNs[index] ?? 0 })),
    parts,
    long,
    initialisation,
    inferred: [...script.inferred, ...planner.notes],
    caution: cautionOf(recordedNs, planner.replayedNs),
  };
}

const ofCopies: ReadonlySet<ChangeWord> = new Set([
  'pin',
  'pin-each-step',
  'non-blocking',
  'other-stream',
  'prefetch',
  'batch',
  'both-directions',
]);
const ofWaits: ReadonlySet<ChangeWord> = new Set(['remove-wait', 'delay-wait']);

/** Returns the source lines that a set of changes affects, each once, in program order. */
function linesOf(script: Script, changes: readonly ChangeWord[]): string[] {
  const items = script.steps[Math.min(1, script.steps.length - 1)]?.items ?? [];
  const lines = new Set<string>();
  if (changes.includes('keep-on-device')) {
    const kept = keptCopies(script);
    for (const copy of copiesOf(items)) if (kept.has(copy)) lines.add(copy.line);
  }
  for (const { kind, gone, smaller } of movablesOf(items)) {
    if (changes.includes(kind)) for (const { line } of smaller === null ? gone : [smaller]) lines.add(line);
  }
  const onlyPins = changes.every((word) => word === 'pin' || word === 'pin-each-step');
  if (changes.some((word) => ofCopies.has(word))) {
    for (const copy of copiesOf(items)) if (!isScalar(copy) && (!onlyPins || isPageable(copy))) lines.add(copy.line);
  }
  if (changes.some((word) => ofWaits.has(word))) {
    for (const item of items) if (item.kind === 'sync' && item.copy < 0 && item.frees !== true) lines.add(item.line);
    for (const copy of copiesOf(items)) if (isScalar(copy)) lines.add(copy.line);
  }
  lines.delete('');
  return [...lines];
}

/** PyTorch copies on the host, as for pin_memory() and stack(), with several threads; how many differs by machine. */
const hostThreads = 4;

/** `device` is the trace's. */
export function knownMachine(costs: CostModel, device?: string): KnownMachine {
  const { device: measured } = costs.facts;
  return {
    standsIn: measured === device ? undefined : measured,
    pinnedNs: (direction, bytes) => {
      const ends = direction === 'h2d' ? { src: 'pinned', dst: 'device' } : { src: 'device', dst: 'pinned' };
      return (
        costs.copy(bytes, { ...(ends as { src: 'pinned'; dst: 'device' }), from: -1, to: -1 }, false)?.deviceNs ?? 0
      );
    },
    pinnedCallNs: costs.callNs('cudaMemcpyAsync'),
    hostBytesPerSecond: costs.hostCopyRate(hostThreads),
    graphLaunchNs: costs.graphNs('cudaGraphLaunch', 0),
  };
}

/** Returns the description of a lifted experiment. */
export const liftedDescription = (
  trace: string,
  changes: readonly string[],
  inferred: readonly string[],
  caution: string | null,
): string =>
  [
    `Lifted from the trace ${trace}, without what the profiler cost.`,
    ...(changes.length === 0 ? [] : [`Changed: ${changes.join(', ')}.`]),
    ...(caution === null ? [] : [caution]),
    ...inferred,
    'Copyscope infers which kernel reads a copy: the next one in its stream.',
  ].join('\n');
