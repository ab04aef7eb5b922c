/**
 * The one door for values from outside: whatever comes from a file, a message or the settings of another day goes through
 * it, and comes out with the schema's type or as problems that name the field, what is there and what to do.
 */
import type { z } from 'zod';
import { describeIssue, type Wording } from './messages.ts';
import { fieldPath } from './path.ts';

export interface ShapeProblem extends Wording {
  readonly path: readonly PropertyKey[];
  /** The path as text; 'document' where it is the whole. */
  readonly field: string;
}

export type Shape<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly [ShapeProblem, ...ShapeProblem[]] };

/** More problems than this help nobody. */
const maxProblems = 1000;

/** Never throws, whatever the value is. */
export function checkShape<Value>(schema: z.ZodType<Value>, value: unknown): Shape<Value> {
  let thrown: unknown = null;
  let issues: readonly z.core.$ZodIssue[];
  try {
    const result = schema.safeParse(value);
    if (result.success) return { ok: true, value: result.data };
    issues = result.error.issues;
  } catch (error) {
    thrown = error;
    issues = issuesOfSimpler(schema, value);
  }
  const [first, ...rest] = issues.slice(0, maxProblems).map((issue) => problemOf(issue, value));
  return { ok: false, problems: [first ?? untold(thrown), ...rest] };
}

/** Whether a value has fields that the schema does not know; what else may be wrong with it counts for nothing here. */
export function hasUnknownFields<Value>(schema: z.ZodType<Value>, value: unknown): boolean {
  const { error } = schema.safeParse(value);
  return error?.issues.some(({ code }) => code === 'unrecognized_keys') === true;
}

const problemOf = (issue: z.core.$ZodIssue, document: unknown): ShapeProblem => ({
  path: issue.path,
  field: fieldPath(issue.path) || 'document',
  ...describeIssue(issue, document),
});

const untold = (thrown: unknown): ShapeProblem => ({
  path: [],
  field: 'document',
  message: thrown instanceof RangeError ? 'it has more problems than can be told.' : 'it can’t be checked.',
  remedy: 'Check the program that wrote it.',
});

/**
 * zod throws, whatever the schema is, where a value that should be a text or a list has a `length` that can't be compared
 * with a limit, and where it hands over the problems of a list as arguments of one call, which can't have some hundred
 * thousand. It is asked again about the same value without such lengths, then about the beginning of its lists. None where
 * the problems are further on.
 */
function issuesOfSimpler<Value>(schema: z.ZodType<Value>, value: unknown): readonly z.core.$ZodIssue[] {
  for (const mostEntries of [Number.POSITIVE_INFINITY, entriesOfMany]) {
    try {
      const { error } = schema.safeParse(simpler(value, mostEntries, new Map()));
      if (error !== undefined) return error.issues;
    } catch {
      // The next one is simpler still.
    }
  }
  return [];
}

const entriesOfMany = 1000;

/** A copy, with no object that says its length and at most so many entries in a list. `copies`: a value may hold itself. */
function simpler(value: unknown, mostEntries: number, copies: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    copies.set(value, list);
    for (const item of value.slice(0, mostEntries)) list.push(simpler(item, mostEntries, copies));
    return list;
  }
  if (!isPlain(value)) return value;
  const copy: object = {};
  copies.set(value, copy);
  for (const [name, member] of Object.entries(value)) {
    // A length that is undefined is not looked at.
    const inside = name === 'length' ? undefined : simpler(member, mostEntries, copies);
    // Defined, not assigned: a field may be called __proto__.
    Object.defineProperty(copy, name, { value: inside, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
