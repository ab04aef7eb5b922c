/** Leaves in host memory that travel together. */
import { commonArrayType, type ElementType, elementBytes, elementTypeOfView } from './dtypes.ts';
import { nativeCopies, type StridedLeaf } from './nativeCopies.ts';
import type { NativeOptions } from './options.ts';
import { deviceResults, type Group, hostResults, type Route } from './results.ts';
import { streamFor } from './streams.ts';
import { HostTensor } from './tensors.ts';
import type { Traversal } from './traverse.ts';

/** How many leaves go to the addon as arguments, which is much the fastest way there; the stack holds no more of them. */
const mostArguments = 8192;

/** Used again: the addon reads it within its call. */
let sizes = new Float64Array(1024);

/**
 * Bytes of each view, all of whose elements have the type, if one is given, and of all. What stands behind them means
 * nothing.
 */
function sizesOf(views: readonly ArrayBufferView[], type: ElementType | null) {
  const count = views.length;
  if (count > sizes.length) sizes = new Float64Array(2 * count);
  let total = 0;
  for (let index = 0; index < count; index += 1) {
    const view = views[index] as Uint8Array;
    const bytes = type === null ? view.byteLength : view.length * type.bytes;
    sizes[index] = bytes;
    total += bytes;
  }
  return { sizes, total };
}

export class HostGroup {
  readonly #traversal: Traversal;
  readonly #memory: ArrayBufferView[];
  readonly #indices: number[] | null;
  readonly #strided: StridedLeaf[] = [];
  #hasTensors = false;

  private constructor(traversal: Traversal, memory: ArrayBufferView[], indices: number[] | null) {
    this.#traversal = traversal;
    this.#memory = memory;
    this.#indices = indices;
  }

  static empty(traversal: Traversal): HostGroup {
    return new HostGroup(traversal, [], []);
  }

  /** Of all leaves, which are views only: nothing needs to be done for each. */
  static ofAll(traversal: Traversal): HostGroup {
    return new HostGroup(traversal, traversal.leaves as ArrayBufferView[], null);
  }

  get size(): number {
    return this.#memory.length;
  }

  add(index: number, leaf: ArrayBufferView): void {
    this.#indices?.push(index);
    this.#memory.push(leaf);
  }

  addTensor(index: number, tensor: HostTensor): void {
    this.#hasTensors = true;
    if (tensor.isContiguous) {
      this.add(index, tensor.bytes);
      return;
    }
    const { shape, strides, offset } = tensor;
    this.#strided.push({ index: this.#memory.length, shape, strides, offset });
    this.add(index, tensor.data);
  }

  /** Bytes of each leaf's elements; one number where all have the same. */
  #elementSizes(type: ElementType | null): Uint8Array | number {
    if (type !== null && !this.#hasTensors) return type.bytes;
    return Uint8Array.from(this.#memory, (memory, number) => {
      const leaf = this.#traversal.leaves[this.#indices?.[number] ?? number];
      return leaf instanceof HostTensor ? elementBytes(leaf.dtype) : elementTypeOfView(memory).bytes;
    });
  }

  #request(options: NativeOptions | undefined, type: ElementType | null) {
    return {
      leaves: this.#memory,
      ...(this.#strided.length === 0 ? sizesOf(this.#memory, type) : undefined),
      elementSizes: this.#elementSizes(type),
      strided: this.#strided,
      options,
    };
  }

  #arguments(): readonly ArrayBufferView[] {
    return this.#memory.length > mostArguments ? this.#memory.slice(0, mostArguments) : this.#memory;
  }

  upload(device: string, { options, stream }: Route): Group {
    const type = commonArrayType(this.#memory);
    const request = { ...this.#request(options, type), device, stream: streamFor(device, stream) };
    const started = nativeCopies().copyUpload(request, ...this.#arguments());
    const common = this.#hasTensors ? undefined : type?.dtype;
    return deviceResults(started, device, this.#traversal, this.#indices, common);
  }

  duplicate({ options }: Route): Group {
    const started = nativeCopies().copyHost(
      this.#request(options, commonArrayType(this.#memory)),
      ...this.#arguments(),
    );
    return hostResults(started, this.#traversal, this.#indices);
  }
}
