/** Tensors made from the addon's answers. */
import { type Dtype, elementTypeOfView, hostData } from './dtypes.ts';
import { nativeCopies, type StartedCopy, type StartedHostCopy } from './nativeCopies.ts';
import type { NativeOptions } from './options.ts';
import type { CopyStream } from './streams.ts';
import { DeviceStorage, DeviceTensor, HostTensor, markResult } from './tensors.ts';
import type { TensorLeaf, Traversal } from './traverse.ts';

/** Options and stream of a group. */
export interface Route {
  readonly options: NativeOptions | undefined;
  readonly stream: CopyStream | undefined;
}

/** A group under way. */
export interface Group {
  readonly started: StartedCopy;
  /** Puts the results that could not be made before, once the copy is done. */
  finish(): void;
  /** Releases the results' memory. The copy itself holds it until it has ended. */
  drop(): void;
}

/** Indices of the leaves in a group; null for all. */
export type Indices = readonly number[] | null;

/**
 * Puts results on a device into their places while the data is on the wire, since nobody sees them before the copy is
 * done. `common` is the dtype of all leaves if they are known to be views of one type.
 */
export function deviceResults(
  started: StartedCopy,
  device: string,
  traversal: Traversal,
  indices: Indices,
  common?: Dtype,
): Group {
  const storages = started.storages.map((storage) => new DeviceStorage(device, storage));
  const { storageOf, offsets, bytes } = started;
  const leaves = leavesOf(traversal, indices);
  const kinds = common === undefined ? kindsOf(leaves) : { dtypes: common, shapes: [] };
  const batch = { device, offsets, bytes, ...kinds };
  const tensor = (number: number) => new DeviceTensor(storages[storageOf[number] ?? -1] ?? null, batch, number);
  if (indices === null) traversal.putEach(tensor);
  else for (const [number, index] of indices.entries()) traversal.put(index, tensor(number));
  const drop = (): void => {
    for (const storage of storages) storage.release();
  };
  return { started, finish: () => undefined, drop };
}

/** Puts results on the host. Small ones share an ArrayBuffer. */
export function hostResults(started: StartedHostCopy, traversal: Traversal, indices: Indices): Group {
  const leaves = leavesOf(traversal, indices);
  const finish = (): void => {
    const { buffers, external } = nativeCopies().copyBuffers(started.copy);
    if (external) for (const buffer of buffers) markResult(buffer, started.pinned);
    const empty = new ArrayBuffer(0);
    const { storageOf, offsets, bytes } = started;
    for (const [number, leaf] of leaves.entries()) {
      const { dtype, shape } = kindOf(leaf);
      const buffer = buffers[storageOf[number] ?? -1] ?? empty;
      const data = hostData(dtype, buffer, offsets[number] ?? 0, bytes[number] ?? 0);
      traversal.put(indices?.[number] ?? number, new HostTensor({ data, dtype, shape }));
    }
  };
  return { started, finish, drop: () => undefined };
}

const leavesOf = ({ leaves }: Traversal, indices: Indices): readonly TensorLeaf[] =>
  indices === null ? leaves : indices.map((index) => leaves[index] as TensorLeaf);

const isView = (leaf: TensorLeaf): leaf is ArrayBufferView => ArrayBuffer.isView(leaf);

/** Returns the kind of a leaf. A view has no shape here; its tensor makes it. */
const kindOf = (leaf: TensorLeaf): { readonly dtype: Dtype; readonly shape: readonly number[] | undefined } =>
  isView(leaf) ? { dtype: elementTypeOfView(leaf).dtype, shape: undefined } : leaf;
const dtypeOfLeaf = (leaf: TensorLeaf): Dtype => (isView(leaf) ? elementTypeOfView(leaf).dtype : leaf.dtype);

const kindsOf = (leaves: readonly TensorLeaf[]) => ({ dtypes: dtypesOf(leaves), shapes: shapesOf(leaves) });

/** Returns the dtype that all leaves share, or each leaf's own. */
function dtypesOf(leaves: readonly TensorLeaf[]): Dtype | readonly Dtype[] {
  const [first] = leaves;
  const common = first === undefined ? 'uint8' : dtypeOfLeaf(first);
  for (const leaf of leaves) if (dtypeOfLeaf(leaf) !== common) return leaves.map(dtypeOfLeaf);
  return common;
}

/** Returns the shapes; views have one dimension. */
function shapesOf(leaves: readonly TensorLeaf[]): readonly (readonly number[] | undefined)[] {
  const hasTensors = leaves.some((leaf) => !isView(leaf));
  return hasTensors ? leaves.map((leaf) => (isView(leaf) ? undefined : leaf.shape)) : [];
}
