/**
 * The field's terms, each in a sentence or two. What a term's behaviour is, the rules say (core/rules): a term names
 * those that govern it, and nothing is said twice. Lessons, lanes, fields and verdicts link here by id.
 */
import type { RuleId } from '../rules/rules.ts';
import { type TermEntry, type TermId, terms } from './terms.ts';

export interface Term {
  readonly id: TermId;
  readonly name: string;
  readonly text: string;
  readonly rules: readonly RuleId[];
  readonly see: readonly TermId[];
}

/** By name. */
export const glossary: readonly Term[] = (Object.keys(terms) as TermId[])
  .map(term)
  .sort((a, b) => a.name.localeCompare(b.name, 'en', { sensitivity: 'base' }));

export function term(id: TermId): Term {
  const { name, text, rules = [], see = [] }: TermEntry = terms[id];
  return { id, name, text, rules, see: see as readonly TermId[] };
}

export const isTermId = (id: string): id is TermId => Object.hasOwn(terms, id);
