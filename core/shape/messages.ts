/** Describes problems of a document in its author's terms: the field, its value and what is allowed instead. */
import type { z } from 'zod';
import { valueAtPath } from './path.ts';

const kindsOfField: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  tuple: 'a list',
};

/** Names of text formats, as the end of a message. */
const kindsOfFormat: Readonly<Record<string, string>> = {
  datetime: 'a date and time such as "2026-11-20T05:45:00Z"',
  date: 'a date such as "2026-11-20"',
  uuid: 'a UUID',
};

/** Formats a value from the document, short enough for a message. */
export function showValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : `an ${typeof value}`;
}

export interface Wording {
  readonly message: string;
  readonly remedy: string;
}

/** Turns a problem that the schema found in the document into a message with a remedy. */
export function describeIssue(issue: z.core.$ZodIssue, document: unknown): Wording {
  if (issue.code === 'custom') return describeCustom(issue);
  const given = valueAtPath(document, issue.path);
  return given === undefined ? describeMissing(issue) : describeWrong(issue, given);
}

/** Limit of unknown fields that are named. */
const mostNames = 10;

/** Returns the message of a custom check. A problem passed on from another schema is a full sentence with a remedy. */
function describeCustom({ message, params }: z.core.$ZodIssueCustom): Wording {
  const { remedy } = { remedy: 'Correct these fields.', ...params };
  return { message: message.endsWith('.') ? message : `${message}.`, remedy };
}

function describeMissing(issue: z.core.$ZodIssue): Wording {
  const last = String(issue.path.at(-1) ?? 'document');
  return { message: `"${last}" is missing.`, remedy: `Add it: ${expectation(issue)}.` };
}

function describeWrong(issue: z.core.$ZodIssue, given: unknown): Wording {
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, mostNames).map((key) => showValue(key));
    const more = issue.keys.length > mostNames ? ` and ${issue.keys.length - mostNames} more` : '';
    return { message: `unknown field ${names.join(', ')}${more}.`, remedy: 'Delete it, or correct its spelling.' };
  }
  if (issue.code === 'invalid_format' && kindsOfFormat[issue.format] === undefined) {
    return { message: `${showValue(given)} ${issue.message}.`, remedy: 'Use another text.' };
  }
  const expected = expectation(issue);
  return { message: `${showValue(given)} is not ${expected}.`, remedy: `Use ${expected}.` };
}

/** Returns the expected value, as the end of a sentence. */
function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return kindsOfField[issue.expected] ?? issue.expected;
    case 'invalid_format':
      return kindsOfFormat[issue.format] ?? issue.message;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return quantity(issue.origin, 'at least', Number(issue.minimum), issue.inclusive !== false);
    case 'too_big':
      return quantity(issue.origin, 'at most', Number(issue.maximum), issue.inclusive !== false);
    case 'invalid_union':
      return 'options' in issue && issue.options !== undefined ? oneOf(issue.options) : union(issue);
    default:
      return issue.message;
  }
}

function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? showValue(values[0]) : `one of ${values.map(showValue).join(', ')}`;
}

function union({ errors }: z.core.$ZodIssueInvalidUnion): string {
  const choices = new Set(errors.flatMap(([first]) => (first === undefined ? [] : [expectation(first)])));
  return [...choices].join(', or ');
}

function quantity(origin: string, bound: 'at least' | 'at most', limit: number, inclusive: boolean): string {
  const plural = limit === 1 ? '' : 's';
  if (origin === 'string') return `a text of ${bound} ${limit} character${plural}`;
  if (origin === 'array') return `a list of ${bound} ${limit} item${plural}`;
  const exclusive = bound === 'at least' ? 'more than' : 'less than';
  return `a number of ${inclusive ? bound : exclusive} ${limit}`;
}
