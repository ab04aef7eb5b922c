/** Tensors on the host and on devices: memory with a dtype and a shape. */
import { CopyscopeError } from '../../core/errors.ts';
import { type Dtype, dtypeOf, elementBytes, elementTypeOf } from './dtypes.ts';
import { type NativeStorage, nativeCopies } from './nativeCopies.ts';

const productOf = (shape: readonly number[]): number => shape.reduce((product, length) => product * length, 1);

/** Returns an error `copy.bad-tensor`. */
export function badTensor(field: string, message: string, remedy: string): CopyscopeError {
  return new CopyscopeError({ code: 'copy.bad-tensor', field, message, remedy });
}

const mostDimensions = 64;

function requireShape(shape: readonly number[]): void {
  if (shape.length > mostDimensions) {
    throw badTensor('shape', `${shape.length} dimensions are too many.`, `Give at most ${mostDimensions}.`);
  }
  const bad = shape.find((length) => !(Number.isSafeInteger(length) && length >= 0));
  if (bad !== undefined) throw badTensor('shape', `${bad} is no length.`, 'Give whole numbers from 0.');
}

/** Throws if the bytes can't be counted, since a broadcast tensor has more bytes than its data. */
function requireCountable(shape: readonly number[], elementBytes: number): void {
  if (Number.isSafeInteger(productOf(shape) * elementBytes)) return;
  throw badTensor('shape', `A tensor of shape [${shape}] has too many bytes.`, 'Give one of fewer than 2^53.');
}

/** An allocation on a device that tensors share. It returns to its pool with the last of them, or by release(). */
export class DeviceStorage {
  readonly device: string;
  #native: NativeStorage | null;

  constructor(device: string, native: NativeStorage) {
    this.device = device;
    this.#native = native;
  }

