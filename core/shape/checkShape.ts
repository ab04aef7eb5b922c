/**
 * Checks every value from outside: from a file, a message or stored settings. Returns it with the schema's type, or
 * problems that name the field, its value and the remedy.
 */
import type { z } from 'zod';
import { describeIssue, type Wording } from './messages.ts';
import { fieldPath } from './path.ts';

export interface ShapeProblem extends Wording {
  readonly path: readonly PropertyKey[];
  /** Path as text; 'document' for the whole document. */
  readonly field: string;
}

export type Shape<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly [ShapeProblem, ...ShapeProblem[]] };

/** Limit of reported problems. */
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
  return { ok: false, problems: [first ?? uncheckable(thrown), ...rest] };
}

/** Returns whether a value has fields that the schema doesn't know. Ignores all other problems. */
export function hasUnknownFields<Value>(schema: z.ZodType<Value>, value: unknown): boolean {
  const { error } = schema.safeParse(value);
  return error?.issues.some(({ code }) => code === 'unrecognized_keys') === true;
}

const problemOf = (issue: z.core.$ZodIssue, document: unknown): ShapeProblem => ({
  path: issue.path,
  field: fieldPath(issue.path) || 'document',
  ...describeIssue(issue, document),
});

const uncheckable = (thrown: unknown): ShapeProblem => ({
  path: [],
  field: 'document',
  message: thrown instanceof RangeError ? 'it has too many problems to list.' : 'it can’t be checked.',
  remedy: 'Check the program that wrote it.',
});

/**
 * Checks the value again in simpler form, because zod itself threw. It throws if an object in place of a text or list
 * has a `length` that can't be compared with a limit, or if a list has more problems than one call can have arguments.
 * So this first removes such lengths, then keeps only the beginning of lists. Returns an empty list if the problems
 * come later.
 */
function issuesOfSimpler<Value>(schema: z.ZodType<Value>, value: unknown): readonly z.core.$ZodIssue[] {
  for (const mostEntries of [Number.POSITIVE_INFINITY, entriesOfMany]) {
    try {
      const { error } = schema.safeParse(simpler(value, mostEntries, new Map()));
      if (error !== undefined) return error.issues;
    } catch {
      // Tries the next, simpler form.
    }
  }
  return [];
}

const entriesOfMany = 1000;

/** Copies a value without `length` fields and with at most `mostEntries` per list. `copies` handles circular values. */
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
    // zod ignores a length that is undefined.
    const inside = name === 'length' ? undefined : simpler(member, mostEntries, copies);
    // Assigning would fail for a field called __proto__.
    Object.defineProperty(copy, name, { value: inside, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
