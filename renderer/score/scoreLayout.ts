/**
 * Where each operation stands in the score: a row for every host thread and stream, columns in issue order. An
 * operation's number is its place in document order, which is also its number in the program and in the trace.
 */
import { type BufferFinder, bufferFinder, copyBytes, describeOperation } from '../../core/experiment/describe.ts';
import type { OperationPath } from '../../core/experiment/edit/paths.ts';
import { streamOf as streamIdOf, type Target } from '../../core/experiment/edit/rows.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { childOperations, type Operation } from '../../core/experiment/operations.ts';
import { StreamTable } from '../../core/program/streams.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import { type PaintName, paintOf } from '../app/palette.ts';

export interface ScoreRow {
  readonly kind: 'host-thread' | 'stream';
  readonly name: string;
  /** As 'non-blocking' for a stream. */
  readonly detail: string;
  /** What an operation that is put here runs in. */
  readonly target: Target;
  /** The host thread that this row belongs to; null for a stream that any thread may use. */
  readonly thread: number | null;
}

export interface ScoreBlock {
  readonly op: number;
  readonly path: OperationPath;
  readonly operation: Operation;
  readonly row: number;
  /** Row of the host thread that issues it. */
  readonly thread: number;
  readonly column: number;
  readonly label: string;
  /** A second line: bytes, memory kinds, duration. Empty where there is nothing to say. */
  readonly detail: string;
  readonly paint: PaintName;
}

/** A repeat, range or graph around blocks of one thread. */
export interface ScoreGroup {
  readonly op: number;
  readonly path: OperationPath;
  readonly label: string;
  readonly thread: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
  readonly depth: number;
}

/** From where an event is recorded to where a stream or a host thread waits for it. */
export interface ScoreEdge {
  readonly event: string;
  readonly from: number;
  readonly to: number;
}

export interface ScoreLayout {
  readonly rows: readonly ScoreRow[];
  readonly blocks: readonly ScoreBlock[];
  readonly groups: readonly ScoreGroup[];
  /** Indices into blocks. */
  readonly edges: readonly ScoreEdge[];
  readonly columns: number;
}

const known = new WeakMap<Experiment, ScoreLayout>();

/** Made once for each document: the score, its keys, the timeline and the comparison all ask for it. */
export function scoreLayout(experiment: Experiment): ScoreLayout {
  const made = known.get(experiment) ?? layOut(experiment);
  known.set(experiment, made);
  return made;
}

function layOut(experiment: Experiment): ScoreLayout {
  const builder = new LayoutBuilder(experiment);
  experiment.threads.forEach((thread, index) => {
    builder.thread(index, thread.operations);
  });
  return builder.finish();
}

const streamKinds = {
  'legacy-default': 'stream',
  'per-thread-default': 'stream',
  blocking: 'blocking',
  'non-blocking': 'non-blocking',
} as const;

type Look = Pick<ScoreBlock, 'label' | 'detail' | 'paint'> & { readonly buffers: Experiment['buffers'] };

const looks = new WeakMap<Operation, Look>();

class LayoutBuilder {
  readonly #experiment: Experiment;
  readonly #find: BufferFinder;
  readonly #streams: StreamTable;
  readonly #blocks: ScoreBlock[] = [];
  readonly #groups: ScoreGroup[] = [];
  readonly #edges: ScoreEdge[] = [];
  /** First free column of each stream. */
  readonly #streamEnds = new Map<number, number>();
  readonly #records = new Map<string, number>();
  #op = 0;
  #column = 0;

  constructor(experiment: Experiment) {
    this.#experiment = experiment;
    this.#find = bufferFinder(experiment);
    this.#streams = new StreamTable(experiment);
  }

  thread(index: number, operations: readonly Operation[]): void {
    this.#column = 0;
    this.#list(index, operations, ['threads', index, 'operations'], 0);
  }

