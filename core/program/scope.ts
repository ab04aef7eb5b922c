/** What an operation's names stand for: ids of the document as indices of the program. */
import { type BufferFinder, bufferFinder } from '../experiment/describe.ts';
import { type Experiment, eachOperation } from '../experiment/experiment.ts';
import { bufferBytes } from '../experiment/resources.ts';
import type { Allocator, MultiCopyPlan, ProgramGraph } from './program.ts';
import { StreamTable } from './streams.ts';

/** Where an operation stands: its number, its place in the document and its host thread. */
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
  readonly #buffers: ReadonlyMap<string, number>;
  readonly #events: ReadonlyMap<string, number>;
  readonly #signals: ReadonlyMap<string, number>;
  readonly #graphs = new Map<string, number>();
  /** Null before something is freed. */
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

  /** Bytes of a buffer. */
  size(buffer: number): number {
    const declared = this.experiment.buffers[buffer];
    return declared === undefined ? 0 : bufferBytes(declared);
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

  /** What a buffer is freed with: the allocator that gave it. */
  allocator(buffer: string): Allocator {
    this.#allocators ??= allocators(this.experiment);
    return this.#allocators.get(buffer) ?? 'caching';
  }

  /** Index of a device by id; the thread's own where none is named. */
  device(id: string | undefined, thread: number): number {
    return deviceIndex(this.experiment, id ?? this.experiment.threads[thread]?.device);
  }
}

/** Index of a device by id; the first where none is named. */
export function deviceIndex(experiment: Experiment, id: string | undefined): number {
  return id === undefined ? 0 : experiment.devices.findIndex((device) => device.id === id);
}

const indices = (declared: readonly { readonly id: string }[]): ReadonlyMap<string, number> =>
  new Map(declared.map(({ id }, index) => [id, index]));

/** The allocator of each buffer that is allocated; checks/lifetimes.ts sees to it that there is only one. */
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
