/** `copyscope compare`: two runs, or a run and its prediction. */

import { runSteps } from '../../../core/apps/gate/steps.ts';
import { describeError, toErrorInfo } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import {
  type ComparisonDocument,
  compareRuns,
  comparisonFormat,
  comparisonVersion,
  type RunComparison,
} from '../../../core/explain/compare/comparison.ts';
import { compareSteps, type StepsCompared } from '../../../core/lift/settle.ts';
import { profileCosts } from '../../../core/machine/cost/profileCosts.ts';
import { columns, type TableBlock, text } from '../../../core/present/blocks.ts';
import { differenceBlocks, stepBlocks, timeBlocks } from '../../../core/present/comparison.ts';
import { describeOrigin } from '../../../core/present/summary.ts';
import { heldWords, type SettledPrediction, settledPrediction } from '../../../core/service/settled.ts';
import { isTraced, type Run, runOrigin } from '../../../core/trace/run.ts';
import { SettledStore } from '../../library/tables.ts';
import { dataFolder } from '../../paths.ts';
import { experimentIn, readInputFile } from '../inputFile.ts';
import { drawBlocks } from '../render/blocks.ts';
import { traceProfile } from '../traceAnswers.ts';
import { simulated, type Tools } from './run.ts';

export interface CompareOptions {
  readonly profile?: string | undefined;
  readonly all: boolean;
  readonly json: boolean;
}

/** Compares the run in `a` with that in `b`; without `b`, with the simulation of a's experiment. */
export async function compare(tools: Tools, a: string, b: string | undefined, options: CompareOptions): Promise<void> {
  const { terminal } = tools.context;
  tools.context.leaveAtOnce();
  const [one, other] = [await readInput(tools, a), b === undefined ? null : await readInput(tools, b)];
  const known = [one, other].flatMap((input) => (input?.kind === 'run' ? [input.run] : []));
  const predict = (experiment: Experiment): Promise<Run> =>
    simulated(tools, experiment, options.profile, known.some(isTraced));
  const first = one.kind === 'run' ? one.run : await predict(one.experiment);
  const second =
    other === null
      ? await predict(experimentIn({ kind: 'run', run: first }, a))
      : other.kind === 'run'
        ? other.run
        : await predict(other.experiment);
  const comparison = compareRuns(first, second, runSteps);
  const { steps, settledHere } = await comparedSteps([first, second], tools, options.profile);
  if (!options.json) {
    const listing = options.all ? { most: Infinity } : { most: mostShown, rest: ' --all shows them.' };
    const blocks = [
      ...stepBlocks(steps),
      ...text(settledHere.length < 2 ? '' : `Settled on this machine so far: ${heldWords(settledHere)}`),
      runsTable([first, second], comparison),
      ...timeBlocks(comparison),
      ...differenceBlocks(comparison, listing),
    ];
    terminal.out(drawBlocks(blocks, terminal));
    return;
  }
  const document: ComparisonDocument & StepsCompared = {
    format: comparisonFormat,
    version: comparisonVersion,
    ...comparison,
    ...steps,
    a: { ...comparison.a, ...origin(first) },
    b: { ...comparison.b, ...origin(second) },
  };
  await terminal.json(document);
}

/** Operations shown unless --all is given. */
const mostShown = 20;

const runsTable = (runs: readonly Run[], { a, b }: RunComparison): TableBlock => ({
  kind: 'table',
  title: 'Runs',
  columns: columns('', 'Name', 'Made', 'Iterations recorded'),
  rows: runs.map(({ info }, index) => {
    const { name, iterations } = index === 0 ? a : b;
    const recorder = info.whileRecording === true ? ', with what recording costs' : '';
    const made = `${describeOrigin({ ...info, ranOn: info.host }, runOrigin(info, false))}${recorder}`;
    return { cells: ['AB'.charAt(index), name, made, String(iterations)] };
  }),
});

interface ComparedSteps {
  readonly steps: StepsCompared;
  /** Predictions with the same profile that were checked on this machine, this one first. */
  readonly settledHere: readonly SettledPrediction[];
}

/** Compares the steps of two traces with the first one's plan; null if the runs are no traces. */
async function comparedSteps(
  [a, b]: readonly [Run, Run],
  { assets, context }: Tools,
  profile: string | undefined,
): Promise<ComparedSteps> {
  const nothing: ComparedSteps = { steps: { parts: [], settled: null }, settledHere: [] };
  if (a.info.imported === undefined || b.info.imported === undefined) return nothing;
  const used = await traceProfile(a, assets, context.terminal, profile);
  try {
    const steps = compareSteps(a, b, profileCosts(used));
    if (steps.settled === null) return { ...nothing, steps };
    const settled = settledPrediction([a.info, b.info], used.name, steps.settled);
    return { steps, settledHere: await kept(settled, context) };
  } catch (thrown) {
    context.terminal.err(`The steps are not compared: ${describeError(toErrorInfo(thrown))}`);
    return nothing;
  }
}

/** Returns all stored predictions with this one. A table that can't be read or written doesn't stop the comparison. */
async function kept(settled: SettledPrediction, { environment, terminal }: Tools['context']) {
  const store = new SettledStore(dataFolder(environment));
  try {
    await store.keep(settled);
    return await store.of(settled.profile);
  } catch (thrown) {
    terminal.err(`The settled prediction is not kept: ${describeError(toErrorInfo(thrown))}`);
    return [];
  }
}

/** Reads a run or a trace. An experiment is simulated, with the recorder's cost if the other one is recorded. */
const readInput = (tools: Tools, file: string) => readInputFile(file, tools.context);

const origin = ({ info }: Run) => ({
  origin: runOrigin(info, false),
  ...(info.whileRecording === true ? ({ whileRecording: true } as const) : {}),
});
