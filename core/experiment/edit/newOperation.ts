/** Makes new operations with sensible fields. Missing declarations are added. */
import { MiB } from '../../units.ts';
import { type Experiment, walkOperations } from '../experiment.ts';
import { newDurationNs } from '../operations/operation.ts';
import { descriptorOf, type NewOperation, type OperationName, type OperationOf } from '../operations.ts';
import { type BufferDeclaration, bufferBytes, isCopied } from '../resources.ts';
import { declare, declareOtherEnd, deviceBuffer, freshId, newBuffer } from './declarations.ts';
import { type Edited, edit, inDocumentOrder } from './edit.ts';
import { setLibraryKernel } from './libraryKernel.ts';
import { rearrange } from './operations.ts';
import { listOf, type OperationPath, operationOf, operationPaths, type Place, pathAt, placeNew } from './paths.ts';
import { inRow, type Target } from './rows.ts';

/** Adds an operation of this kind at a place, in the row of `target`. */
export function addOperation(experiment: Experiment, name: OperationName, at: Place, target: Target): Edited {
  return addMade(experiment, at, target, (_, maker) => maker.make(name));
}

/** Adds the operation that `make` returns. `make` may add declarations. */
export function addMade(
  experiment: Experiment,
  at: Place,
  target: Target,
  make: (draft: Experiment, maker: Maker) => NewOperation,
): Edited {
  return rearrange(experiment, (draft) => {
    const stream = target.row === 'stream' ? target.stream : (draft.streams[0]?.id ?? 'default');
    const made = make(draft, new Maker(draft, stream, pathAt(at)));
    const placed = target.row === 'stream' ? inRow(made, target) : made;
    return [placeNew(listOf(draft, at.list), at.index, placed)];
  });
}

/** Makes operations for one place of a document. */
export class Maker {
  readonly #draft: Experiment;
  readonly stream: string;
  readonly #before: OperationPath;

  constructor(draft: Experiment, stream: string, before: OperationPath) {
    this.#draft = draft;
    this.stream = stream;
    this.#before = before;
  }

  make(name: OperationName): NewOperation {
    return descriptorOf(name).make(this);
  }

  #buffer(fits: (buffer: BufferDeclaration) => boolean, stem: string, memory: BufferDeclaration['memory']): string {
    const found = this.#draft.buffers.find(fits);
    if (found !== undefined) return found.id;
    const id = freshId(this.#draft, 'buffers', stem);
    this.#draft.buffers.push(newBuffer(id, memory));
    return id;
  }

  readonly host = (): string => this.#buffer(({ memory }) => isCopied(memory), 'source', 'pinned');
  readonly managed = (): string => this.#buffer(({ memory }) => memory === 'managed', 'shared', 'managed');
  readonly device = (): string => this.#buffer(({ memory }) => memory === 'device', 'target', 'device');

  /** Makes a copy into a device buffer that has room for all of the host buffer `src`. */
  copyFrom(src: string): Extract<NewOperation, { op: 'copy' }> {
    const source = this.#draft.buffers.find(({ id }) => id === src);
    const size = source === undefined ? 0 : bufferBytes(source);
    const targets = this.#draft.buffers.filter((one) => one.memory === 'device' && bufferBytes(one) >= size);
    const found = targets.find((one) => bufferBytes(one) === size) ?? targets[0];
    const dst = found?.id ?? declareOtherEnd(this.#draft, 'dst', src);
    return { op: 'copy', src, srcOffset: 0, dst, dstOffset: 0, stream: this.stream, mode: 'async' };
  }

  /** Returns the buffers of a pin_memory(), which makes a copy of the same size. */
  pinned(): { readonly src: string; readonly dst: string } {
    const src = this.#buffer(({ memory }) => memory === 'pageable', 'batch', 'pageable');
    const source = this.#draft.buffers.find(({ id }) => id === src);
    const size = source === undefined ? MiB : bufferBytes(source);
    const fits = (buffer: BufferDeclaration): boolean => buffer.memory === 'pinned' && bufferBytes(buffer) === size;
    const dst = this.#buffer(fits, 'pinned', 'pinned');
    const made = this.#draft.buffers.find(({ id }) => id === dst);
    if (made !== undefined && bufferBytes(made) !== size) made.bytes = size;
    return { src, dst };
  }

  signal(): string {
    return this.#draft.signals[0]?.id ?? declare(this.#draft, 'signals');
  }

  /** Returns the first event that nothing records yet, or a new one. */
  unrecordedEvent(): string {
    return unrecordedEvent(this.#draft) ?? declare(this.#draft, 'events');
  }

  /** Returns the last event recorded before this place, else any event, else a new one. */
  recordedEvent(): string {
    const before = operationPaths(this.#draft).filter((path) => inDocumentOrder(path, this.#before) < 0);
    const records = before.map((path) => operationOf(this.#draft, path)).filter(({ op }) => op === 'recordEvent');
    const last = records.at(-1);
    if (last?.op === 'recordEvent') return last.event;
    return this.#draft.events[0]?.id ?? declare(this.#draft, 'events');
  }

  timedEvents(): { readonly start: string; readonly end: string } {
    const timed = this.#draft.events.filter(({ timing }) => timing).map(({ id }) => id);
    const start = timed[0] ?? declare(this.#draft, 'events', 'start');
    return { start, end: timed[1] ?? declare(this.#draft, 'events', 'end') };
  }

  capturedGraph(): string {
    let graph = 'graph';
    for (const thread of this.#draft.threads) {
      walkOperations(thread.operations, (operation) => {
        if (operation.op === 'graphCapture') graph = operation.graph;
      });
    }
    return graph;
  }
}

/** Returns the first event that nothing records yet. */
export function unrecordedEvent({ threads, events }: Experiment): string | undefined {
  const recorded = new Set<string>();
  for (const thread of threads) {
    walkOperations(thread.operations, (operation) => {
      if (operation.op === 'recordEvent') recorded.add(operation.event);
    });
  }
  return events.find(({ id }) => !recorded.has(id))?.id;
}

/** Changes a kernel's shape. Adds buffers if the shape needs them, and sizes a library kernel to fit. */
export function setKernelKind(
  experiment: Experiment,
  path: OperationPath,
  kind: OperationOf<'kernel'>['kernel']['kind'],
): Edited {
  return edit(experiment, (draft) => {
    const operation = operationOf(draft, path);
    if (operation.op !== 'kernel' || operation.kernel.kind === kind) return [operation];
    if (kind === 'spin') operation.kernel = { kind, durationNs: newDurationNs };
    else if (kind === 'arithmetic') operation.kernel = { kind, flops: 1e9 };
    else if (kind === 'matmul' || kind === 'fft') setLibraryKernel(draft, operation, kind);
    else {
      operation.kernel = { kind, passes: 1 };
      operation.reads = [operation.reads[0] ?? deviceBuffer(draft, 0, 'input')];
      operation.writes = [operation.writes[0] ?? deviceBuffer(draft, 1, 'output')];
    }
    return [operation];
  });
}
