/** The tensors made of what the addon answers. */
import { type Dtype, hostData } from './dtypes.ts';
import { nativeCopies, type StartedCopy, type StartedHostCopy } from './nativeCopies.ts';
import type { NativeOptions } from './options.ts';
import type { CopyStream } from './streams.ts';
import { DeviceStorage, DeviceTensor, HostTensor, markResult } from './tensors.ts';

export type Put = (index: number, result: unknown) => void;

/** How a group travels. */
export interface Route {
  readonly options: NativeOptions;
  readonly stream: CopyStream | undefined;
}

/** A group that is on its way. */
export interface Group {
  readonly started: StartedCopy;
  /** Puts the results; once the copy is done. */
  finish(put: Put): void;
  /** Lets go of the results' memory. The copy itself holds it until it has ended. */
  drop(): void;
}

/** A member of a group: its place among all leaves, and what its result is to be. */
export interface Member {
  readonly index: number;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly bytes: number;
}

/** Results on a device. Their objects are made while the data is on the wire. */
export function deviceResults(started: StartedCopy, device: string, members: readonly Member[]): Group {
  const storages = started.storages.map((storage) => new DeviceStorage(device, storage));
  const tensors = members.map(({ dtype, shape, bytes }, number) => {
    const storage = storages[started.storageOf[number] ?? -1] ?? null;
    return new DeviceTensor(storage, device, dtype, shape, started.offsets[number] ?? 0, bytes);
  });
  return {
    started,
    finish: (put) => {
      members.forEach(({ index }, number) => {
        put(index, tensors[number]);
      });
    },
    drop: () => {
      for (const storage of storages) storage.release();
    },
  };
}

/** Results on the host: small ones share an ArrayBuffer. */
export function hostResults(started: StartedHostCopy, members: readonly Member[]): Group {
  const finish = (put: Put): void => {
    const { buffers, external } = nativeCopies().copyBuffers(started.copy);
    if (external) for (const buffer of buffers) markResult(buffer, started.pinned);
    const empty = new ArrayBuffer(0);
    members.forEach(({ index, dtype, shape, bytes }, number) => {
      const buffer = buffers[started.storageOf[number] ?? -1] ?? empty;
      const data = hostData(dtype, buffer, started.offsets[number] ?? 0, bytes);
      put(index, new HostTensor({ data, dtype, shape }));
    });
  };
  return { started, finish, drop: () => undefined };
}
