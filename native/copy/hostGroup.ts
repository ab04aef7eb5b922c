/** Leaves in host memory that are copied together. */
import { commonArrayType, type ElementType, elementBytes, elementTypeOfView } from './dtypes.ts';
import { nativeCopies, type StridedLeaf } from './nativeCopies.ts';
import type { NativeOptions } from './options.ts';
import { deviceResults, type Group, hostResults, type Route } from './results.ts';
import { streamFor } from './streams.ts';
import { HostTensor } from './tensors.ts';
import type { Traversal } from './traverse.ts';

/** Number of leaves passed to the addon as arguments, by far the fastest way; the stack holds no more. */
const mostArguments = 8192;

/** Reused, since the addon reads it within its call. */
let sizes = new Float64Array(1024);

/**
 * Returns the bytes of each view and of all. `type` is the type of all elements, if they share one. Values after the
 * views' sizes mean nothing.
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

  /** Makes a group of all leaves, which are views only and need no work each. */
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

  /** Returns the element size of each leaf, or one number if all are equal. */
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
