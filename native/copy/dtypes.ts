/** Element types of tensors, named as PyTorch names them, and the typed arrays that hold them. */

interface TypedArrayType {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): HostData;
}

export type HostData =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** `perElement`: values of the typed array that make up one element. */
const table = {
  uint8: { array: Uint8Array, perElement: 1 },
  uint8_clamped: { array: Uint8ClampedArray, perElement: 1 },
  int8: { array: Int8Array, perElement: 1 },
  bool: { array: Uint8Array, perElement: 1 },
  uint16: { array: Uint16Array, perElement: 1 },
  int16: { array: Int16Array, perElement: 1 },
  float16: { array: Uint16Array, perElement: 1 },
  bfloat16: { array: Uint16Array, perElement: 1 },
  uint32: { array: Uint32Array, perElement: 1 },
  int32: { array: Int32Array, perElement: 1 },
  float32: { array: Float32Array, perElement: 1 },
  uint64: { array: BigUint64Array, perElement: 1 },
  int64: { array: BigInt64Array, perElement: 1 },
  float64: { array: Float64Array, perElement: 1 },
  complex64: { array: Float32Array, perElement: 2 },
  complex128: { array: Float64Array, perElement: 2 },
} as const satisfies Record<string, { array: TypedArrayType; perElement: number }>;

export type Dtype = keyof typeof table;
export const dtypes = Object.keys(table) as Dtype[];

export interface ElementType {
  readonly dtype: Dtype;
  readonly bytes: number;
  readonly perElement: number;
  readonly array: TypedArrayType;
}

const elementTypes = new Map<string, ElementType>(
  Object.entries(table).map(([dtype, { array, perElement }]) => [
    dtype,
    { dtype: dtype as Dtype, array, perElement, bytes: array.BYTES_PER_ELEMENT * perElement },
  ]),
);

/** Undefined for what is no dtype. */
export const elementTypeOf = (dtype: string): ElementType | undefined => elementTypes.get(dtype);

/** Bytes of one element. */
export const elementBytes = (dtype: Dtype): number => elementTypes.get(dtype)?.bytes ?? 1;

const byConstructor = new Map<unknown, Dtype>([
  [Uint8Array, 'uint8'],
  [Buffer, 'uint8'],
  [DataView, 'uint8'],
  [Uint8ClampedArray, 'uint8_clamped'],
  [Int8Array, 'int8'],
  [Uint16Array, 'uint16'],
  [Int16Array, 'int16'],
  [Uint32Array, 'uint32'],
  [Int32Array, 'int32'],
  [Float32Array, 'float32'],
  [BigUint64Array, 'uint64'],
  [BigInt64Array, 'int64'],
  [Float64Array, 'float64'],
]);

/** The dtype of a typed array, Buffer or DataView; bytes for a class derived from one, or one of a newer kind. */
export const dtypeOf = (view: ArrayBufferView): Dtype => byConstructor.get(view.constructor) ?? 'uint8';

/** A typed array of this dtype over part of a buffer. */
export function hostData(dtype: Dtype, buffer: ArrayBufferLike, byteOffset: number, byteLength: number): HostData {
  const array: TypedArrayType = table[dtype].array;
  return new array(buffer, byteOffset, byteLength / array.BYTES_PER_ELEMENT);
}
