/** Tensors of one device that travel together. */
import { elementBytes } from './dtypes.ts';
import { type DeviceLeaves, type NativeStorage, nativeCopies } from './nativeCopies.ts';
import { deviceResults, type Group, hostResults, type Member, type Route } from './results.ts';
import { streamFor } from './streams.ts';
import type { DeviceStorage, DeviceTensor } from './tensors.ts';

export class DeviceGroup {
  readonly #device: string;
  readonly #tensors: DeviceTensor[] = [];
  readonly #members: Member[] = [];

  constructor(device: string) {
    this.#device = device;
  }

  add(index: number, tensor: DeviceTensor): void {
    const { dtype, shape, byteLength } = tensor;
    this.#tensors.push(tensor);
    this.#members.push({ index, dtype, shape, bytes: byteLength });
  }

  /** Throws a CopyscopeError `copy.released`. */
  #leaves(): DeviceLeaves {
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
    return {
      storages,
      storageOf: Int32Array.from(this.#tensors, ({ storage }) => numberOf(storage)),
      offsets: Float64Array.from(this.#tensors, ({ byteOffset }) => byteOffset),
      bytes: Float64Array.from(this.#tensors, ({ byteLength }) => byteLength),
      elementSizes: Uint8Array.from(this.#tensors, ({ dtype }) => elementBytes(dtype)),
    };
  }

  download({ options, stream }: Route): Group {
    const device = this.#device;
    const request = { ...this.#leaves(), device, options, stream: streamFor(device, stream) };
    return hostResults(nativeCopies().copyDownload(request), this.#members);
  }

  sendTo(device: string, { options, stream }: Route): Group {
    const source = this.#device;
    const streams = { stream: streamFor(device, stream), sourceStream: streamFor(source, stream) };
    const started = nativeCopies().copyAcross({ ...this.#leaves(), device, source, options, ...streams });
    return deviceResults(started, device, this.#members);
  }
}
