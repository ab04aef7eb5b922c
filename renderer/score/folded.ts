/** The content of a folded range, shown as one block. */

import { streamOf } from '../../core/experiment/edit/rows.ts';
import { eachOperation } from '../../core/experiment/experiment.ts';
import type { Operation, RangeOperation } from '../../core/experiment/operations.ts';
import { rememberedBy } from '../../core/rememberedBy.ts';
import { formatDuration } from '../../core/units.ts';

export interface Folded {
  /** Operations inside, at any depth. */
  readonly inside: number;
  /** Ids of the streams that execute a part of it, and of streams that host calls name. */
  readonly streams: readonly string[];
  readonly named: readonly string[];
  /** Events that it records. */
  readonly records: readonly string[];
  /** True if it has only kernels of one stream and host work between them. */
  readonly isKernels: boolean;
  /** Text such as "36 kernels, 3.1 ms" or "112 operations". */
  readonly detail: string;
}

export const isFolded = (operation: Operation): operation is RangeOperation =>
  operation.op === 'range' && operation.folded === true;

/** Returns the content of a range, which may hold thousands of operations. */
export const foldedOf = rememberedBy(({ operations }: RangeOperation): Folded => {
  const [streams, named, records] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let [inside, kernels, kernelNs, others] = [0, 0, 0, 0];
  eachOperation(operations, (operation) => {
    inside += 1;
    const stream = streamOf(operation);
    if (stream !== null) streams.add(stream);
    else if ('stream' in operation) named.add(operation.stream);
    if (operation.op === 'recordEvent') records.add(operation.event);
    if (operation.op === 'kernel') {
      kernels += 1;
      kernelNs += operation.kernel.kind === 'spin' ? operation.kernel.durationNs : 0;
    } else if (operation.op !== 'work') others += 1;
  });
  const isKernels = kernels > 0 && others === 0 && streams.size === 1;
  const detail = isKernels && kernelNs > 0 ? formatDuration(kernelNs) : `${inside} operations`;
  return { inside, streams: [...streams], named: [...named], records: [...records], isKernels, detail };
});
