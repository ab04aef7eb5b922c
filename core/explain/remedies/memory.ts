/** Changes to the kind of memory and its allocator. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import { type Experiment, walkOperations } from '../../experiment/experiment.ts';
import type { OperationOf } from '../../experiment/operations.ts';
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
  const { blockedBy, op } = situation.verdict;
  const held = find(situation, blockedBy ?? op, 'allocate', 'free');
  if (held === null) return null;
  const { experiment } = situation;
  const edit = new ChangeBuilder(experiment);
  takeFromCache(edit, allocationsOf(experiment, held.operation.buffer));
  return edit.change.patches.length === 0 ? null : edit.change;
}

function takeFromCache(edit: ChangeBuilder, made: readonly Allocation[]): void {
  for (const { path, operation } of made) {
    if (operation.allocator !== 'cuda-malloc') continue;
    const words = `Take "${operation.buffer}" from the caching allocator, which waits for nothing once it holds memory.`;
    edit.step(words).replace([...path, 'allocator'], 'caching');
  }
}

/**
 * Allocates buffers once, before the run, that an operation allocates again and again through CUDA itself. `isMeant`
 * limits which buffers.
 */
export function keepMemory(experiment: Experiment, isMeant: (buffer: string) => boolean): Change | null {
  const edit = new ChangeBuilder(experiment);
  for (const [index, { id, memory, allocated }] of experiment.buffers.entries()) {
    if (allocated !== 'by-operation' || memory === 'pageable' || !isMeant(id)) continue;
    const made = allocationsOf(experiment, id);
    const isRepeated = made.length > 1 || made.some(({ path }) => path.length > 4);
    // A caching allocator keeps memory itself.
    if (made.some(({ operation }) => operation.allocator === 'caching')) continue;
    if (!isRepeated) {
      takeFromCache(edit, memory === 'device' ? made : []);
      continue;
    }
    edit.step(`Allocate "${id}" once, before the loop.`).replace(['buffers', index, 'allocated'], 'before-run');
    for (const path of lifeOf(experiment, id)) edit.remove(path);
  }
  return edit.change.patches.length === 0 ? null : edit.change;
}

/** Returns the paths of everything that begins, ends or announces uses of a buffer. */
function lifeOf({ threads }: Experiment, buffer: string): DocumentPath[] {
  const found: DocumentPath[] = [];
  for (const [thread, { operations }] of threads.entries()) {
    const visit = (operation: (typeof operations)[number], path: DocumentPath): void => {
      const isLife = operation.op === 'allocate' || operation.op === 'free' || operation.op === 'recordStream';
      if (isLife && operation.buffer === buffer) found.push(path);
    };
    walkOperations(operations, visit, ['threads', thread, 'operations']);
  }
  return found;
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
