/**
 * Capabilities of each engine. Gaps are found and explained before a run, never halfway through. If an engine learns
 * something, add it to its entry in `abilities`.
 */
import { CopyscopeError } from '../errors.ts';
import { type Experiment, walkOperations } from '../experiment/experiment.ts';
import { isLibraryShape } from '../experiment/libraryKernels.ts';
import { type Operation, type OperationName, operationNames } from '../experiment/operations.ts';
import { type BufferMemory, bufferMemories } from '../experiment/resources.ts';
import { fieldPath } from '../shape/path.ts';
import type { EngineKind } from './engineKind.ts';
import type { Program } from './program.ts';

export interface CapabilityGap {
  /** Dotted path in the document. */
  readonly field: string;
  /** For example 'mapped memory' or 'operation memset'. */
  readonly feature: string;
  readonly reason: string;
}

/** Features of experiments besides operations and kinds of memory, with their names in messages. */
const features = {
  allocation: 'allocation during the run',
  launchBlocking: 'launch blocking',
  visibleDevices: 'a visible-device mask',
  peerAccess: 'peer access',
  severalDevices: 'more than one device',
  priorities: 'stream priorities',
  arithmeticKernels: 'arithmetic kernels',
  libraryKernels: 'matmul and fft kernels',
  smShare: "a share of the device's multiprocessors",
} as const;
type Feature = keyof typeof features;

interface Abilities {
  readonly name: string;
  readonly memories: ReadonlySet<BufferMemory>;
  readonly operations: ReadonlySet<OperationName>;
  readonly features: ReadonlySet<Feature>;
}

const abilities: Readonly<Record<EngineKind, Abilities>> = {
  cuda: {
    name: 'the CUDA engine',
    memories: new Set(bufferMemories),
    operations: new Set(operationNames),
    features: new Set(Object.keys(features) as Feature[]),
  },
  cpu: {
    name: 'the CPU engine',
    memories: new Set(bufferMemories),
    operations: new Set(operationNames),
    // Its streams share all processors equally, and its kernels have no multiprocessors.
    features: new Set<Feature>([
      'allocation',
      'launchBlocking',
      'visibleDevices',
      'peerAccess',
      'severalDevices',
      'arithmeticKernels',
      // Runs small sizes with plain loops on one processor.
      'libraryKernels',
    ]),
  },
  sim: {
    name: 'the simulator',
    memories: new Set(bufferMemories),
    operations: new Set(operationNames),
    features: new Set(Object.keys(features) as Feature[]),
  },
};

/** Returns everything in the document that `engine` can't execute; empty if it can run it all. */
export function capabilityGaps(experiment: Experiment, engine: EngineKind): CapabilityGap[] {
  const finder = new GapFinder(abilities[engine]);
  experiment.buffers.forEach((buffer, index) => {
    finder.memory(buffer.memory, ['buffers', index, 'memory']);
    if (buffer.allocated === 'by-operation') finder.feature('allocation', ['buffers', index, 'allocated']);
  });
  const { environment } = experiment;
  if (environment.launchBlocking) finder.feature('launchBlocking', ['environment', 'launchBlocking']);
  if (environment.visibleDevices !== undefined) finder.feature('visibleDevices', ['environment', 'visibleDevices']);
  if (environment.peerAccess) finder.feature('peerAccess', ['environment', 'peerAccess']);
  if (experiment.devices.length > 1) finder.feature('severalDevices', ['devices', 1]);
  experiment.streams.forEach((stream, index) => {
    if (stream.priority !== 0) finder.feature('priorities', ['streams', index, 'priority']);
  });
  experiment.threads.forEach((thread, index) => {
    walkOperations(thread.operations, (operation, path) => finder.operation(operation, path), [
      'threads',
      index,
      'operations',
    ]);
  });
  return finder.gaps;
}

type Path = readonly (string | number)[];

/** Throws a CopyscopeError `engine.unsupported` before the run if the engine can't execute something. */
export function requireCapable(experiment: Experiment, engine: EngineKind): void {
  const [first, ...others] = capabilityGaps(experiment, engine);
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` ${others.length} more fields stand in the way, as ${others[0]?.field}.`;
  throw new CopyscopeError({
    code: 'engine.unsupported',
    field: first.field,
    message: first.reason,
    remedy: `Remove it from the experiment, or choose another engine.${more}`,
  });
}

class GapFinder {
  readonly gaps: CapabilityGap[] = [];
  readonly #able: Abilities;

  constructor(able: Abilities) {
    this.#able = able;
  }

  memory(memory: BufferMemory, path: Path): void {
    if (!this.#able.memories.has(memory)) this.#add(path, `${memory} memory`);
  }

  feature(feature: Feature, path: Path): void {
    if (!this.#able.features.has(feature)) this.#add(path, features[feature]);
  }

  operation(operation: Operation, path: Path): void {
    if (!this.#able.operations.has(operation.op)) this.#add(path, `operation ${operation.op}`);
    if (operation.op !== 'kernel') return;
    if (operation.kernel.kind === 'arithmetic') this.feature('arithmeticKernels', [...path, 'kernel']);
    if (isLibraryShape(operation.kernel)) this.feature('libraryKernels', [...path, 'kernel']);
    if (operation.smShare !== 1) this.feature('smShare', [...path, 'smShare']);
  }

  #add(path: Path, feature: string): void {
    this.gaps.push({ field: fieldPath(path), feature, reason: `${this.#able.name} can't execute ${feature} yet.` });
  }
}

/** Returns the numbers of the devices, each once. `allocators`: whose allocations count. */
export function pooledDevices({ threads, buffers }: Program, ...allocators: readonly string[]): number[] {
  const devices = new Set<number>();
  for (const { instructions } of threads) {
    for (const one of instructions) {
      if (one.code !== 'allocate' || !allocators.includes(one.allocator)) continue;
      const buffer = buffers[one.buffer];
      if (buffer?.memory === 'device') devices.add(buffer.device);
    }
  }
  return [...devices];
}
