/** Devices of a lifted program: the one in the id of each stream's lane, such as "stream:gpu1:7". */
import { freeName } from '../experiment/freeName.ts';
import { maxDevices } from '../experiment/resources.ts';
import type { Script } from './script.ts';

const ofLane = /^stream:(.*gpu\d+):/;

/** Returns the device in a lane's id; empty if it names none. */
export const deviceOf = (stream: string): string => ofLane.exec(stream)?.[1] ?? '';

/** Device ids in the experiment. */
export class DeviceNames {
  /** In order of their names; "gpu" if there is only one. */
  readonly ids: readonly string[];
  readonly #idOf: ReadonlyMap<string, string>;

  constructor({ steps }: Script) {
    const found = new Set<string>();
    for (const { items } of steps) {
      for (const item of items) if ('stream' in item && item.stream !== null) found.add(deviceOf(item.stream));
    }
    found.delete('');
    // A real program has no more devices than an experiment can declare. Any others become the first.
    const several = found.size < 2 ? [] : [...found].sort(byNumber).slice(0, maxDevices);
    this.#idOf = withIds(several);
    this.ids = several.length === 0 ? ['gpu'] : [...this.#idOf.values()];
  }

  /** Returns the device field of a stream, buffer or wait; empty for the first device. */
  named(device: string | undefined): { readonly device?: string } {
    const id = this.#idOf.get(device ?? '');
    return id === undefined ? {} : { device: id };
  }
}

const byNumber = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

function withIds(devices: readonly string[]): Map<string, string> {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  for (const device of devices) {
    const word = device.replace(/[^A-Za-z0-9_-]/g, '_').slice(-50);
    const id = freeName(/^[A-Za-z]/.test(word) ? word : `gpu${word}`, taken);
    taken.add(id);
    ids.set(device, id);
  }
  return ids;
}
