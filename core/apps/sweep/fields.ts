/** Numeric fields of an experiment by path: their titles, units, and how to set them. */

import { describeOperation } from '../../experiment/describe.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { fieldWords, unitOf } from '../../experiment/operations/fields.ts';
import type { Operation } from '../../experiment/operations.ts';
import { bufferBytes } from '../../experiment/resources.ts';
import type { ParameterUnit } from '../../experiment/templates/parameters.ts';
import { fieldPath, valueAtPath } from '../../shape/path.ts';

export type FieldPath = readonly (string | number)[];

/** Parses `threads[0].operations[2].bytes` to its steps. Returns null if the text isn't a path. */
export function parseFieldPath(text: string): FieldPath | null {
  const steps = [...text.matchAll(/(?:^|\.)([A-Za-z_][\w-]*)|\[(\d{1,9})\]/g)].map(([, name, index]) =>
    name === undefined ? Number(index) : name,
  );
  return fieldPath(steps) === text && steps.length > 0 && !steps.includes('__proto__') ? steps : null;
}

export const fieldUnit = (path: FieldPath): ParameterUnit =>
  unitOf(String(path.findLast((step) => typeof step === 'string') ?? ''));

const fractional: ReadonlySet<unknown> = new Set(['smShare', 'flops', 'durationNs']);

/** Returns whether the field takes only whole numbers. */
export const isWholeField = (path: FieldPath): boolean => !fractional.has(path.at(-1));

/** Sets a number in place. Returns false if its object doesn't exist, or the field isn't a number. */
export function setNumber(document: unknown, path: FieldPath, value: number): boolean {
  const [holder, last] = [valueAtPath(document, path.slice(0, -1)), path.at(-1)];
  if (typeof holder !== 'object' || holder === null || last === undefined) return false;
  const before = Object.hasOwn(holder, last) ? (holder as Record<string | number, unknown>)[last] : undefined;
  if (before !== undefined && typeof before !== 'number') return false;
  if (Array.isArray(holder) && before === undefined) return false;
  const fields = holder as Record<string | number, unknown>;
  fields[last] = value;
  if (isSizeOfBuffer(path)) {
    // A buffer has either a size, or a type and a shape.
    delete fields['dtype'];
    delete fields['shape'];
  }
  return true;
}

const isSizeOfBuffer = (path: FieldPath): boolean => path.length === 3 && path[0] === 'buffers' && path[2] === 'bytes';

/** Sets a text in place. Returns false if the field has no text. */
export function setText(document: unknown, path: FieldPath, value: string): boolean {
  const [holder, last] = [valueAtPath(document, path.slice(0, -1)), path.at(-1)];
  if (typeof holder !== 'object' || holder === null || last === undefined || !Object.hasOwn(holder, last)) return false;
  const fields = holder as Record<string | number, unknown>;
  if (typeof fields[last] !== 'string') return false;
  fields[last] = value;
  return true;
}

/** 'Size of source', 'Times of repeat 4×', 'Iterations'. */
export function fieldTitle(experiment: Experiment, path: FieldPath): string {
  const name = path.findLast((step) => typeof step === 'string') ?? '';
  const what = fieldWords(String(name));
  const owner = ownerOf(experiment, path);
  const title = owner === null ? what : `${what} of ${owner}`;
  return title.charAt(0).toUpperCase() + title.slice(1);
}

function ownerOf(experiment: Experiment, path: FieldPath): string | null {
  if (path[0] === 'environment') return null;
  const end = path.findLastIndex((step, index) => typeof step === 'number' && path[index - 1] === 'operations');
  const operation = end < 0 ? undefined : valueAtPath(experiment, path.slice(0, end + 1));
  if (operation !== undefined) return describeOperation(operation as Operation, experiment);
  const id = valueAtPath(experiment, [...path.slice(0, 2), 'id']);
  return typeof id === 'string' ? id : null;
}

export interface NumericField {
  readonly path: FieldPath;
  readonly title: string;
  readonly unit: ParameterUnit;
  readonly value: number;
}

/** Limit of fields in a choice. Paths can name the others. */
const mostFields = 2000;
/** Returns whether a number identifies something rather than being an amount. */
const isName = (path: FieldPath): boolean =>
  path.at(-1) === 'version' || path.at(-1) === 'index' || path.at(-2) === 'visibleDevices';

/** Returns the numbers of an experiment that can be varied, in document order. */
export function numericFields(experiment: Experiment): NumericField[] {
  const found: NumericField[] = [];
  const walk = (value: unknown, path: FieldPath): void => {
    if (found.length >= mostFields) return;
    if (typeof value === 'number' && !isName(path)) {
      found.push({ path, title: fieldTitle(experiment, path), unit: fieldUnit(path), value });
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      for (const [name, item] of Object.entries(value)) walk(item, [...path, isList ? Number(name) : name]);
    }
  };
  walk(experiment, []);
  return [...sizesOfShapes(experiment), ...found];
}

/** Returns sizes of buffers declared by type and shape: a size can replace those. */
const sizesOfShapes = (experiment: Experiment): NumericField[] =>
  experiment.buffers.flatMap((buffer, at) => {
    const path = ['buffers', at, 'bytes'];
    if (buffer.bytes !== undefined) return [];
    return [{ path, title: fieldTitle(experiment, path), unit: 'B' as const, value: bufferBytes(buffer) }];
  });
