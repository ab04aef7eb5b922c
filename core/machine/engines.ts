/** Engines of a device, and the time that passes between work on one and on another. */
import type { CostModel } from './costModel.ts';
import type { Step } from './step.ts';

/** Number of an engine: four per device. */
export type EngineIndex = number;

export const enginesPerDevice = 4;
const offsets = { h2d: 0, d2h: 1, peer: 2, compute: 3 } as const;
export type EngineName = keyof typeof offsets;
export const engineNames: readonly EngineName[] = ['h2d', 'd2h', 'peer', 'compute'];

/** For marks in a stream, which no engine executes. */
export const noEngine: EngineIndex = -1;
/** For a copy between two host buffers, which the calling thread does itself. */
export const hostEngine: EngineIndex = -2;
/** For host functions, which CUDA's own thread runs. */
export const functionEngine: EngineIndex = -3;

export const engineIndex = (device: number, name: EngineName): EngineIndex => device * enginesPerDevice + offsets[name];
export const deviceOf = (engine: EngineIndex): number => Math.floor(engine / enginesPerDevice);
export const isCompute = (engine: EngineIndex): boolean => engine >= 0 && engine % enginesPerDevice === offsets.compute;
export const isCopyEngine = (engine: EngineIndex): boolean => engine >= 0 && !isCompute(engine);

/** Time from the end of an operation on one engine to the earliest start of one that depends on it. */
export class Passing {
  readonly #computeNs: number;
  readonly #copyNs: number;
  readonly #acrossNs: number;
  readonly #acrossDevicesNs: number;
  readonly #wakeNs: number;
  readonly #functionNs: number;

  private constructor({ gaps }: CostModel, computeNs: number, wakeNs: number) {
    this.#computeNs = computeNs;
    this.#copyNs = gaps.copyNs;
    this.#acrossNs = gaps.acrossEnginesNs;
    this.#acrossDevicesNs = gaps.acrossDevicesNs;
    this.#functionNs = gaps.hostFunctionNs;
    this.#wakeNs = wakeNs;
  }

  static ofStreams(costs: CostModel): Passing {
    return new Passing(costs, costs.gaps.sameEngineNs, costs.wakeNs('device'));
  }

  /** In a graph, the kernels' times include the gap. */
  static ofGraphs(costs: CostModel): Passing {
    return new Passing(costs, 0, costs.wakeNs('device'));
  }

  /** Returns the gap after a copy on the compute channel, which a recorder makes as long as on a copy engine. */
  behind({ code, engine }: Pick<Step, 'code' | 'engine'>): number {
    return code === 'copy' && isCompute(engine) ? this.#copyNs : 0;
  }

  /** Returns the gap between two engines. Engines poll each other, so it hardly depends on the kind of dependency. */
  between(from: EngineIndex, to: EngineIndex): number {
    if (from === noEngine || to === noEngine) return 0;
    if (to === functionEngine) return from === functionEngine ? 0 : this.#functionNs;
    if (to === hostEngine) return from === hostEngine ? 0 : this.#wakeNs;
    if (from !== to) return deviceOf(from) === deviceOf(to) ? this.#acrossNs : this.#acrossDevicesNs;
    return isCompute(from) ? this.#computeNs : this.#copyNs;
  }
}
