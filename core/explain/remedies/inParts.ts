/**
 * Cuts a copy and the kernel that shares its data into parts. Each kernel part waits only for its own data, so the next
 * part is copied while the kernel works on one.
 */
import type { Change } from '../../experiment/change.ts';
import { ChangeBuilder } from '../../experiment/changeBuilder.ts';
import { isLibraryShape } from '../../experiment/libraryKernels.ts';
import type { Operation, OperationOf } from '../../experiment/operations.ts';
import { type Found, find, type Situation, sizeOf, usersOf } from './situation.ts';

type Either = Found<'copy'> | Found<'kernel'>;

const parts = 4;

/** Returns null if others use the shared data too, either uses only part of it, or a library call uses it. */
export function inParts(situation: Situation): Change | null {
  const { verdict } = situation;
  const [copy, kernel] = [find(situation, verdict.op, 'copy'), find(situation, verdict.with, 'kernel')];
  if (copy === null || kernel === null || copy.operation.mode !== 'async') return null;
  if (isLibraryShape(kernel.operation.kernel)) return null;
  const cut = buffersToCut(situation, copy, kernel);
  return cut === null || !isWhole(situation, copy) ? null : new Cut(situation, copy, kernel, cut).change();
}

class Cut {
  readonly #situation: Situation;
  readonly #copy: Found<'copy'>;
  readonly #kernel: Found<'kernel'>;
  readonly #edit: ChangeBuilder;
  /** Names of the parts of each cut buffer. The last part is the original buffer, made smaller. */
  readonly #names: ReadonlyMap<string, readonly string[]>;
  readonly #bytes: number;

  constructor(situation: Situation, copy: Found<'copy'>, kernel: Found<'kernel'>, cut: readonly string[]) {
    this.#situation = situation;
    this.#copy = copy;
    this.#kernel = kernel;
    this.#edit = new ChangeBuilder(situation.experiment);
    this.#bytes = sizeOf(situation, cut[0] ?? '') / parts;
    this.#names = new Map(cut.map((id) => [id, this.#cutBuffer(id)]));
  }

  change(): Change {
    const [edit, copy, kernel] = [this.#edit, this.#copy, this.#kernel];
    edit.step(
      `Cut "${copy.info.label}" and "${kernel.info.label}" into ${parts} parts, each waiting only for its own.`,
    );
    const wait = find(this.#situation, this.#situation.verdict.blockedBy, 'waitEvent');
    if (wait !== null) edit.remove(wait.info.path);
    const [first, last] = copy.info.op < kernel.info.op ? [copy, kernel] : [kernel, copy];
    for (let part = 0; part < parts; part += 1) this.#order(first, last, part);
    // The original operations become the last part, so that their results can be compared.
    for (const one of [copy, kernel]) this.#replace(one.info.path, one.operation, this.#part(one.operation, parts - 1));
    return edit.change;
  }

  /** Orders one part of both: the second waits for an event that the first one's part records. */
  #order(first: Either, last: Either, part: number): void {
    const edit = this.#edit;
    const event = edit.declare('events', 'part', { timing: false });
    const record = { op: 'recordEvent', event, stream: first.operation.stream };
    const wait = { op: 'waitEvent', event, stream: last.operation.stream };
    if (part === parts - 1) {
      edit.after(first.info.path, record).before(last.info.path, wait);
      return;
    }
    edit.before(first.info.path, this.#newPart(first.operation, part)).before(first.info.path, record);
    edit.before(last.info.path, wait).before(last.info.path, this.#newPart(last.operation, part));
  }

  #newPart(operation: OperationOf<'copy' | 'kernel'>, part: number): object {
    const { id: _, ...made } = this.#part(operation, part);
    return made;
  }

  #part(operation: OperationOf<'copy' | 'kernel'>, part: number): Operation {
    return operation.op === 'copy' ? this.#copyPart(operation, part) : this.#kernelPart(operation, part);
  }

  #copyPart(operation: OperationOf<'copy'>, part: number): OperationOf<'copy'> {
    const offset = (id: string): number => (this.#names.has(id) ? 0 : part * this.#bytes);
    const { src, dst } = operation;
    const ends = { src: this.#name(src, part), dst: this.#name(dst, part) };
    return { ...operation, ...ends, bytes: this.#bytes, srcOffset: offset(src), dstOffset: offset(dst) };
  }

  #kernelPart(operation: OperationOf<'kernel'>, part: number): OperationOf<'kernel'> {
    const named = (ids: readonly string[]): string[] => ids.map((id) => this.#name(id, part));
    const { reads, writes, kernel } = operation;
    return { ...operation, kernel: shapePart(kernel), reads: named(reads), writes: named(writes) };
  }

  #name(id: string, part: number): string {
    return this.#names.get(id)?.[part] ?? id;
  }

  #replace(path: Found<'copy'>['info']['path'], before: Operation, after: Operation): void {
    const old = before as Readonly<Record<string, unknown>>;
    for (const [field, value] of Object.entries(after)) {
      if (JSON.stringify(old[field]) !== JSON.stringify(value)) this.#edit.replace([...path, field], value);
    }
  }

  #cutBuffer(id: string): string[] {
    const { buffers } = this.#situation.experiment;
    const index = buffers.findIndex((buffer) => buffer.id === id);
    const { dtype, shape: _, id: __, ...fields } = buffers[index] ?? { id };
    const part = { ...fields, bytes: this.#bytes };
    const names = Array.from({ length: parts - 1 }, () => this.#edit.declare('buffers', `${id}-part`, part));
    if (dtype !== undefined) this.#edit.remove(['buffers', index, 'dtype']).remove(['buffers', index, 'shape']);
    this.#edit.replace(['buffers', index, 'bytes'], this.#bytes);
    return [...names, id];
  }
}

function shapePart(kernel: OperationOf<'kernel'>['kernel']): OperationOf<'kernel'>['kernel'] {
  if (kernel.kind === 'spin') return { ...kernel, durationNs: kernel.durationNs / parts };
  return kernel.kind === 'arithmetic' ? { ...kernel, flops: Math.max(1, kernel.flops / parts) } : kernel;
}

/** Returns the device buffers to cut: the shared one, and others that a byte-streaming kernel uses. */
function buffersToCut(situation: Situation, copy: Found<'copy'>, kernel: Found<'kernel'>): string[] | null {
  const { reads, writes, kernel: shape } = kernel.operation;
  const shared = [copy.operation.src, copy.operation.dst].find((id) => reads.includes(id) || writes.includes(id));
  if (shared === undefined) return null;
  const streamed = shape.kind === 'stream' ? [reads[0] ?? shared, writes[0] ?? shared] : [];
  const cut = [...new Set([shared, ...streamed])];
  const bytes = sizeOf(situation, shared);
  const own = new Set([copy.info.op, kernel.info.op]);
  const fits = (id: string): boolean => {
    const declared = situation.experiment.buffers.find((buffer) => buffer.id === id);
    const isDevice = declared?.memory === 'device' && declared.allocated === 'before-run';
    return isDevice && sizeOf(situation, id) === bytes && usersOf(situation, id).every((op) => own.has(op));
  };
  return bytes % (4 * parts) === 0 && cut.every(fits) ? cut : null;
}

/** Returns whether the copy covers both of its buffers completely. */
function isWhole(situation: Situation, { operation }: Found<'copy'>): boolean {
  const sizes = [sizeOf(situation, operation.src), sizeOf(situation, operation.dst)];
  const { bytes = Math.min(...sizes), srcOffset, dstOffset } = operation;
  return srcOffset === 0 && dstOffset === 0 && sizes.every((size) => size === bytes);
}
