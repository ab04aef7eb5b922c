/** Walks nested data: makes a copy of its arrays, plain objects and maps, and a list of its leaves. */
import { CopyscopeError } from '../../core/errors.ts';
import { DeviceTensor, HostTensor } from './tensors.ts';

export type TensorLeaf = ArrayBufferView | HostTensor | DeviceTensor;

/** A container of the copied structure in which a leaf's result is missing. */
type Holder = unknown[] | Record<string, unknown> | Map<unknown, unknown>;

export interface Traversal {
  readonly leaves: readonly TensorLeaf[];
  /** True if no leaf is a tensor. */
  readonly hasOnlyViews: boolean;
  /** Returns the copied structure after every leaf has been put; the leaf's result if the data itself is a leaf. */
  root(): unknown;
  /** Puts the result of leaf `index`. */
  put(index: number, result: unknown): void;
  /** Puts the results of all leaves, made in their order. */
  putEach(make: (index: number) => unknown): void;
}

/** Consecutive leaves in one container. */
interface Span {
  /** Number of the first leaf. */
  readonly first: number;
  readonly holder: Holder;
  /** Keys of the leaves in the container; null for an array that consists of them alone. */
  readonly keys: unknown[] | null;
}

const deepest = 1000;

class Walk implements Traversal {
  leaves: TensorLeaf[] = [];
  hasOnlyViews = true;
  readonly #spans: Span[] = [];
  #lastSpan: Span | undefined;
  /** Span of the last result, since results come in the order of the leaves. */
  #at = 0;
  /** Containers between the root and here. */
  readonly #path = new Set<object>();
  readonly #root: unknown[] = [undefined];

  constructor(data: unknown) {
    this.#root[0] = this.#visit(data, this.#root, 0);
  }

  root(): unknown {
    return this.#root[0];
  }

  put(index: number, result: unknown): void {
    const span = this.#spanOf(index);
    if (span === undefined) return;
    const { first, holder, keys } = span;
    const key = keys === null ? index - first : keys[index - first];
    if (Array.isArray(holder)) holder[key as number] = result;
    else if (holder instanceof Map) holder.set(key, result);
    else setOwn(holder, key as string, result);
  }

  putEach(make: (index: number) => unknown): void {
    for (let number = 0; number < this.#spans.length; number += 1) {
      const { first, holder, keys } = this.#spans[number] as Span;
      const end = Math.min(this.#firstOf(number + 1), this.leaves.length);
      if (keys === null && Array.isArray(holder)) {
        for (let index = first; index < end; index += 1) holder[index - first] = make(index);
      } else {
        for (let index = first; index < end; index += 1) this.put(index, make(index));
      }
    }
  }

  #spanOf(index: number): Span | undefined {
    while (this.#at > 0 && this.#firstOf(this.#at) > index) this.#at -= 1;
    while (this.#firstOf(this.#at + 1) <= index) this.#at += 1;
    return this.#spans[this.#at];
  }

  #firstOf(span: number): number {
    return span < this.#spans.length ? (this.#spans[span]?.first ?? 0) : Number.POSITIVE_INFINITY;
  }

  /** Returns the copy of a container, the value itself, or undefined for a leaf that is put later. */
  #visit(value: unknown, holder: Holder, key: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (ArrayBuffer.isView(value)) return this.#add(value, holder, key);
    if (value instanceof HostTensor || value instanceof DeviceTensor) {
      this.hasOnlyViews = false;
      return this.#add(value, holder, key);
    }
    const isArray = Array.isArray(value);
    if (!isArray && !(value instanceof Map) && !isPlain(value)) return value;
    this.#enter(value);
    const copied = isArray ? this.#array(value) : value instanceof Map ? this.#map(value) : this.#object(value);
    this.#path.delete(value);
    return copied;
  }

  #add(leaf: TensorLeaf, holder: Holder, key: unknown): undefined {
    const last = this.#lastSpan;
    if (last?.holder === holder && last.keys !== null) last.keys.push(key);
    else this.#startSpan(holder, [key]);
    this.leaves.push(leaf);
  }

  #addAll(views: readonly ArrayBufferView[], holder: unknown[]): void {
    this.#startSpan(holder, null);
    if (this.leaves.length === 0) this.leaves = views.slice();
    else for (const view of views) this.leaves.push(view);
  }

  #startSpan(holder: Holder, keys: unknown[] | null): void {
    this.#lastSpan = { first: this.leaves.length, holder, keys };
    this.#spans.push(this.#lastSpan);
  }

  #enter(container: object): void {
    if (this.#path.has(container)) {
      throw new CopyscopeError({
        code: 'copy.cyclic',
        field: 'data',
        message: 'The data contains itself.',
        remedy: 'Copy data without cycles.',
      });
    }
    if (this.#path.size >= deepest) {
      throw new CopyscopeError({
        code: 'copy.too-deep',
        field: 'data',
        message: `The data is nested deeper than ${deepest} levels.`,
        remedy: 'Flatten it.',
      });
    }
    this.#path.add(container);
  }

  #array(values: readonly unknown[]): unknown[] {
    const copied = new Array<unknown>(values.length);
    if (consistsOfViews(values)) {
      this.#addAll(values, copied);
      return copied;
    }
    for (let index = 0; index < values.length; index += 1) copied[index] = this.#visit(values[index], copied, index);
    return copied;
  }

  #map(values: ReadonlyMap<unknown, unknown>): Map<unknown, unknown> {
    const copied = new Map<unknown, unknown>();
    for (const [key, value] of values) copied.set(key, this.#visit(value, copied, key));
    return copied;
  }

  #object(values: object): Record<string, unknown> {
    const copied: Record<string, unknown> = Object.create(Object.getPrototypeOf(values));
    for (const [key, value] of Object.entries(values)) setOwn(copied, key, this.#visit(value, copied, key));
    return copied;
  }
}

/** Throws a CopyscopeError `copy.cyclic` or `copy.too-deep`. */
export const traverse = (data: unknown): Traversal => new Walk(data);

/** Returns true if there are elements, and all of them are views. */
function consistsOfViews(values: readonly unknown[]): values is readonly ArrayBufferView[] {
  for (let index = 0; index < values.length; index += 1) if (!ArrayBuffer.isView(values[index])) return false;
  return values.length > 0;
}

/** Returns true for objects made by literals or JSON; those of classes pass through unchanged. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Sets a key, also `__proto__`, like any other. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') {
    object[key] = value;
    return;
  }
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
