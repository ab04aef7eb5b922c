/** `copyscope code`: an experiment as a program in CUDA C++ or PyTorch. */

import { type CodeLanguage, codeOf } from '../../../core/code/code.ts';
import { CopyscopeError } from '../../../core/errors.ts';
import { applyChange } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { explainWithRemedies } from '../../../core/explain/remedies/remedies.ts';
import { machineOf } from '../../../core/machine/cost/machineOf.ts';
import { defaultProfile } from '../../../core/machine/cost/simEngine.ts';
import { parseProfile } from '../../../core/machine/profile/profile.ts';
import { lowerUnverified } from '../../../core/program/lower.ts';
import { requireNew, writeWhole } from '../../files/files.ts';
import { readExperimentOf } from '../inputFile.ts';
import type { Tools } from './run.ts';

export interface CodeOptions {
  readonly language: CodeLanguage;
  readonly out?: string | undefined;
  readonly remedy?: boolean | undefined;
}

type CodeTools = Pick<Tools, 'assets' | 'context'>;

/** Prints the program, or writes it. Operations that the language can't express are listed on stderr. */
export async function code(
  { context, assets }: CodeTools,
  file: string,
  { language, out, remedy = false }: CodeOptions,
): Promise<void> {
  const { terminal } = context;
  context.leaveAtOnce();
  if (out !== undefined) await requireNew(out);
  const given = await readExperimentOf(file, context);
  const experiment = remedy ? await remedied(given, { context, assets }) : given;
  const { text, notes } = codeOf(experiment, language, given);
  if (out === undefined) terminal.write(text);
  else await writeWhole(out, text);
  const { operations } = lowerUnverified(experiment);
  for (const note of notes) {
    const operation = operations[note.op];
    terminal.err(`${operation === undefined ? '' : `op ${note.op} "${operation.label}": `}${note.text}`);
  }
  if (out !== undefined) terminal.err(`Written to ${out}.`);
}

/** Returns the experiment with the remedy that gains most, and prints the change on stderr. */
async function remedied(experiment: Experiment, { assets, context }: CodeTools): Promise<Experiment> {
  const profile = parseProfile(await assets.readProfile(defaultProfile));
  const remedies = explainWithRemedies(experiment, machineOf(profile))?.remedies ?? [];
  const [best] = remedies
    .filter(({ isConfirmed, patches }) => isConfirmed === true && patches.length > 0)
    .sort((a, b) => b.gainNs - a.gainNs);
  if (best === undefined) {
    throw new CopyscopeError({
      code: 'usage.no-remedy',
      field: '--remedy',
      message: 'no remedy is known for this experiment that gains in a simulation.',
      remedy: 'Leave --remedy out; copyscope explain shows what happens in it.',
    });
  }
  for (const step of best.steps) context.terminal.err(`Remedy: ${step}`);
  return applyChange(experiment, best);
}
