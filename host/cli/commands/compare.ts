/** `copyscope compare`: two runs beside one another, or a run and what is predicted for it. */

import { compareRuns } from '../../../core/compare/comparison.ts';
import { type ComparisonDocument, comparisonFormat, comparisonVersion } from '../../../core/compare/document.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { runSteps } from '../../../core/gate/runSteps.ts';
import { isTraced, type Run, runOrigin } from '../../../core/trace/run.ts';
import { experimentIn, readInputFile } from '../inputFile.ts';
import { drawComparison } from '../render/compare.ts';
import { simulated, type Tools } from './run.ts';

export interface CompareOptions {
  readonly profile?: string | undefined;
  readonly all: boolean;
  readonly json: boolean;
}

/** Compares the run in `a` with that in `b`; left out, with the simulation of a's experiment. */
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
  if (!options.json) {
    terminal.out(drawComparison(first, second, comparison, options.all, terminal));
    return;
  }
  const document: ComparisonDocument = {
    format: comparisonFormat,
    version: comparisonVersion,
    ...comparison,
    a: { ...comparison.a, ...origin(first) },
    b: { ...comparison.b, ...origin(second) },
  };
  await terminal.json(document);
}

/** A run or a trace as it is; an experiment is simulated, with what recording costs where the other is recorded. */
const readInput = (tools: Tools, file: string) => readInputFile(file, tools.context);

const origin = ({ info }: Run) => ({
  origin: runOrigin(info, false),
  ...(info.whileRecording === true ? ({ whileRecording: true } as const) : {}),
});
