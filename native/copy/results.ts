/** The tensors made of what the addon answers. */
import { type Dtype, elementTypeOfView, hostData } from './dtypes.ts';
import { nativeCopies, type StartedCopy, type StartedHostCopy } from './nativeCopies.ts';
import type { NativeOptions } from './options.ts';
import type { CopyStream } from './streams.ts';
import { DeviceStorage, DeviceTensor, HostTensor, markResult } from './tensors.ts';
import type { TensorLeaf, Traversal } from './traverse.ts';

/** How a group travels. */
export interface Route {
  readonly options: NativeOptions;
  readonly stream: CopyStream | undefined;
}

/** A group that is on its way. */
export interface Group {
  readonly started: StartedCopy;
  /** Puts what of the results could not be made before; once the copy is done. */
  finish(): void;
  /** Lets go of the results' memory. The copy itself holds it until it has ended. */
  drop(): void;
}

/** Which leaves a group holds; null for all. */
export type Indices = readonly number[] | null;

/** Results on a device, put into their places while the data is on the wire: nobody sees them before the copy is done. */
export function deviceResults(started: StartedCopy, device: string, traversal: Traversal, indices: Indices): Group {
  const storages = started.storages.map((storage) => new DeviceStorage(device, storage));
  const { storageOf, offsets } = started;
  for (let number = 0; number < storageOf.length; number += 1) {
    const index = indices?.[number] ?? number;
    const leaf = traversal.leaves[index];
    if (leaf === undefined) continue;
    const storage = storages[storageOf[number] ?? -1] ?? null;
    const offset = offsets[number] ?? 0;
    const bytes = leaf.byteLength;
    traversal.put(index, new DeviceTensor(storage, device, dtypeOfLeaf(leaf), shapeOf(leaf, bytes), offset, bytes));
  }
  const drop = (): void => {
    for (const storage of storages) storage.release();
  };
  return { started, finish: () => undefined, drop };
}

/** Results on the host: small ones share an ArrayBuffer. */
export function hostResults(started: StartedHostCopy, traversal: Traversal, indices: Indices): Group {
  const finish = (): void => {
    const { buffers, external } = nativeCopies().copyBuffers(started.copy);
    if (external) for (const buffer of buffers) markResult(buffer, started.pinned);
    const empty = new ArrayBuffer(0);
    const { storageOf, offsets } = started;
    for (let number = 0; number < storageOf.length; number += 1) {
      const index = indices?.[number] ?? number;
      const leaf = traversal.leaves[index];
      if (leaf === undefined) continue;
      const dtype = dtypeOfLeaf(leaf);
      const bytes = leaf.byteLength;
      const data = hostData(dtype, buffers[storageOf[number] ?? -1] ?? empty, offsets[number] ?? 0, bytes);
      traversal.put(index, new HostTensor({ data, dtype, shape: shapeOf(leaf, bytes) }));
    }
  };
  return { started, finish, drop: () => undefined };
}

const isView = (leaf: TensorLeaf): leaf is ArrayBufferView => ArrayBuffer.isView(leaf);
const dtypeOfLeaf = (leaf: TensorLeaf): Dtype => (isView(leaf) ? elementTypeOfView(leaf).dtype : leaf.dtype);
const shapeOf = (leaf: TensorLeaf, bytes: number): readonly number[] =>
  isView(leaf) ? [bytes / elementTypeOfView(leaf).bytes] : leaf.shape;