  finish(): ScoreLayout {
    const hosts: ScoreRow[] = this.#experiment.threads.map(({ id }, thread) => ({
      kind: 'host-thread',
      name: id,
      detail: 'host thread',
      target: { row: 'host' },
      thread,
    }));
    // The default stream always exists, so something can always be put there.
    this.#streams.resolve('default', 0);
    const streams: ScoreRow[] = this.#streams.streams.map(({ id, kind, thread }) => ({
      kind: 'stream',
      name: id,
      detail: streamKinds[kind] === id ? 'stream' : streamKinds[kind],
      target: { row: 'stream', stream: this.#streamName(id, kind) },
      thread: thread < 0 ? null : thread,
    }));
    const columns = this.#blocks.reduce((most, block) => Math.max(most, block.column + 1), 0);
    return { rows: [...hosts, ...streams], blocks: this.#blocks, groups: this.#groups, edges: this.#edges, columns };
  }

  /** The id by which operations name a stream. */
  #streamName(id: string, kind: keyof typeof streamKinds): string {
    if (kind === 'blocking' || kind === 'non-blocking') return id;
    const meaning = kind === 'legacy-default' ? 'legacy' : 'per-thread';
    return this.#experiment.environment.defaultStream === meaning ? 'default' : meaning;
  }

  #list(thread: number, operations: readonly Operation[], list: OperationPath, depth: number): void {
    for (const [index, operation] of operations.entries()) {
      const op = this.#op;
      this.#op += 1;
      const place = { op, path: [...list, index] };
      const children = childOperations(operation);
      if (children === undefined) this.#place(thread, operation, place);
      else this.#group(thread, operation, place, children, depth);
    }
  }

  #group(
    thread: number,
    operation: Operation,
    place: Pick<ScoreGroup, 'op' | 'path'>,
    children: readonly Operation[],
    depth: number,
  ): void {
    const [firstColumn, before] = [this.#column, this.#blocks.length];
    const label = describeOperation(operation, this.#experiment, this.#find);
    this.#list(thread, children, [...place.path, 'operations'], depth + 1);
    const placed = this.#blocks.slice(before).map((block) => block.column);
    const lastColumn = placed.reduce((most, column) => Math.max(most, column), firstColumn);
    this.#groups.push({ ...place, label, thread, firstColumn: placed[0] ?? firstColumn, lastColumn, depth });
  }

  #place(thread: number, operation: Operation, place: Pick<ScoreBlock, 'op' | 'path'>): void {
    const stream = streamOf(operation, thread, this.#streams);
    // Threads run at the same time, so each begins at the first column; only a shared stream keeps issue order.
    const column = Math.max(this.#column, stream === null ? 0 : (this.#streamEnds.get(stream) ?? 0));
    this.#column = column + 1;
    if (stream !== null) this.#streamEnds.set(stream, column + 1);
    const index = this.#blocks.length;
    const { label, detail, paint } = this.#look(operation);
    this.#blocks.push({
      op: place.op,
      path: place.path,
      operation,
      row: stream === null ? thread : this.#experiment.threads.length + stream,
      thread,
      column,
      label,
      detail,
      paint,
    });
    this.#join(operation, index);
  }

  /** What says and shows what an operation is: made once for it, as long as the buffers are the same. */
  #look(operation: Operation): Look {
    const { buffers } = this.#experiment;
    const known = looks.get(operation);
    if (known?.buffers === buffers) return known;
    const made = {
      buffers,
      label: describeOperation(operation, this.#experiment, this.#find),
      detail: operationDetail(operation, this.#experiment, this.#find),
      paint: operationPaint(operation, this.#find),
    };
    looks.set(operation, made);
    return made;
  }

  #join(operation: Operation, index: number): void {
    if (operation.op === 'recordEvent') this.#records.set(operation.event, index);
    if (operation.op !== 'waitEvent' && operation.op !== 'synchronizeEvent') return;
    const from = this.#records.get(operation.event);
    if (from !== undefined) this.#edges.push({ event: operation.event, from, to: index });
  }
}

/** The stream an operation's work goes to; null where the host does it itself, or waits. */
function streamOf(operation: Operation, thread: number, streams: StreamTable): number | null {
  const id = streamIdOf(operation);
  // A stream that only a host call names has its row all the same.
  if (id === null && 'stream' in operation) streams.resolve(operation.stream, thread);
  return id === null ? null : streams.resolve(id, thread);
}

const memoryOf = (find: BufferFinder, id: string): string => find(id)?.memory ?? 'unknown';

function operationDetail(operation: Operation, experiment: Experiment, find: BufferFinder): string {
  switch (operation.op) {
    case 'copy': {
      const size = operation.label === undefined ? '' : ` · ${formatBytes(copyBytes(operation, experiment, find))}`;
      return `${memoryOf(find, operation.src)} → ${memoryOf(find, operation.dst)}${size}`;
    }
    case 'kernel':
      if (operation.kernel.kind === 'spin') return formatDuration(operation.kernel.durationNs);
      return operation.kernel.kind === 'stream'
        ? `${operation.kernel.passes}× over bytes`
        : `${operation.kernel.flops} FLOP`;
    default:
      return '';
  }
}

function operationPaint(operation: Operation, find: BufferFinder): PaintName {
  switch (operation.op) {
    case 'copy': {
      const side = (id: string): 'h' | 'd' => (memoryOf(find, id) === 'device' ? 'd' : 'h');
      return paintOf('copy', `${side(operation.src)}2${side(operation.dst)}`);
    }
    case 'multiCopy':
      return operation.direction;
    case 'item':
      return 'd2h';
    case 'kernel':
    case 'graphLaunch':
      return 'kernel';
    case 'memset':
      return 'memset';
    case 'hostFunction':
      return 'host-function';
    case 'recordEvent':
    case 'waitEvent':
      return 'mark';
    case 'work':
    case 'pin':
      return 'host-work';
    case 'read':
    case 'write':
      return 'host-access';
    case 'synchronizeStream':
    case 'synchronizeEvent':
    case 'synchronizeDevice':
    case 'waitSignal':
      return 'host-sync';
    case 'repeat':
    case 'range':
    case 'graphCapture':
      return 'host-range';
    default:
      return 'host-call';
  }
}
