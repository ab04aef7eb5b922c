/** Writes an experiment as a program in another language. */
import type { Experiment } from '../experiment/experiment.ts';
import { cudaProgram } from './cuda/program.ts';
import type { CodeNote, Listing } from './listing.ts';
import { pytorchProgram } from './pytorch/program.ts';
import { type Subject, subjectOf } from './subject.ts';

export const codeLanguages = ['pytorch', 'cuda'] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

export interface Code {
  readonly text: string;
  /** Number of the operation of each line, or -1. */
  readonly ops: readonly number[];
  /** Parts that the language can't express as in the experiment; also comments at the operations. */
  readonly notes: readonly CodeNote[];
  /** Lines, from 0, that a remedy has added or changed; each has a comment about it. */
  readonly remedied: ReadonlySet<number>;
}

/**
 * Throws a CopyscopeError `experiment.invalid` if no engine could execute it. With `before`, the experiment before a
 * remedy changed it, comments mark added and changed lines.
 */
export function codeOf(experiment: Experiment, language: CodeLanguage, before?: Experiment): Code {
  const write: (subject: Subject) => Listing = language === 'cuda' ? cudaProgram : pytorchProgram;
  const subject = subjectOf(experiment, before);
  const { lines, ops, notes, remedied } = write(subject);
  for (const [line, op] of ops.entries()) if (subject.marks.operations.has(op)) remedied.add(line);
  return { text: `${lines.join('\n')}\n`, ops, notes, remedied };
}
