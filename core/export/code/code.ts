/** An experiment as a program in another language. */
import type { Experiment } from '../../experiment/experiment.ts';
import { cudaProgram } from './cuda/program.ts';
import type { CodeNote, Listing } from './listing.ts';
import { pytorchProgram } from './pytorch/program.ts';
import { type Subject, subjectOf } from './subject.ts';

export const codeLanguages = ['pytorch', 'cuda'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

export interface Code {
  readonly text: string;
  /** By line, from the first: number of the operation that it carries out, or -1. */
  readonly ops: readonly number[];
  /** What the language can't say as the experiment does; it stands with the operation as a comment too. */
  readonly notes: readonly CodeNote[];
}

/**
 * Throws a CopyscopeError `experiment.invalid` for what no engine could execute. With `before`, the experiment as it was
 * before a remedy changed it, comments mark what was added and changed.
 */
export function codeOf(experiment: Experiment, language: CodeLanguage, before?: Experiment): Code {
  const write: (subject: Subject) => Listing = language === 'cuda' ? cudaProgram : pytorchProgram;
  const { lines, ops, notes } = write(subjectOf(experiment, before));
  return { text: `${lines.join('\n')}\n`, ops, notes };
}
