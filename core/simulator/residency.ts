/**
 * How much of what the host copies still lies in its caches. Others use them too, so what nothing has touched for some
 * milliseconds comes from memory: on an H200 machine pageable memory that had been touched 2 ms before was staged at 12 to
 * 14 GB/s, what had been touched 4 ms before at 9, and 9 ms before at 6 (test/fixtures: loader-2 and offload-2 of blind3,
 * pageable-source of corpus2).
 */
import type { Program } from '../program/program.ts';
import { payloadOf } from './multiCopyPlan.ts';
import { flushesCaches } from './preparation.ts';
import type { DeviceProfile } from './profile.ts';

/** The tensors of a multi-tensor copy that a host thread copies or the driver stages one by one. */
interface Round {
  readonly payload: number;
  /** Bytes that this time round leaves. */
  left: number;
  /** When the last time round ended; and when this one's latest tensor was begun. */
  beforeNs: number | undefined;
  untilNs: number;
}

export class Residency {
  /** From the last touch in the iteration before to the same in this one. */
  readonly #lapNs: number;
  readonly #residentNs: number;
  readonly #written: readonly boolean[];
  /** The preparation leaves nothing in the caches. */
  readonly #areGone: boolean;
  /** When each part of a buffer was touched last, by its offset. */
  readonly #touched = new Map<number, Map<number, number>>();
  readonly #multiCopies: Program['multiCopies'];
  readonly #rounds = new Map<number, Round>();

  constructor(program: Program, profile: DeviceProfile, lapNs: number) {
    this.#lapNs = lapNs;
    this.#residentNs = profile.host.residentNs ?? Number.POSITIVE_INFINITY;
    this.#areGone = flushesCaches(program, profile);
    this.#written = program.buffers.map(({ written }) => written);
    this.#multiCopies = program.multiCopies;
  }

  /** The part of it, 0 to 1, that comes from memory if a host thread copies it now. */
  goneOf(buffer: number, offset: number, nowNs: number): number {
    const atNs = this.#touched.get(buffer)?.get(offset);
    if (atNs !== undefined) return this.#gonePart(Math.max(0, nowNs - atNs));
    if (this.#areGone) return 1;
    return this.#gonePart(this.#written[buffer] === true ? nowNs : this.#lapNs);
  }

  /** The same of the next tensor of a multi-tensor copy: it was touched last when all of them were. */
  goneOfTensor(multiCopy: number, bytes: number, nowNs: number): number {
    const round = this.#rounds.get(multiCopy) ?? this.#firstRound(multiCopy);
    if (round.left <= 0) {
      round.left = round.payload;
      round.beforeNs = round.untilNs;
    }
    round.left -= bytes;
    round.untilNs = nowNs;
    if (round.beforeNs !== undefined) return this.#gonePart(nowNs - round.beforeNs);
    return this.#areGone ? 1 : this.#gonePart(this.#lapNs);
  }

  #firstRound(multiCopy: number): Round {
    const plan = this.#multiCopies[multiCopy];
    const payload = plan === undefined ? 0 : payloadOf(plan);
    const round = { payload, left: payload, beforeNs: undefined, untilNs: 0 };
    this.#rounds.set(multiCopy, round);
    return round;
  }

  /** A host thread is through with it at `untilNs`. */
  touch(buffer: number, offset: number, untilNs: number): void {
    const parts = this.#touched.get(buffer);
    if (parts === undefined) this.#touched.set(buffer, new Map([[offset, untilNs]]));
    else parts.set(offset, untilNs);
  }

  #gonePart(sinceNs: number): number {
    return Math.min(1, (sinceNs / this.#residentNs) ** 2);
  }
}
