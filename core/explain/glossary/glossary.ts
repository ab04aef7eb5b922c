/**
 * The glossary: each term in a sentence or two. The rules (core/rules) state how things behave; a term only names its
 * rules. Lessons, lanes, fields and verdicts link to terms by id.
 */
import type { RuleId } from '../../rules/rules.ts';
import { type TermEntry, type TermId, terms } from './terms.ts';

export interface Term {
  readonly id: TermId;
  readonly name: string;
  readonly text: string;
  readonly rules: readonly RuleId[];
  readonly see: readonly TermId[];
}

/** Sorted by name. */
export const glossary: readonly Term[] = (Object.keys(terms) as TermId[])
  .map(term)
  .sort((a, b) => a.name.localeCompare(b.name, 'en', { sensitivity: 'base' }));

export function term(id: TermId): Term {
  const { name, text, rules = [], see = [] }: TermEntry = terms[id];
  return { id, name, text, rules, see: see as readonly TermId[] };
}

export const isTermId = (id: string): id is TermId => Object.hasOwn(terms, id);
