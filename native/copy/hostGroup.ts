/** Leaves in host memory that travel together. */
import { type Dtype, dtypeOf, elementBytes } from './dtypes.ts';
import { nativeCopies, type StridedLeaf } from './nativeCopies.ts';
import type { NativeOptions } from './options.ts';
import { deviceResults, type Group, hostResults, type Member, type Route } from './results.ts';
import { streamFor } from './streams.ts';
import { HostTensor } from './tensors.ts';

export class HostGroup {
  readonly #indices: number[] = [];
  readonly #sources: (ArrayBufferView | HostTensor)[] = [];
  readonly #leaves: ArrayBufferView[] = [];
  readonly #dtypes: Dtype[] = [];
  readonly #strided: StridedLeaf[] = [];

  get size(): number {
    return this.#indices.length;
  }

  add(index: number, leaf: ArrayBufferView | HostTensor): void {
    this.#indices.push(index);
    this.#sources.push(leaf);
    if (leaf instanceof HostTensor) {
      this.#addTensor(leaf);
      return;
    }
    this.#leaves.push(leaf);
    this.#dtypes.push(dtypeOf(leaf));
  }

  #addTensor(tensor: HostTensor): void {
    const { dtype, shape, strides, offset } = tensor;
    this.#dtypes.push(dtype);
    if (tensor.isContiguous) {
      this.#leaves.push(tensor.bytes);
      return;
    }
    this.#strided.push({ index: this.#leaves.length, shape, strides, offset });
    this.#leaves.push(tensor.data);
  }

  #request(options: NativeOptions) {
    const elementSizes = Uint8Array.from(this.#dtypes, elementBytes);
    return { leaves: this.#leaves, elementSizes, strided: this.#strided, options };
  }

  /** Made while the data is on the wire. */
  #members(): Member[] {
    return this.#sources.map((source, number) => {
      const index = this.#indices[number] ?? 0;
      const dtype = this.#dtypes[number] ?? 'uint8';
      const bytes = source.byteLength;
      const shape = source instanceof HostTensor ? source.shape : [bytes / elementBytes(dtype)];
      return { index, dtype, shape, bytes };
    });
  }

  upload(device: string, { options, stream }: Route): Group {
    const request = { ...this.#request(options), device, stream: streamFor(device, stream) };
    return deviceResults(nativeCopies().copyUpload(request), device, this.#members());
  }

  duplicate({ options }: Route): Group {
    return hostResults(nativeCopies().copyHost(this.#request(options)), this.#members());
  }
}
