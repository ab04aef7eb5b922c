/** The one quantity of an operation that its block's length stands for: how long it takes, or how much it moves. */
import { copyBytes } from '../describe.ts';
import { type Experiment, fieldPath } from '../experiment.ts';
import type { Operation } from '../operations.ts';
import { bufferBytes, maxDurationNs } from '../resources.ts';
import { type Edited, edit } from './edit.ts';
import { setAt } from './operations.ts';
import { type OperationPath, operationOf, refused } from './paths.ts';
import { bytesText, durationText } from './quantities.ts';

export interface Extent {
  /** Path of the field below the operation. */
  readonly field: readonly (string | number)[];
  /** As in 'Change duration'. */
  readonly name: 'duration' | 'size' | 'passes' | 'FLOP' | 'times' | 'number of tensors';
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly text: (value: number) => string;
}

/** Null for an operation that has no such quantity, as an event. */
export function extentOf(experiment: Experiment, operation: Operation): Extent | null {
  switch (operation.op) {
    case 'work':
    case 'hostFunction':
      return duration(['durationNs'], operation.durationNs);
    case 'kernel':
      return kernelExtent(operation.kernel);
    case 'copy': {
      const room = Math.min(
        sizeOf(experiment, operation.src) - operation.srcOffset,
        sizeOf(experiment, operation.dst) - operation.dstOffset,
      );
      return size(copyBytes(operation, experiment), room);
    }
    case 'memset':
    case 'write':
    case 'read': {
      const room = sizeOf(experiment, operation.buffer) - operation.offset;
      return size(operation.bytes ?? room, room);
    }
    case 'multiCopy':
      return count(['payload', 'tensors'], 'number of tensors', operation.payload.tensors, 1_000_000, 'tensors');
    case 'repeat':
      return count(['count'], 'times', operation.count, 10_000_000, 'times');
    default:
      return null;
  }
}

function kernelExtent(kernel: Extract<Operation, { op: 'kernel' }>['kernel']): Extent {
  if (kernel.kind === 'spin') return duration(['kernel', 'durationNs'], kernel.durationNs);
  if (kernel.kind === 'stream') return count(['kernel', 'passes'], 'passes', kernel.passes, 10_000, 'passes');
  return count(['kernel', 'flops'], 'FLOP', kernel.flops, 1e18, 'FLOP');
}

const duration = (field: Extent['field'], value: number): Extent => ({
  field,
  name: 'duration',
  value,
  least: 0,
  most: maxDurationNs,
  text: durationText,
});

const size = (value: number, most: number): Extent => ({
  field: ['bytes'],
  name: 'size',
  value,
  least: 1,
  most,
  text: bytesText,
});

const count = (field: Extent['field'], name: Extent['name'], value: number, most: number, unit: string): Extent => ({
  field,
  name,
  value,
  least: 1,
  most,
  text: (number) => `${number} ${unit}`,
});

function sizeOf(experiment: Experiment, id: string): number {
  const buffer = experiment.buffers.find((one) => one.id === id);
  return buffer === undefined ? 0 : bufferBytes(buffer);
}

/** Steps between a value and twice that. */
const stepsPerDoubling = 4;

/** The value so many steps up or down, rounded to what a person would write; within the extent's range. */
export function stepped({ name, value, least, most }: Extent, steps: number): number {
  if (steps === 0) return value;
  // From nothing there is no doubling: begin at a microsecond.
  const begin = value === 0 ? 1000 : value;
  const wanted = begin * 2 ** (steps / stepsPerDoubling);
  if (value === 0 && steps < 0) return 0;
  const rounded = name === 'size' ? roundBytes(wanted) : roundDecimal(wanted);
  // Small numbers round back to where they were.
  const moved = steps > 0 ? Math.max(rounded, value + 1) : Math.min(rounded, value - 1);
  return Math.min(Math.max(moved, least), most);
}

/** To an eighth of the power of two below it. */
function roundBytes(value: number): number {
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(value)) - 3);
  return Math.round(value / unit) * unit;
}

/** To two digits, and to whole numbers. */
const roundDecimal = (value: number): number => Math.max(1, Math.round(Number(value.toPrecision(2))));

/** Sets the quantity. Throws `edit.refused` for an operation without one, and for a value out of its range. */
export function resizeOperation(experiment: Experiment, path: OperationPath, value: number): Edited {
  return edit(experiment, (draft) => {
    const operation = operationOf(draft, path);
    const extent = extentOf(draft, operation);
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
    setAt(draft, [...path, ...extent.field], value);
    return [operation];
  });
}
