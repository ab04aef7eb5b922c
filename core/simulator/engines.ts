/** The engines of a device, numbered, and what passing from one to another costs. */
import type { DeviceProfile } from './profile.ts';

/** Number of an engine: three to a device. */
export type EngineIndex = number;

export const enginesPerDevice = 3;
const offsets = { h2d: 0, d2h: 1, compute: 2 } as const;
export type EngineName = keyof typeof offsets;
export const engineNames: readonly EngineName[] = ['h2d', 'd2h', 'compute'];

/** Marks in a stream, which no engine executes. */
export const noEngine: EngineIndex = -1;
/** A copy between two host buffers, which the calling thread does itself. */
export const hostEngine: EngineIndex = -2;

export const engineIndex = (device: number, name: EngineName): EngineIndex => device * enginesPerDevice + offsets[name];

/** From the end of an operation on one engine to the earliest start of one that depends on it. */
export class Gaps {
  readonly #sameNs: number;
  readonly #acrossNs: number;
  readonly #wakeNs: number;

  constructor(profile: DeviceProfile) {
    this.#sameNs = profile.queue.sameEngineNs;
    this.#acrossNs = profile.queue.acrossEnginesNs;
    this.#wakeNs = profile.calls.wakeNs;
  }

  between(from: EngineIndex, to: EngineIndex): number {
    if (from === noEngine || to === noEngine) return 0;
    if (to === hostEngine) return from === hostEngine ? 0 : this.#wakeNs;
    if (from !== to) return this.#acrossNs;
    // Copy engines' times hold the gap to the copy behind already: they are what copies in a row take each.
    return from % enginesPerDevice === offsets.compute ? this.#sameNs : 0;
  }
}
