/** Checks whether an experiment's schema has a field: a missing field may be varied, a misspelt one may not. */
import { type Experiment, experimentSchema } from '../experiment/experiment.ts';
import { hasUnknownFields } from '../shape/checkShape.ts';
import { valueAtPath } from '../shape/path.ts';
import type { FieldPath } from './fields.ts';

/** Returns whether a field, whose object must exist, is unknown. Undefined counts as unknown if the schema lacks it. */
export const isUnknownField = (experiment: Experiment, path: FieldPath): boolean =>
  hasUnknownFields(experimentSchema, onlyWith(experiment, path));

/** Keeps only the path to a field, to avoid checking a long document: lists of one, objects with plain fields. */
function onlyWith(value: unknown, [step, ...rest]: FieldPath): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return undefined;
  const inside = onlyWith(valueAtPath(value, [step]), rest);
  if (Array.isArray(value)) return [inside];
  // The plain fields determine which fields an operation may have.
  const plain = Object.entries(value).filter(([, field]) => typeof field !== 'object');
  return { ...Object.fromEntries(plain), [step]: inside };
}
