/** Resolves an operation's names: ids of the document to indices of the program. */
import { type BufferFinder, bufferFinder } from '../experiment/describe.ts';
import { type Experiment, eachOperation } from '../experiment/experiment.ts';
import { bufferBytes } from '../experiment/resources.ts';
import type { Allocator, MultiCopyPlan, ProgramBuffer, ProgramGraph } from './program.ts';
import { StreamTable } from './streams.ts';

/** Place of an operation: its number, its path in the document and its host thread. */
export interface Place {
  readonly op: number;
  readonly path: readonly (string | number)[];
  readonly thread: number;
}

export class Scope {
  readonly experiment: Experiment;
  readonly streams: StreamTable;
  readonly find: BufferFinder;
  readonly graphs: ProgramGraph[] = [];
  readonly multiCopies: MultiCopyPlan[] = [];
  /** Buffers that operations need and the document doesn't declare; they follow the declared ones. */
  readonly stagingBuffers: ProgramBuffer[] = [];
  readonly #buffers: ReadonlyMap<string, number>;
  readonly #events: ReadonlyMap<string, number>;
  readonly #signals: ReadonlyMap<string, number>;
  readonly #graphs = new Map<string, number>();
  /** Computed at the first free. */
  #allocators: ReadonlyMap<string, Allocator> | null = null;

  constructor(experiment: Experiment) {
    this.experiment = experiment;
    this.streams = new StreamTable(experiment);
    this.find = bufferFinder(experiment);
    this.#buffers = indices(experiment.buffers);
    this.#events = indices(experiment.events);
    this.#signals = indices(experiment.signals);
  }

  buffer(id: string): number {
    return known(this.#buffers, id, 'buffer');
  }

  /** Returns the bytes of a buffer. */
  size(buffer: number): number {
    const declared = this.experiment.buffers[buffer];
    return declared === undefined ? 0 : bufferBytes(declared);
  }

  /** Makes a buffer for an operation, on the host if `device` is -1. Returns its index. */
  staging(id: string, bytes: number, device: number, memory: ProgramBuffer['memory']): number {
    const pattern = { kind: 'constant', value: 0 } as const;
    this.stagingBuffers.push({ id, memory, device, bytes, pattern, written: true, allocated: 'before-run' });
    return this.experiment.buffers.length + this.stagingBuffers.length - 1;
  }

  event(id: string): number {
    return known(this.#events, id, 'event');
  }

  signal(id: string): number {
    return known(this.#signals, id, 'signal');
  }

  /** Graphs are declared by being named. */
  graph(id: string): number {
    const existing = this.#graphs.get(id);
    if (existing !== undefined) return existing;
    const index = this.graphs.push({ id }) - 1;
    this.#graphs.set(id, index);
    return index;
  }

  /** Returns the allocator that a buffer is freed with: the one that allocated it. */
  allocator(buffer: string): Allocator {
    this.#allocators ??= allocators(this.experiment);
    return this.#allocators.get(buffer) ?? 'caching';
  }

  /** Returns the index of a device by id. Default: the thread's device. */
  device(id: string | undefined, thread: number): number {
    return deviceIndex(this.experiment, id ?? this.experiment.threads[thread]?.device);
  }
}

/** Returns the index of a device by id. Default: the first. */
export function deviceIndex(experiment: Experiment, id: string | undefined): number {
  return id === undefined ? 0 : experiment.devices.findIndex((device) => device.id === id);
}

const indices = (declared: readonly { readonly id: string }[]): ReadonlyMap<string, number> =>
  new Map(declared.map(({ id }, index) => [id, index]));

/** Returns the allocator of each allocated buffer; checks/lifetimes.ts checks that there is only one. */
function allocators({ threads }: Experiment): ReadonlyMap<string, Allocator> {
  const found = new Map<string, Allocator>();
  for (const thread of threads) {
    eachOperation(thread.operations, (operation) => {
      if (operation.op === 'allocate' && !found.has(operation.buffer)) found.set(operation.buffer, operation.allocator);
    });
  }
  return found;
}

function known(table: ReadonlyMap<string, number>, id: string, what: string): number {
  const index = table.get(id);
  if (index === undefined)
    throw new RangeError(`no ${what} "${id}": lower() takes only experiments that passed parseExperiment`);
  return index;
}
