/** The quantity that a block's length shows: how long an operation takes, or how much it moves. */

import { fieldPath } from '../../shape/path.ts';
import type { Experiment } from '../experiment.ts';
import type { Quantity } from '../operations/operation.ts';
import { descriptorOf, type Operation, type OperationName } from '../operations.ts';
import { bufferBytes } from '../resources.ts';
import { type Edited, editOperation } from './edit.ts';
import { setAt } from './operations.ts';
import { type OperationPath, operationOf, refused } from './paths.ts';
import { bytesText, durationText } from './quantities.ts';

export interface Extent extends Quantity {
  readonly least: number;
  readonly text: (value: number) => string;
}

/** Returns whether extentOf finds a quantity, without computing it. */
export const canResize = (kind: OperationName): boolean => descriptorOf(kind).quantity !== undefined;

/** Returns null if the operation has no such quantity, as an event. */
export function extentOf(experiment: Experiment, operation: Operation): Extent | null {
  const quantity = descriptorOf(operation.op).quantity?.(operation, (id) => sizeOf(experiment, id)) ?? null;
  if (quantity === null) return null;
  const { name } = quantity;
  const unit = name === 'number of tensors' ? 'tensors' : name;
  if (name === 'duration') return { ...quantity, least: 0, text: durationText };
  return { ...quantity, least: 1, text: name === 'size' ? bytesText : (number) => `${number} ${unit}` };
}

function sizeOf(experiment: Experiment, id: string): number {
  const buffer = experiment.buffers.find((one) => one.id === id);
  return buffer === undefined ? 0 : bufferBytes(buffer);
}

/** Round values at which steps stop: quarters of an octave for bytes, tenths of a decade for others. */
const octave = { base: 2, points: [1, 1.25, 1.5, 1.75] } as const;
const decade = { base: 10, points: [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8] } as const;

/** Moves the value up or down by a number of round values, within the extent's range. */
export function stepped({ name, value, least, most }: Extent, steps: number): number {
  const grid = name === 'size' ? octave : decade;
  let next = value;
  for (let step = 0; step < Math.abs(steps); step += 1) next = neighbour(grid, next, steps > 0);
  return Math.min(Math.max(next, least), most);
}

/** Returns the nearest round whole number above or below a value; 0 below 1. */
function neighbour({ base, points }: typeof octave | typeof decade, value: number, above: boolean): number {
  if (value < 1 || (value === 1 && !above)) return above ? 1 : 0;
  const power = Math.floor(Math.log(value) / Math.log(base) + 1e-9);
  const near = [power - 1, power, power + 1].flatMap((exponent) => points.map((point) => point * base ** exponent));
  const whole = near.map(tidy).filter((one) => Number.isInteger(one) && one >= 1);
  const found = above ? whole.filter((one) => one > value) : whole.filter((one) => one < value);
  return above ? Math.min(...found) : Math.max(...found);
}

/** Removes rounding errors: 1.2 * 10 ** 2 is not exactly 120. */
const tidy = (value: number): number => Number(value.toPrecision(12));

/** Sets the quantity. Throws `edit.refused` if the operation has none, or the value is out of its range. */
export function resizeOperation(experiment: Experiment, path: OperationPath, value: number): Edited {
  const extent = extentOf(experiment, operationOf(experiment, path));
  if (extent === null) {
    throw refused(
      'This operation has neither a duration nor a size.',
      'Resize a copy, kernel or work.',
      fieldPath(path),
    );
  }
  if (!(value >= extent.least && value <= extent.most)) {
    const range = `${extent.text(extent.least)} to ${extent.text(extent.most)}`;
    throw refused(`Its ${extent.name} goes from ${range}.`, 'Choose a value in between.', fieldPath(path));
  }
  const resized = editOperation(experiment, path, (draft) => setAt(draft, extent.field, value));
  return { experiment: resized, selected: [path] };
}
