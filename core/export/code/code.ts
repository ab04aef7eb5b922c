/** An experiment as a program in another language. */
import type { Experiment } from '../../experiment/experiment.ts';
import { cudaProgram } from './cuda/program.ts';
import type { CodeNote, Listing } from './listing.ts';
import { pytorchProgram } from './pytorch/program.ts';

export const codeLanguages = ['pytorch', 'cuda'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

export interface Code {
  readonly text: string;
  /** By line, from the first: number of the operation that it carries out, or -1. */
  readonly ops: readonly number[];
  /** What the language can't say as the experiment does; it stands with the operation as a comment too. */
  readonly notes: readonly CodeNote[];
}

/** Throws a CopyscopeError `experiment.invalid` for what no engine could execute. */
export function codeOf(experiment: Experiment, language: CodeLanguage): Code {
  const write: (experiment: Experiment) => Listing = language === 'cuda' ? cudaProgram : pytorchProgram;
  const { lines, ops, notes } = write(experiment);
  return { text: `${lines.join('\n')}\n`, ops, notes };
}
