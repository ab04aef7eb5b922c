/** Makes a report of a run, of two runs, or of a sweep: the content of its page, and the rows of its runs. */

import { runSteps } from '../apps/gate/steps.ts';
import { CopyscopeError } from '../errors.ts';
import { compareRuns } from '../explain/compare/comparison.ts';
import { bySize } from '../explain/compare/format.ts';
import { summarizeLazily } from '../explain/summary/summary.ts';
import { costliest, windowSummary } from '../explain/summary/windowSummary.ts';
import { answersOf, liftedExperiment, type OpenedTrace, openTrace } from '../lift/answers.ts';
import type { ChangeWord } from '../lift/changes/words.ts';
import { compareSteps, type StepsCompared } from '../lift/settle.ts';
import { attainableBandwidth } from '../machine/cost/attainable.ts';
import { profileCosts } from '../machine/cost/profileCosts.ts';
import { simulateRunInSteps } from '../machine/cost/simEngine.ts';
import type { DeviceProfile } from '../machine/profile/profile.ts';
import { lowerToSimulate } from '../program/lower.ts';
import { atOnce } from '../steps.ts';
import { encodeRun } from '../trace/arrow.ts';
import { type Run, type RunOrigin, runName } from '../trace/run.ts';
import {
  type ReportComparison,
  type ReportDocument,
  type ReportRun,
  type ReportSweep,
  reportFormat,
  reportVersion,
} from './document.ts';
import type { ReportFile } from './page.ts';
import { Redactor, textsOf } from './redact.ts';

export interface ReportedRun {
  readonly run: Run;
  readonly origin: RunOrigin;
  /** Title in the library. Default: the run's own name. */
  readonly title?: string | undefined;
  /** Profile of the run's machine; null if there is none. */
  readonly profile: DeviceProfile | null;
  /** Profile that predicts the plan for a real program's trace; null to omit the plan. */
  readonly replayWith: DeviceProfile | null;
}

export interface ReportOptions {
  readonly createdAt: string;
  /** Version of Copyscope. */
  readonly copyscope: string;
  /** Whether paths, names of users and command lines stay unredacted. */
  readonly withPaths: boolean;
  readonly steps?: { readonly from: number; readonly to: number } | undefined;
  /** A step's time without a profiler, if it is known. */
  readonly knownStepNs?: number | undefined;
  /** Changes of a real program that the report shows before and after. */
  readonly tried?: readonly ChangeWord[] | undefined;
  /** Called with a description of each stage. */
  readonly onStage?: ((words: string) => void) | undefined;
}

/** Iterations with more rows get no verdicts per copy, because those would take too long. */
const mostDetailedRows = 2_000_000;
const mostOperations = 1000;

/** Makes a report of one run, or compares two. */
export function runReport(runs: readonly ReportedRun[], options: ReportOptions): ReportFile {
  const [first, second] = runs;
  if (first === undefined) throw new RangeError('a report is of at least one run');
  const opened = second === undefined ? openedTrace(first, options) : null;
  const tried = opened === null ? [] : triedRuns(opened, first, options);
  const described = runs.map((run): ReportRun => {
    const answers = opened === null ? null : answersOf(opened, options.tried);
    return { ...describe(run, options), answers, tried: titlesOf(tried) };
  });
  if (second !== undefined) options.onStage?.('Comparing');
  return finish(
    {
      title: described.map(({ title }) => title).join(' and '),
      runs: described,
      comparison: second === undefined ? null : comparison(first, second),
      sweep: null,
    },
    [...runs.map(({ run }) => run), ...tried],
    options,
  );
}

export const sweepReport = (sweep: ReportSweep, options: ReportOptions): ReportFile =>
  finish({ title: sweep.document.name, runs: [], comparison: null, sweep }, [], options);

