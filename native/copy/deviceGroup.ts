/** Tensors of one device that are copied together. */
import { elementBytes } from './dtypes.ts';
import { type DeviceLeaves, type NativeStorage, nativeCopies } from './nativeCopies.ts';
import { deviceResults, type Group, hostResults, type Route } from './results.ts';
import { streamFor } from './streams.ts';
import type { DeviceStorage, DeviceTensor } from './tensors.ts';
import type { Traversal } from './traverse.ts';

export class DeviceGroup {
  readonly #device: string;
  readonly #traversal: Traversal;
  readonly #indices: number[] = [];
  readonly #tensors: DeviceTensor[] = [];

  constructor(device: string, traversal: Traversal) {
    this.#device = device;
    this.#traversal = traversal;
  }

  add(index: number, tensor: DeviceTensor): void {
    this.#indices.push(index);
    this.#tensors.push(tensor);
  }

  /** Throws a CopyscopeError `copy.released`. */
  leaves(): DeviceLeaves {
    const numbers = new Map<DeviceStorage, number>();
    const storages: NativeStorage[] = [];
    const numberOf = (storage: DeviceStorage | null): number => {
      if (storage === null) return -1;
      let number = numbers.get(storage);
      if (number === undefined) {
        number = storages.push(storage.native) - 1;
        numbers.set(storage, number);
      }
      return number;
    };
    const count = this.#tensors.length;
    const storageOf = new Int32Array(count);
    const offsets = new Float64Array(count);
    const bytes = new Float64Array(count);
    const elementSizes = new Uint8Array(count);
    for (const [number, tensor] of this.#tensors.entries()) {
      storageOf[number] = numberOf(tensor.storage);
      offsets[number] = tensor.byteOffset;
      bytes[number] = tensor.byteLength;
      elementSizes[number] = elementBytes(tensor.dtype);
    }
    return { storages, storageOf, offsets, bytes, elementSizes };
  }

  download({ options, stream }: Route): Group {
    const device = this.#device;
    const request = { ...this.leaves(), device, options, stream: streamFor(device, stream) };
    return hostResults(nativeCopies().copyDownload(request), this.#traversal, this.#indices);
  }

  sendTo(device: string, { options, stream }: Route): Group {
    const source = this.#device;
    const streams = { stream: streamFor(device, stream), sourceStream: streamFor(source, stream) };
    const started = nativeCopies().copyAcross({ ...this.leaves(), device, source, options, ...streams });
    return deviceResults(started, device, this.#traversal, this.#indices);
  }
}
