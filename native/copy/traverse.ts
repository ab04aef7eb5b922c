/** Walks data of any nesting: a copy of its arrays, plain objects and maps, and a list of its leaves. */
import { CopyscopeError } from '../../core/errors.ts';
import { DeviceTensor, HostTensor } from './tensors.ts';

export type TensorLeaf = ArrayBufferView | HostTensor | DeviceTensor;

/** A place in the copied structure that waits for a leaf's result. */
type Holder = unknown[] | Record<string, unknown> | Map<unknown, unknown>;

export interface Traversal {
  readonly leaves: readonly TensorLeaf[];
  /** Whether none of the leaves is a tensor. */
  readonly hasOnlyViews: boolean;
  /** The copied structure, once every leaf has been put. Where the data itself is a leaf: its result. */
  root(): unknown;
  /** Puts the result of leaf `index`. */
  put(index: number, result: unknown): void;
}

const deepest = 1000;

class Walk implements Traversal {
  readonly leaves: TensorLeaf[] = [];
  hasOnlyViews = true;
  readonly #holders: Holder[] = [];
  readonly #keys: unknown[] = [];
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
    const holder = this.#holders[index];
    const key = this.#keys[index];
    if (Array.isArray(holder)) holder[key as number] = result;
    else if (holder instanceof Map) holder.set(key, result);
    else if (holder !== undefined) setOwn(holder, key as string, result);
  }

  /** The copy of a container, the value itself, or undefined for a leaf that is put later. */
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
    this.leaves.push(leaf);
    this.#holders.push(holder);
    this.#keys.push(key);
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

/** Objects as literals and JSON make them; those of classes pass through as they are. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** `__proto__` is a key like any other. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') {
    object[key] = value;
    return;
  }
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
