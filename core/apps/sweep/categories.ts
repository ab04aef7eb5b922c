/** Fields of an experiment that take one of several names, such as a buffer's memory, and their allowed names. */
import type { Experiment } from '../../experiment/experiment.ts';
import { copyStrategies } from '../../experiment/operations.ts';
import { type BufferMemory, copiedMemories, isCopied, reservedStreams } from '../../experiment/resources.ts';
import { valueAtPath } from '../../shape/path.ts';
import { type FieldPath, fieldTitle } from './fields.ts';

export interface CategoryField {
  readonly path: FieldPath;
  readonly title: string;
  readonly value: string;
  readonly options: readonly string[];
}

/** Limit of fields in a choice. Paths can name the others. */
const mostFields = 2000;

/** Returns the allowed names of a field; null if it doesn't take one of several names. */
export function optionsOf(experiment: Experiment, path: FieldPath): readonly string[] | null {
  const holder = valueAtPath(experiment, path.slice(0, -1));
  const value = valueAtPath(experiment, path);
  if (typeof holder !== 'object' || holder === null || typeof value !== 'string') return null;
  switch (path.at(-1)) {
    case 'memory':
      // Neither device nor managed memory can replace other memory.
      return path[0] === 'buffers' && isCopied(value as BufferMemory) ? copiedMemories : null;
    case 'flags':
      return path[0] === 'streams' ? ['blocking', 'non-blocking'] : null;
    case 'defaultStream':
      return ['legacy', 'per-thread'];
    case 'strategy':
      return 'op' in holder && holder.op === 'multiCopy' ? copyStrategies : null;
    case 'stream':
      return 'op' in holder ? [...reservedStreams, ...experiment.streams.map(({ id }) => id)] : null;
    default:
      return null;
  }
}

/** Returns the fields of an experiment that can be varied by name, in document order. */
export function categoryFields(experiment: Experiment): CategoryField[] {
  const found: CategoryField[] = [];
  const walk = (value: unknown, path: FieldPath): void => {
    if (found.length >= mostFields) return;
    if (typeof value === 'string') {
      const options = optionsOf(experiment, path);
      if (options !== null) found.push({ path, title: fieldTitle(experiment, path), value, options });
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      for (const [name, item] of Object.entries(value)) walk(item, [...path, isList ? Number(name) : name]);
    }
  };
  walk(experiment, []);
  return found;
}
