/** Changes to the kind of memory and its allocator. */
import type { Change } from '../experiment/change.ts';
import { ChangeBuilder } from '../experiment/changeBuilder.ts';
import { type Experiment, walkOperations } from '../experiment/experiment.ts';
import type { OperationOf } from '../experiment/operations.ts';
import { find, type Situation } from './situation.ts';

/** Pins the pageable side of the copy `op`. Null between host buffers, where pinning changes nothing. */
export function pin(situation: Situation, op: number | null): Change | null {
  const copy = find(situation, op, 'copy');
  if (copy === null) return null;
  const { buffers } = situation.experiment;
  const edit = new ChangeBuilder(situation.experiment);
  const isSide = ({ id }: { readonly id: string }): boolean => id === copy.operation.src || id === copy.operation.dst;
  if (!buffers.some((buffer) => isSide(buffer) && buffer.memory === 'device')) return null;
  for (const [index, buffer] of buffers.entries()) {
    if (!isSide(buffer) || buffer.memory !== 'pageable') continue;
    edit.step(`Pin "${buffer.id}".`).replace(['buffers', index, 'memory'], 'pinned');
  }
  return edit.change.patches.length === 0 ? null : edit.change;
}

/** Replaces synchronising cudaMalloc and cudaFree by the caching allocator. */
export function cacheMemory(situation: Situation): Change | null {
  const held = find(situation, situation.verdict.blockedBy, 'allocate', 'free');
  if (held === null) return null;
  const { experiment } = situation;
  const edit = new ChangeBuilder(experiment);
  for (const { path, operation } of allocationsOf(experiment, held.operation.buffer)) {
    if (operation.allocator !== 'cuda-malloc') continue;
    const words = `Take "${operation.buffer}" from the caching allocator, which waits for nothing once it holds memory.`;
    edit.step(words).replace([...path, 'allocator'], 'caching');
  }
  return edit.change.patches.length === 0 ? null : edit.change;
}

interface Allocation {
  readonly path: readonly (string | number)[];
  readonly operation: OperationOf<'allocate'>;
}

function allocationsOf({ threads }: Experiment, buffer: string): Allocation[] {
  const found: Allocation[] = [];
  for (const [thread, { operations }] of threads.entries()) {
    const visit = (operation: (typeof operations)[number], path: readonly (string | number)[]): void => {
      if (operation.op === 'allocate' && operation.buffer === buffer) found.push({ path, operation });
    };
    walkOperations(operations, visit, ['threads', thread, 'operations']);
  }
  return found;
}