  /** Throws a CopyscopeError `copy.released` after release(). */
  get native(): NativeStorage {
    if (this.#native !== null) return this.#native;
    throw new CopyscopeError({
      code: 'copy.released',
      message: 'The memory of this tensor was released.',
      remedy: 'Release results only when nothing needs them any more.',
    });
  }

  get isReleased(): boolean {
    return this.#native === null;
  }

  /** Frees the memory now. Every tensor in this storage is unusable from then on. */
  release(): void {
    if (this.#native === null) return;
    nativeCopies().copyRelease(this.#native);
    this.#native = null;
  }
}

/** The results of one copy on a device. Lists have one element per result. */
export interface DeviceBatch {
  readonly device: string;
  readonly offsets: ArrayLike<number>;
  readonly bytes: ArrayLike<number>;
  /** One dtype for all, or one for each. */
  readonly dtypes: Dtype | readonly Dtype[];
  /** Undefined for a tensor of one dimension. */
  readonly shapes: readonly (readonly number[] | undefined)[];
}

/**
 * A contiguous tensor on a device. startCopy makes a thousand at once, so a tensor's properties stay with its batch
 * until they are read.
 */
export class DeviceTensor {
  /** Null for a tensor without elements. */
  readonly storage: DeviceStorage | null;
  readonly #batch: DeviceBatch;
  readonly #number: number;

  constructor(storage: DeviceStorage | null, batch: DeviceBatch, number: number) {
    this.storage = storage;
    this.#batch = batch;
    this.#number = number;
  }

  get device(): string {
    return this.#batch.device;
  }

  get dtype(): Dtype {
    const { dtypes } = this.#batch;
    return typeof dtypes === 'string' ? dtypes : (dtypes[this.#number] ?? 'uint8');
  }

  get shape(): readonly number[] {
    return this.#batch.shapes[this.#number] ?? [this.byteLength / elementBytes(this.dtype)];
  }

  /** Offset of the tensor in its storage. */
  get byteOffset(): number {
    return this.#batch.offsets[this.#number] ?? 0;
  }

  get byteLength(): number {
    return this.#batch.bytes[this.#number] ?? 0;
  }

  /** Returns rows `begin` to `end` - 1 of the first dimension, over the same memory. */
  rows(begin: number, end: number): DeviceTensor {
    const [count, ...rest] = this.shape;
    const valid = count !== undefined && Number.isInteger(begin) && Number.isInteger(end);
    if (!valid || begin < 0 || begin > end || end > count) {
      throw badTensor('begin', `There are no rows ${begin} to ${end} in [${this.shape}].`, 'Stay within the tensor.');
    }
    const rowBytes = productOf(rest) * elementBytes(this.dtype);
    const { device, dtype, byteOffset } = this;
    const part: DeviceBatch = {
      device,
      offsets: [byteOffset + begin * rowBytes],
      bytes: [(end - begin) * rowBytes],
      dtypes: dtype,
      shapes: [[end - begin, ...rest]],
    };
    return new DeviceTensor(this.storage, part, 0);
  }
}

export interface HostTensorInit {
  /** Memory of the elements. A DataView or Buffer counts as bytes. */
  readonly data: ArrayBufferView;
  /** Default: that of `data`. */
  readonly dtype?: Dtype;
  /** Default: one dimension with all elements. */
  readonly shape?: readonly number[] | undefined;
  /** Distance in elements between neighbours in each dimension. Default: contiguous. */
  readonly strides?: readonly number[];
  /** First element of the tensor in `data`. Default: 0. */
  readonly offset?: number;
}

/** A tensor in host memory: a view that may be strided. */
export class HostTensor {
  readonly data: ArrayBufferView;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;

  /** Throws a CopyscopeError `copy.bad-tensor` if elements are outside `data`. */
  constructor({ data, dtype = dtypeOf(data), shape, strides, offset = 0 }: HostTensorInit) {
    const type = elementTypeOf(dtype);
    if (type === undefined) throw badTensor('dtype', `${dtype} is no dtype.`, 'Name one as PyTorch does: float32.');
    const elements = data.byteLength / type.bytes;
    if (shape === undefined && !Number.isInteger(elements)) {
      throw badTensor('data', `${data.byteLength} bytes are no whole number of ${dtype}.`, 'Give whole elements.');
    }
    this.data = data;
    this.dtype = dtype;
    this.shape = shape ?? [elements - offset];
    requireShape(this.shape);
    requireCountable(this.shape, type.bytes);
    this.strides = strides ?? contiguousStrides(this.shape);
    this.offset = offset;
    if (strides === undefined && offset === 0 && productOf(this.shape) <= elements) return;
    this.#requireWithin(Math.floor(elements));
  }

  /** True if the elements are consecutive in the order of their indices. */
  get isContiguous(): boolean {
    if (productOf(this.shape) === 0) return true;
    const wanted = contiguousStrides(this.shape);
    return this.shape.every((length, dimension) => length <= 1 || this.strides[dimension] === wanted[dimension]);
  }

  get byteLength(): number {
    return productOf(this.shape) * elementBytes(this.dtype);
  }

  /** True if the memory is page-locked, so that copies from it need no staging. */
  get isPinned(): boolean {
    return isPinned(this.data);
  }

  /** Bytes of the elements; only for a contiguous tensor. */
  get bytes(): Uint8Array {
    if (this.byteLength === 0) return new Uint8Array(0);
    const start = this.data.byteOffset + this.offset * elementBytes(this.dtype);
    return new Uint8Array(this.data.buffer, start, this.byteLength);
  }

  #requireWithin(elements: number): void {
    const { shape, strides, offset } = this;
    if (strides.length !== shape.length || !strides.every(Number.isSafeInteger)) {
      throw badTensor(
        'strides',
        `[${strides}] doesn't fit the shape [${shape}].`,
        'Give one whole number a dimension.',
      );
    }
    if (!Number.isSafeInteger(offset) || offset < 0) {
      throw badTensor('offset', `${offset} is no element.`, 'Give a whole number from 0.');
    }
    if (productOf(shape) === 0) return;
    const reach = (sign: number): number =>
      shape.reduce((sum, length, dimension) => {
        const stride = strides[dimension] ?? 0;
        return Math.sign(stride) === sign ? sum + (length - 1) * stride : sum;
      }, offset);
    if (reach(-1) < 0 || reach(1) >= elements) {
      throw badTensor(
        'shape',
        `A tensor of shape [${shape}] with strides [${strides}] from element ${offset} on leaves its ${elements} elements.`,
        'Give a shape and strides that stay within the data.',
      );
    }
  }
}

export function contiguousStrides(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let dimension = shape.length - 1; dimension >= 0; dimension -= 1) {
    strides[dimension] = stride;
    stride *= shape[dimension] ?? 1;
  }
  return strides;
}

const pinnedBuffers = new WeakSet<ArrayBufferLike>();
const resultBuffers = new WeakSet<ArrayBufferLike>();

export function markResult(buffer: ArrayBufferLike, pinned: boolean): void {
  resultBuffers.add(buffer);
  if (pinned) pinnedBuffers.add(buffer);
}

/** Detaches the buffer if a copy made it: every tensor over it is empty from then on. */
export function releaseBuffer(buffer: ArrayBufferLike): void {
  if (!resultBuffers.delete(buffer) || !(buffer instanceof ArrayBuffer)) return;
  nativeCopies().copyDetach(buffer);
}

/** Returns true if the memory came page-locked from this library. */
export const isPinned = (view: ArrayBufferView): boolean => pinnedBuffers.has(view.buffer);

/** Returns page-locked host memory, from which copies need no staging. It returns to its pool with the buffer. */
export function pinnedBuffer(bytes: number, device = 'cuda:0'): ArrayBuffer {
  const buffer = nativeCopies().copyPinned(device, bytes);
  markResult(buffer, true);
  return buffer;
}
