/**
 * Places the operations in the score: a row for each host thread and stream, columns in issue order. An operation's
 * number is its place in document order, as in the program and the trace.
 */
import { type BufferFinder, bufferFinder, describeOperation } from '../../core/experiment/describe.ts';
import type { OperationPath } from '../../core/experiment/edit/paths.ts';
import { streamOf as streamIdOf, type Target } from '../../core/experiment/edit/rows.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import {
  childOperations,
  descriptorOf,
  type Operation,
  type RangeOperation,
} from '../../core/experiment/operations.ts';
import { lowerBound } from '../../core/lowerBound.ts';
import { StreamTable } from '../../core/program/streams.ts';
import type { PaintName } from '../common/palette.ts';
import { blockWidth } from './columns.ts';
import { foldedOf, isFolded } from './folded.ts';

export interface ScoreRow {
  readonly kind: 'host-thread' | 'stream';
  readonly name: string;
  /** Detail such as 'non-blocking' for a stream. */
  readonly detail: string;
  /** Host thread or stream of an operation that is put into this row. */
  readonly target: Target;
  /** The host thread that owns this row; null for a stream that any thread may use. */
  readonly thread: number | null;
}

export interface ScoreBlock {
  readonly op: number;
  /** Number of the last operation in the block; differs from `op` for a folded range. */
  readonly lastOp: number;
  readonly path: OperationPath;
  readonly operation: Operation;
  readonly row: number;
  /** Row of the host thread that issues it. */
  readonly thread: number;
  readonly column: number;
  readonly label: string;
  /** Second line: bytes, memory kinds, duration. Empty if there is nothing to add. */
  readonly detail: string;
  readonly paint: PaintName;
  /** Width of the text in pixels. */
  readonly width: number;
}

/** A repeat, range or graph around blocks of one thread. */
export interface ScoreGroup {
  readonly op: number;
  readonly id: string;
  readonly path: OperationPath;
  readonly label: string;
  readonly thread: number;
  readonly firstColumn: number;
  readonly lastColumn: number;
  readonly depth: number;
}

/** An edge from the record of an event to a wait of a stream or host thread. */
export interface ScoreEdge {
  readonly event: string;
  readonly from: number;
  readonly to: number;
}

export interface ScoreLayout {
  readonly rows: readonly ScoreRow[];
  readonly blocks: readonly ScoreBlock[];
  readonly groups: readonly ScoreGroup[];
  /** Edges between indices into `blocks`. */
  readonly edges: readonly ScoreEdge[];
  readonly columns: number;
}

/** Returns the block of an operation, or undefined if there is none, as for a group. Blocks ascend by `op`. */
export function blockOf({ blocks }: ScoreLayout, op: number): ScoreBlock | undefined {
  const block = blocks[lowerBound(0, blocks.length, (at) => (blocks[at]?.op ?? 0) < op)];
  return block?.op === op ? block : undefined;
}

/** Returns the operation's block, or the block of the folded range around it. */
export function blockHolding({ blocks }: ScoreLayout, op: number): ScoreBlock | undefined {
  const block = blocks[lowerBound(0, blocks.length, (at) => (blocks[at]?.op ?? 0) <= op) - 1];
  return block !== undefined && block.lastOp >= op ? block : undefined;
}

/** Layouts of recent documents. Undo keeps hundreds of states of a document, each with thousands of blocks. */
const known = new Map<Experiment, ScoreLayout>();
const mostKnown = 16;
/** Limit of blocks in all kept layouts but the newest, so that few layouts of long documents are kept. */
const mostKnownBlocks = 200_000;
/** Returns the layout, computed once, since score, keys, timeline and comparison all use it. */
export const scoreLayout = (experiment: Experiment): ScoreLayout => known.get(experiment) ?? laidOut(experiment);

function laidOut(experiment: Experiment): ScoreLayout {
  const builder = new LayoutBuilder(experiment);
  for (const [index, { operations }] of experiment.threads.entries()) builder.thread(index, operations);
  const layout = builder.finish();
  known.set(experiment, layout);
  let blocks = [...known.values()].reduce((sum, one) => sum + one.blocks.length, 0);
  for (const [oldest, { blocks: own }] of known) {
    if (oldest === experiment || (known.size <= mostKnown && blocks <= mostKnownBlocks)) break;
    known.delete(oldest);
    blocks -= own.length;
  }
  return layout;
}

