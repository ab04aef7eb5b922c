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
  /** Lines, from 0, of what a remedy has added or changed; a comment says so over each. */
  readonly remedied: ReadonlySet<number>;
}

/**
 * Throws a CopyscopeError `experiment.invalid` for what no engine could execute. With `before`, the experiment as it was
 * before a remedy changed it, comments mark what was added and changed.
 */
export function codeOf(experiment: Experiment, language: CodeLanguage, before?: Experiment): Code {
  const write: (subject: Subject) => Listing = language === 'cuda' ? cudaProgram : pytorchProgram;
  const subject = subjectOf(experiment, before);
  const { lines, ops, notes, remedied } = write(subject);
  for (const [line, op] of ops.entries()) if (subject.marks.operations.has(op)) remedied.add(line);
  return { text: `${lines.join('\n')}\n`, ops, notes, remedied };
}
