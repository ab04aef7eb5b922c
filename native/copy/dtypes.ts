/** Element types of tensors with PyTorch's names, and their typed arrays. */

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

/** `perElement`: number of typed-array values in one element. */
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

function typeOf(dtype: Dtype): ElementType {
  const { array, perElement } = table[dtype];
  return { dtype, array, perElement, bytes: array.BYTES_PER_ELEMENT * perElement };
}

const elementTypes = new Map<string, ElementType>(dtypes.map((dtype) => [dtype, typeOf(dtype)]));

/** Returns undefined for an unknown dtype. */
export const elementTypeOf = (dtype: string): ElementType | undefined => elementTypes.get(dtype);

/** Returns the bytes of one element. */
export const elementBytes = (dtype: Dtype): number => elementTypes.get(dtype)?.bytes ?? 1;

const bytesType = typeOf('uint8');
const typeByTag = new Map<unknown, ElementType>([
  ['Uint8Array', bytesType],
  ['DataView', bytesType],
  ['Uint8ClampedArray', typeOf('uint8_clamped')],
  ['Int8Array', typeOf('int8')],
  ['Uint16Array', typeOf('uint16')],
  ['Int16Array', typeOf('int16')],
  ['Uint32Array', typeOf('uint32')],
  ['Int32Array', typeOf('int32')],
  ['Float32Array', typeOf('float32')],
  ['BigUint64Array', typeOf('uint64')],
  ['BigInt64Array', typeOf('int64')],
  ['Float64Array', typeOf('float64')],
]);
// Caches the last type: most batches have one type, and looking it up costs as much as all other work for a leaf. V8
// has the tag at once; the constructor takes three times as long, and byteLength eight times as long as length.
let lastTag: unknown;
let lastType = bytesType;

const tagOf = (view: ArrayBufferView): unknown => (view as Uint8Array)[Symbol.toStringTag];

/** Returns the element type of a typed array, Buffer or DataView; bytes for newer kinds. */
export function elementTypeOfView(view: ArrayBufferView): ElementType {
  const tag = tagOf(view);
  if (tag !== lastTag) {
    lastType = typeByTag.get(tag) ?? bytesType;
    lastTag = tag;
  }
  return lastType;
}

/** Returns the type that all typed arrays share, or null for other data and an empty list. */
export function commonArrayType(views: readonly ArrayBufferView[]): ElementType | null {
  const [first] = views;
  if (first === undefined || first instanceof DataView) return null;
  const tag = tagOf(first);
  for (const view of views) if (tagOf(view) !== tag) return null;
  return typeByTag.get(tag) ?? null;
}

export const dtypeOf = (view: ArrayBufferView): Dtype => elementTypeOfView(view).dtype;

/** Returns a typed array of this dtype over a part of a buffer. */
export function hostData(dtype: Dtype, buffer: ArrayBufferLike, byteOffset: number, byteLength: number): HostData {
  const array: TypedArrayType = table[dtype].array;
  return new array(buffer, byteOffset, byteLength / array.BYTES_PER_ELEMENT);
}
