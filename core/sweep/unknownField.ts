/** Whether the schema of experiments has a field: one that an experiment leaves out may be varied, a misspelt one may not. */
import { type Experiment, experimentSchema } from '../experiment/experiment.ts';
import { hasUnknownFields } from '../shape/checkShape.ts';
import { valueAtPath } from '../shape/path.ts';
import type { FieldPath } from './fields.ts';

/** Of a field whose holder is there. What is undefined counts as left out where it is known, and as unknown where it isn't. */
export const isUnknownField = (experiment: Experiment, path: FieldPath): boolean =>
  hasUnknownFields(experimentSchema, onlyWith(experiment, path));

/** What lies on the way to a field, so that a long document is not read for each: lists of one, objects with their plain fields. */
function onlyWith(value: unknown, [step, ...rest]: FieldPath): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return undefined;
  const inside = onlyWith(valueAtPath(value, [step]), rest);
  if (Array.isArray(value)) return [inside];
  // Which fields an operation may have, its plain ones say.
  const plain = Object.entries(value).filter(([, field]) => typeof field !== 'object');
  return { ...Object.fromEntries(plain), [step]: inside };
}
