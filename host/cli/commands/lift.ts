/** `copyscope lift`: an experiment made of a real program's trace. */

import { CopyscopeError } from '../../../core/errors.ts';
import { liftedDescription, plannerOf } from '../../../core/lift/answers.ts';
import { cautionOf } from '../../../core/lift/caution.ts';
import { experimentOf } from '../../../core/lift/experimentOf.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import { profileCosts } from '../../../core/machine/cost/profileCosts.ts';
import { requireNew, writeWhole } from '../../files/files.ts';
import { readInputFile } from '../inputFile.ts';
import { type TraceQuestion, traceProfile } from '../traceAnswers.ts';
import type { Tools } from './run.ts';

export type LiftCommandOptions = Pick<TraceQuestion, 'steps' | 'try' | 'profile'> & {
  readonly out: string;
};

export async function lift({ context, assets }: Tools, file: string, options: LiftCommandOptions): Promise<void> {
  const { terminal } = context;
  await requireNew(options.out);
  const input = await readInputFile(file, context);
  if (input.kind !== 'run' || input.run.info.imported === undefined) throw notATrace(file);
  const { run } = input;
  const lifted = liftTrace(run.trace, run.info.imported?.name ?? 'trace', {
    ...options.steps,
    error: run.info.error,
  });
  const planner = plannerOf(lifted, run.info, profileCosts(await traceProfile(run, assets, terminal, options.profile)));
  const changes = options.try ?? [];
  const caution = cautionOf(lifted.recordedNs, planner.replayedNs);
  const { experiment } = experimentOf(
    planner.changed(changes),
    liftedDescription(file, changes, lifted.script.inferred, caution),
  );
  await writeWhole(options.out, `${JSON.stringify(experiment, null, 2)}\n`);
  terminal.err(`Written to ${options.out}: ${lifted.script.steps.length} steps.`);
  if (caution !== null) terminal.err(caution);
}

const notATrace = (file: string): CopyscopeError =>
  new CopyscopeError({
    code: 'lift.not-a-trace',
    message: `${file} is no trace of a real program.`,
    remedy: 'An experiment needs no lifting: copyscope predict and explain take it as it is.',
  });
