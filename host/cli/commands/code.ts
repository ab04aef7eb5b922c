/** `copyscope code`: an experiment as a program in CUDA C++ or PyTorch. */
import { type CodeLanguage, codeOf } from '../../../core/export/code/code.ts';
import { lowerUnverified } from '../../../core/program/lower.ts';
import { requireNew, writeWhole } from '../../service/files.ts';
import { readExperimentOf } from '../inputFile.ts';
import type { Context } from '../io.ts';

export interface CodeOptions {
  readonly language: CodeLanguage;
  readonly out?: string | undefined;
}

/** Prints the program, or writes it; what the language can't say goes to stderr, each with its operation. */
export async function code(context: Context, file: string, { language, out }: CodeOptions): Promise<void> {
  const { terminal } = context;
  context.leaveAtOnce();
  if (out !== undefined) await requireNew(out);
  const experiment = await readExperimentOf(file, context);
  const { text, notes } = codeOf(experiment, language);
  if (out === undefined) terminal.out(text);
  else await writeWhole(out, text);
  const { operations } = lowerUnverified(experiment);
  for (const note of notes) {
    const operation = operations[note.op];
    terminal.err(`${operation === undefined ? '' : `op ${note.op} "${operation.label}": `}${note.text}\n`);
  }
  if (out !== undefined) terminal.err(`Written to ${out}.\n`);
}
