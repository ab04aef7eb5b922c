/** Changes to the kind of memory and its allocator. */
import type { Change, DocumentPath } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { OperationOf } from '../../experiment/operations.ts';
import { bufferBytes } from '../../experiment/resources.ts';
import { groupBy } from '../../groupBy.ts';
import { find, isPlace, namesOf, type Place, places, type Situation } from './situation.ts';

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

function takeFromCache(edit: ChangeBuilder, made: readonly Place<OperationOf<'allocate'>>[]): void {
  for (const { path, operation } of made) {
    if (operation.allocator !== 'cuda-malloc') continue;
    const words = `Take "${operation.buffer}" from the caching allocator, which waits for nothing once it has memory.`;
    edit.step(words).replace([...path, 'allocator'], 'caching');
  }
}

/** Allocates buffers once, before the run, that an operation allocates again and again through CUDA itself. */
export function keepMemory(experiment: Experiment): Change | null {
  const edit = new ChangeBuilder(experiment);
  const again = allocatedAgain(experiment);
  const kept: string[] = [];
  for (const [index, { id, memory, allocated }] of experiment.buffers.entries()) {
    if (allocated !== 'by-operation' || memory === 'pageable') continue;
    const made = allocationsOf(experiment, id);
    // A caching allocator keeps memory itself.
    if (made.length === 0 || made.some(({ operation }) => operation.allocator === 'caching')) continue;
    if (!again.has(id)) {
      takeFromCache(edit, memory === 'device' ? made : []);
      continue;
    }
    kept.push(id);
    edit.replace(['buffers', index, 'allocated'], 'before-run');
    for (const path of lifeOf(experiment, id)) edit.remove(path);
  }
  if (kept.length > 0) edit.step(`Allocate ${namesOf(kept)} once, before the loop.`);
  return edit.change.patches.length === 0 ? null : edit.change;
}

/** Returns buffers that are allocated in a loop, or after one of the same kind and size was freed. */
function allocatedAgain(experiment: Experiment): Set<string> {
  const kinds = new Map(experiment.buffers.map((one) => [one.id, `${one.memory} ${bufferBytes(one)}`]));
  const all = places(experiment).filter((place) => isPlace('allocate')(place) || isPlace('free')(place));
  const groups = groupBy(all as Place<OperationOf<'allocate' | 'free'>>[], ({ operation }) =>
    kinds.get(operation.buffer),
  );
  const isAgain = (own: readonly Place[]): boolean => {
    const freed = own.findIndex(isPlace('free'));
    return own.some((one) => one.path.length > 4) || (freed >= 0 && own.slice(freed).some(isPlace('allocate')));
  };
  return new Set([...groups.values()].flatMap((own) => (isAgain(own) ? own.map((one) => one.operation.buffer) : [])));
}

/** Returns the paths of everything that begins, ends or announces uses of a buffer. */
const lifeOf = (experiment: Experiment, buffer: string): DocumentPath[] =>
  places(experiment).flatMap(({ operation, path }) => {
    const isLife = operation.op === 'allocate' || operation.op === 'free' || operation.op === 'recordStream';
    return isLife && operation.buffer === buffer ? [path] : [];
  });

const allocationsOf = (experiment: Experiment, buffer: string): Place<OperationOf<'allocate'>>[] =>
  places(experiment)
    .filter(isPlace('allocate'))
    .filter(({ operation }) => operation.buffer === buffer);
