/** What each engine can't execute yet. A gap is declared and explained before a run, never met half-way through. */
import { type Experiment, fieldPath, walkOperations } from '../experiment/experiment.ts';
import type { Operation, OperationName } from '../experiment/operations.ts';
import type { BufferMemory } from '../experiment/resources.ts';
import type { EngineKind } from './engineKind.ts';

export interface CapabilityGap {
  /** Dotted path in the document. */
  readonly field: string;
  /** As 'memory mapped' or 'operation memset'. */
  readonly feature: string;
  readonly reason: string;
}

const executedMemories: ReadonlySet<BufferMemory> = new Set(['pageable', 'pinned', 'device']);
const executedOperations: ReadonlySet<OperationName> = new Set([
  'work',
  'write',
  'read',
  'copy',
  'kernel',
  'recordEvent',
  'waitEvent',
  'synchronizeStream',
  'synchronizeEvent',
  'synchronizeDevice',
  'queryStream',
  'queryEvent',
  'repeat',
  'range',
]);

const engineNames: Readonly<Record<EngineKind, string>> = {
  cuda: 'the CUDA engine',
  cpu: 'the CPU engine',
  sim: 'the simulator',
};

/** Everything in the document that `engine` can't execute; empty where it can run it all. */
export function capabilityGaps(experiment: Experiment, engine: EngineKind): CapabilityGap[] {
  const gaps: CapabilityGap[] = [];
  const add = (path: readonly (string | number)[], feature: string): void => {
    gaps.push({ field: fieldPath(path), feature, reason: `${engineNames[engine]} can't execute ${feature} yet.` });
  };
  experiment.buffers.forEach((buffer, index) => {
    if (!executedMemories.has(buffer.memory)) add(['buffers', index, 'memory'], `${buffer.memory} memory`);
    if (buffer.allocated === 'by-operation') add(['buffers', index, 'allocated'], 'allocation during the run');
  });
  const { environment } = experiment;
  if (environment.launchBlocking) add(['environment', 'launchBlocking'], 'launch blocking');
  if (environment.visibleDevices !== undefined) add(['environment', 'visibleDevices'], 'a visible-device mask');
  if (environment.peerAccess) add(['environment', 'peerAccess'], 'peer access');
  if (experiment.devices.length > 1) add(['devices', 1], 'more than one device');
  if (experiment.streams.some((stream) => stream.priority !== 0)) add(['streams'], 'stream priorities');
  experiment.threads.forEach((thread, index) => {
    walkOperations(thread.operations, (operation, path) => operationGaps(operation, path, add), [
      'threads',
      index,
      'operations',
    ]);
  });
  return gaps;
}

function operationGaps(
  operation: Operation,
  path: readonly (string | number)[],
  add: (path: readonly (string | number)[], feature: string) => void,
): void {
  if (!executedOperations.has(operation.op)) add(path, `operation ${operation.op}`);
  if (operation.op !== 'kernel') return;
  if (operation.kernel.kind === 'arithmetic') add([...path, 'kernel'], 'arithmetic kernels');
  if (operation.smShare !== 1) add([...path, 'smShare'], "a share of the device's multiprocessors");
}
