/** The operations of an experiment, named as in CUDA and PyTorch. `operations/` describes each. */
import { z } from 'zod';
import { allocate, free, recordStream } from './operations/allocation.ts';
import { blockCopy } from './operations/blockCopy.ts';
import { copy } from './operations/copy.ts';
import { memset, read, write } from './operations/data.ts';
import { elapsedTime, queryEvent, recordEvent, synchronizeEvent, waitEvent } from './operations/event.ts';
import { graphCapture, graphLaunch, range, repeat } from './operations/groups.ts';
import { hostFunction, signal, waitSignal, work } from './operations/host.ts';
import { kernel } from './operations/kernel.ts';
import { advise, prefetch } from './operations/managed.ts';
import { multiCopy } from './operations/multiCopy.ts';
import type { Descriptor } from './operations/operation.ts';
import { queryStream, synchronizeDevice, synchronizeStream } from './operations/synchronize.ts';
import { item, pin } from './operations/tensor.ts';

export { type BlockStrategy, blockCopyStrategies, blockStrategies } from './operations/blockCopy.ts';
export { copyModes } from './operations/copy.ts';
export { matmulTypes } from './operations/kernel.ts';
export { copyStrategies } from './operations/multiCopy.ts';

/** Operations without content, in the order of the palette. */
const leaves = {
  ...{ copy, kernel, memset, recordEvent, waitEvent, hostFunction, graphLaunch, multiCopy, blockCopy, prefetch, item },
  ...{ synchronizeEvent, synchronizeStream, synchronizeDevice, queryStream, queryEvent, elapsedTime },
  ...{ work, write, read, pin, allocate, free, recordStream, advise, signal, waitSignal },
};
const groups = { repeat, range, graphCapture };
const all = { ...leaves, ...groups };

type Of<Described> = Described extends Descriptor<infer Op> ? Op : never;
export type RangeOperation = Of<typeof range>;
export type Operation = Of<(typeof all)[keyof typeof all]>;
export type OperationName = keyof typeof all;
export type OperationOf<Name extends OperationName> = Extract<Operation, { op: Name }>;

/** An operation without an id. It gets one in the document. */
export type NewOperation = New<Operation>;
type New<One> = One extends { operations: Operation[] }
  ? Omit<One, 'id' | 'operations'> & { operations: NewOperation[] }
  : One extends unknown
    ? Omit<One, 'id'>
    : never;

export const operationNames = Object.keys(all) as OperationName[];

/** Returns the descriptor of a kind. Pass it only operations of that kind. */
export const descriptorOf = (name: OperationName): Descriptor<Operation> => all[name] as Descriptor<Operation>;

/** Limit, because a host thread's document is read whole. Use repeat for more. */
export const maxOperations = 200_000;

export const threadOperationsSchema: z.ZodType<Operation[]> = z.array(z.lazy(() => operationSchema)).max(maxOperations);

const inside = { operations: threadOperationsSchema.describe('Operations, in order.') };

export const operationSchema: z.ZodType<Operation> = z.discriminatedUnion('op', [
  ...Object.values(leaves).map(({ schema }) => schema),
  ...Object.values(groups).map(({ schema }) => schema.extend(inside)),
] as never);

/** Makes a deep copy of plain JSON. A browser's structuredClone() takes 0.2 ms for one operation. */
export const clonedOperation = (operation: Operation): Operation => JSON.parse(JSON.stringify(operation)) as Operation;

/** Copies operations and their content, without ids. */
export const newCopies = (operations: readonly NewOperation[]): NewOperation[] =>
  JSON.parse(JSON.stringify(operations), (key, value: unknown) => (key === 'id' ? undefined : value)) as NewOperation[];

/** Returns the operations directly inside one, or undefined if it isn't a group. */
export function childOperations(operation: Operation): readonly Operation[] | undefined {
  return 'operations' in operation ? operation.operations : undefined;
}