function describe(reported: ReportedRun, { onStage }: ReportOptions): Omit<ReportRun, 'answers' | 'tried'> {
  const { run, origin, profile, title = runName(run.info) } = reported;
  onStage?.(`Summing up ${title}`);
  const costs = profile === null ? null : profileCosts(profile);
  const whole = windowSummary(
    summarizeLazily(run, {
      mostOperations: mostDetailedRows,
      profile: profile ?? undefined,
      attainable: costs === null ? undefined : (...copy) => attainableBandwidth(costs, ...copy),
    }),
  );
  const summary = { ...whole, verdicts: costliest(whole.verdicts) };
  const limit = (direction: 'h2d' | 'd2h'): number | null =>
    costs === null ? null : attainableBandwidth(costs, direction, 'pinned', 2 ** 30);
  const linkLimits = { h2d: limit('h2d'), d2h: limit('d2h') };
  return { title, origin, summary, linkLimits };
}

/** Returns null if there is no plan: the trace lacks what a replay needs, and neither steps nor changes were named. */
function openedTrace(
  { run, replayWith }: ReportedRun,
  { steps, knownStepNs, tried, onStage }: ReportOptions,
): OpenedTrace | null {
  if (run.info.imported === undefined || replayWith === null) return null;
  onStage?.('Trying what changes gain');
  try {
    return openTrace(run, profileCosts(replayWith), { ...steps, knownStepNs });
  } catch (thrown) {
    if (steps === undefined && tried === undefined && thrown instanceof CopyscopeError) return null;
    throw thrown;
  }
}

/** Simulates the lifted steps before and after the tried changes. */
function triedRuns(opened: OpenedTrace, { replayWith }: ReportedRun, { tried, copyscope }: ReportOptions): Run[] {
  if (tried === undefined || replayWith === null) return [];
  return [[], tried].map((changes) => {
    const experiment = liftedExperiment(opened, changes);
    const request = { experiment, program: lowerToSimulate(experiment), profile: replayWith.name };
    return atOnce(simulateRunInSteps(request, replayWith, { machine: null, version: copyscope }));
  });
}

function titlesOf(tried: readonly Run[]): ReportRun['tried'] {
  const [before, after] = tried.map(({ info }, index) => ({ title: runName(info), element: 1 + index }));
  return before === undefined || after === undefined ? null : [before, after];
}

function comparison(first: ReportedRun, second: ReportedRun): ReportComparison {
  const found = compareRuns(first.run, second.run, runSteps);
  const leftOut = Math.max(0, found.operations.length - mostOperations);
  return {
    ...found,
    operations: leftOut === 0 ? found.operations : bySize(found.operations).slice(0, mostOperations),
    leftOut,
    stepParts: comparedSteps(first, second),
  };
}

/** Returns null unless both are traces that a profile can replay. */
function comparedSteps({ run: a, replayWith }: ReportedRun, { run: b }: ReportedRun): StepsCompared | null {
  if (replayWith === null || a.info.imported === undefined || b.info.imported === undefined) return null;
  try {
    return compareSteps(a, b, profileCosts(replayWith));
  } catch (thrown) {
    if (thrown instanceof CopyscopeError) return null;
    throw thrown;
  }
}

type Content = Pick<ReportDocument, 'title' | 'runs' | 'comparison' | 'sweep'>;

/** Redacts the report as a whole, after everything was computed from the original runs. */
function finish(content: Content, runs: readonly Run[], options: ReportOptions): ReportFile {
  const { createdAt, copyscope, withPaths, onStage } = options;
  onStage?.('Packing');
  const document: ReportDocument = {
    format: reportFormat,
    version: reportVersion,
    createdAt,
    copyscope,
    withPaths,
    ...content,
  };
  if (withPaths) return { document, runs: runs.map(encodeRun) };
  const redactor = new Redactor(allTexts(runs));
  return { document: redactor.value(document), runs: runs.map((run) => encodeRun(redactor.run(run))) };
}

function* allTexts(runs: readonly Run[]): Generator<string> {
  for (const run of runs) yield* textsOf(run);
}
