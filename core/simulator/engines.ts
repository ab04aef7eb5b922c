/** The engines of a device, numbered, and what passing from one to another costs. */
import type { DeviceProfile } from './profile.ts';

/** Number of an engine: four to a device. */
export type EngineIndex = number;

export const enginesPerDevice = 4;
const offsets = { h2d: 0, d2h: 1, peer: 2, compute: 3 } as const;
export type EngineName = keyof typeof offsets;
export const engineNames: readonly EngineName[] = ['h2d', 'd2h', 'peer', 'compute'];

/** Marks in a stream, which no engine executes. */
export const noEngine: EngineIndex = -1;
/** A copy between two host buffers, which the calling thread does itself. */
export const hostEngine: EngineIndex = -2;
/** CUDA's own thread, which runs host functions. */
export const functionEngine: EngineIndex = -3;
/** What lies behind an event: in its own stream, and as other streams see it. Each counts down from here by engine. */
const ownEvent = -1000;
const otherEvent = -1_000_000;

export const engineIndex = (device: number, name: EngineName): EngineIndex => device * enginesPerDevice + offsets[name];
export const deviceOf = (engine: EngineIndex): number => Math.floor(engine / enginesPerDevice);
export const isCompute = (engine: EngineIndex): boolean => engine >= 0 && engine % enginesPerDevice === offsets.compute;
const isHost = (engine: EngineIndex): boolean => engine === hostEngine || engine === functionEngine;
export const isCopyEngine = (engine: EngineIndex): boolean => engine >= 0 && !isCompute(engine);

/** The engine of what lies behind an event, or that of what doesn't. */
function beforeEvent(via: EngineIndex): EngineIndex {
  if (via > ownEvent) return via;
  return (via > otherEvent ? ownEvent : otherEvent) - via;
}

/**
 * Streams that a device's compute channel comes to before it is back at the one whose work has just ended there, counted as
 * many times as a stream takes longer; 0 where it has nothing else to do.
 */
export type TurnsOf = (device: number) => number;

/** From the end of an operation on one engine to the earliest start of one that depends on it. */
export class Gaps {
  readonly #computeNs: number;
  readonly #turnNs: number;
  readonly #turnsOf: TurnsOf;
  readonly #copyNs: number;
  readonly #acrossNs: number;
  readonly #throughEventNs: number | null;
  readonly #eventNs: number;
  readonly #launchGapNs: number;
  readonly #wakeNs: number;
  readonly #functionNs: number;
  readonly #functionBehindNs: number;
  readonly #nextFunctionNs: number;

  /** What an operation is taken to follow that comes behind an event behind `engine`: of its own stream, or of another. */
  behindEvent(via: EngineIndex, own: boolean): EngineIndex {
    const engine = beforeEvent(via);
    return engine < 0 ? engine : (own ? ownEvent : otherEvent) - engine;
  }

  private constructor(profile: DeviceProfile, computeNs: number, copyNs: number, turnsOf: TurnsOf | null) {
    this.#computeNs = computeNs;
    this.#turnNs = turnsOf === null ? 0 : (profile.queue.turnNs ?? 0);
    this.#turnsOf = turnsOf ?? (() => 0);
    this.#copyNs = copyNs;
    this.#acrossNs = profile.queue.acrossEnginesNs;
    this.#throughEventNs = profile.queue.throughEventNs ?? null;
    this.#eventNs = profile.queue.eventNs;
    this.#launchGapNs = profile.graph.launchGapNs ?? 0;
    this.#wakeNs = profile.calls.wakeNs;
    this.#functionNs = profile.hostFunction.startNs;
    this.#functionBehindNs = profile.hostFunction.behindWorkNs ?? profile.hostFunction.startNs;
    this.#nextFunctionNs = profile.hostFunction.gapNs;
  }

  /** Copies' times mostly hold the gap to the copy behind: they are what copies in a row take each. */
  static ofStreams(profile: DeviceProfile, turnsOf: TurnsOf): Gaps {
    return new Gaps(profile, profile.queue.sameEngineNs, profile.queue.copyGapNs ?? 0, turnsOf);
  }

  /** In a graph it is the kernels' times that hold it. */
  static ofGraphs(profile: DeviceProfile): Gaps {
    return new Gaps(profile, 0, profile.graph.copyGapNs, null);
  }

  /** What a launched graph's first kernels follow later than others would what was in their stream. */
  beforeGraph(via: EngineIndex, to: EngineIndex): number {
    return isCompute(to) && beforeEvent(via) === to ? this.#launchGapNs : 0;
  }

  /** From an operation's arrival at the device to the earliest moment at which `to` can have it. */
  onArrival(to: EngineIndex): number {
    return to === functionEngine ? this.#functionNs : 0;
  }

  /**
   * Engines wait for each other by looking now and then, so what lies between hardly depends on how they wait; an event
   * of another stream makes it longer, and one within an engine takes its own time.
   */
  between(from: EngineIndex, to: EngineIndex): number {
    if (from === noEngine || to === noEngine) return 0;
    if (from <= ownEvent) {
      const isOwn = from > otherEvent;
      const engine = beforeEvent(from);
      if (engine === to) return this.between(engine, to) + this.#eventNs;
      return isOwn || isHost(to) ? this.between(engine, to) : (this.#throughEventNs ?? this.#acrossNs);
    }
    if (to === functionEngine) return from === functionEngine ? this.#nextFunctionNs : this.#functionBehindNs;
    if (to === hostEngine) return from === hostEngine ? 0 : this.#wakeNs;
    if (from !== to) return this.#acrossNs;
    if (!isCompute(from)) return this.#copyNs;
    return this.#turnNs === 0 ? this.#computeNs : this.#computeNs + this.#turnNs * this.#turnsOf(deviceOf(from));
  }
}