const streamKinds = {
  'legacy-default': 'stream',
  'per-thread-default': 'stream',
  blocking: 'blocking',
  'non-blocking': 'non-blocking',
} as const;

type Look = Pick<ScoreBlock, 'label' | 'detail' | 'paint' | 'width'> & { readonly buffers: Experiment['buffers'] };

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
    // The default stream always exists, so that its row always takes operations.
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

  /** Returns the id that operations use for a stream. */
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
      if (isFolded(operation)) this.#fold(thread, operation, place);
      else if (children === undefined) this.#place(thread, operation, place);
      else this.#group(thread, operation, place, children, depth);
    }
  }

  /** Takes the first free column. Threads run in parallel, so all begin at the first one; streams keep issue order. */
  #take(stream: number | null): number {
    const column = Math.max(this.#column, stream === null ? 0 : (this.#streamEnds.get(stream) ?? 0));
    this.#column = column + 1;
    if (stream !== null) this.#streamEnds.set(stream, column + 1);
    return column;
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
    this.#groups.push({
      ...place,
      id: operation.id,
      label,
      thread,
      firstColumn: placed[0] ?? firstColumn,
      lastColumn,
      depth,
    });
  }

  #place(thread: number, operation: Operation, place: Pick<ScoreBlock, 'op' | 'path'>): void {
    const stream = streamOf(operation, thread, this.#streams);
    const column = this.#take(stream);
    const index = this.#blocks.length;
    const { label, detail, paint, width } = this.#look(operation);
    this.#blocks.push({
      op: place.op,
      lastOp: place.op,
      path: place.path,
      operation,
      row: stream === null ? thread : this.#experiment.threads.length + stream,
      thread,
      column,
      label,
      detail,
      paint,
      width,
    });
    this.#join(operation, index);
  }

  /** Adds one block for a whole range: in the row of its kernels if it holds nothing else, else in its thread's row. */
  #fold(thread: number, range: RangeOperation, { op, path }: Pick<ScoreBlock, 'op' | 'path'>): void {
    const { inside, streams, named, records, isKernels, detail } = foldedOf(range);
    for (const id of named) this.#streams.resolve(id, thread);
    const used = streams.map((id) => this.#streams.resolve(id, thread));
    const column = Math.max(this.#column, ...used.map((stream) => this.#streamEnds.get(stream) ?? 0));
    this.#column = column + 1;
    for (const stream of used) this.#streamEnds.set(stream, column + 1);
    for (const event of records) this.#records.set(event, this.#blocks.length);
    const [stream] = isKernels ? used : [];
    const label = describeOperation(range, this.#experiment, this.#find);
    this.#op += inside;
    this.#blocks.push({
      op,
      lastOp: op + inside,
      path,
      operation: range,
      row: stream === undefined ? thread : this.#experiment.threads.length + stream,
      thread,
      column,
      label,
      detail,
      paint: isKernels ? 'kernel' : 'host-range',
      width: blockWidth(label, detail, false),
    });
  }

  /** Returns label, detail and paint of an operation, cached while the buffers are the same. */
  #look(operation: Operation): Look {
    const { buffers } = this.#experiment;
    const known = looks.get(operation);
    if (known?.buffers === buffers) return known;
    const label = describeOperation(operation, this.#experiment, this.#find);
    const { detail: detailOf, paint: paintOf = 'host-call' } = descriptorOf(operation.op);
    const detail = detailOf?.(operation, this.#find) ?? '';
    const paint = typeof paintOf === 'string' ? paintOf : paintOf(operation, this.#find);
    const made = { buffers, label, detail, paint, width: blockWidth(label, detail, operation.op === 'copy') };
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

/** Returns the stream of an operation's work, or null if the host does it or waits. */
function streamOf(operation: Operation, thread: number, streams: StreamTable): number | null {
  const id = streamIdOf(operation);
  // A stream has a row even if only a host call names it.
  if (id === null && 'stream' in operation) streams.resolve(operation.stream, thread);
  return id === null ? null : streams.resolve(id, thread);
}
