/**
 * A copy of pageable memory that a host thread is held in: piece by piece through the driver's page-locked buffer.
 * Rules (core/rules): pageable-copy-holds-host, pageable-destination-holds-host.
 */
import type { Devices } from './device.ts';
import { entryPieceStaged, type StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import type { DeviceProfile } from './profile.ts';
import type { Step } from './step.ts';

export interface StagingCaller {
  /** The host's part is over. `moving` is the copy where the device has some of it to do yet, otherwise null. */
  stagingOver(step: Step, moving: StreamEntry | null, nowNs: number): void;
}

/** One for each host thread, which is in one such copy at a time. */
export class StagedCopy implements Actor {
  readonly #caller: StagingCaller;
  readonly #devices: Devices;
  readonly #clock: EventQueue;
  readonly #latencyNs: number;
  readonly #prepareNs: number;
  readonly #slots: number;
  #step: Step | null = null;
  /** The copy in its stream, while the device still has pieces to move that the host takes part in. */
  #entry: StreamEntry | null = null;
  /** Pieces that the device has moved, and those that the host has copied into or out of the driver's buffer. */
  #moved = 0;
  #copied = 0;
  /** The host is copying a piece. */
  #copying = false;

  constructor(caller: StagingCaller, profile: DeviceProfile, devices: Devices, clock: EventQueue) {
    this.#caller = caller;
    this.#devices = devices;
    this.#clock = clock;
    this.#latencyNs = profile.queue.launchToStartNs;
    this.#prepareNs = profile.staging.prepareOutNs ?? 0;
    this.#slots = profile.staging.slots;
  }

  begin(step: Step, thread: number, correlation: number, nowNs: number): void {
    this.#step = step;
    this.#moved = 0;
    this.#copied = 0;
    this.#copying = false;
    this.#entry = this.#devices.streams.issue(step, thread, correlation, nowNs + this.#beforeNs(step));
    this.#copyNext(step, nowNs);
  }

  /** The device has moved a piece of `entry`, which may be an earlier copy that the host is through with. */
  pieceMoved(entry: StreamEntry, nowNs: number): void {
    if (entry !== this.#entry) return;
    this.#moved += 1;
    if (this.#moved === entry.step.pieces) this.#entry = null;
    this.#copyNext(entry.step, nowNs);
  }

  /** The host has copied a piece. */
  act(_what: number, nowNs: number): void {
    const [step, entry] = [this.#step, this.#entry];
    if (step === null) return;
    this.#copying = false;
    this.#copied += 1;
    if (entry !== null && step.route === 'stage-in')
      this.#clock.schedule(nowNs + this.#latencyNs, entry, entryPieceStaged);
    if (entry !== null && step.route === 'stage-out') this.#devices.pieceDrained(entry);
    if (this.#copied < step.pieces) {
      this.#copyNext(step, nowNs);
      return;
    }
    this.#entry = null;
    this.#caller.stagingOver(step, entry, nowNs);
  }

  /** Into the driver's buffer where it has a free slot, or out of it where a piece has landed. */
  #copyNext(step: Step, nowNs: number): void {
    const limit = step.route === 'stage-in' ? Math.min(step.pieces, this.#moved + this.#slots) : this.#moved;
    if (this.#copying || this.#copied >= limit) return;
    this.#copying = true;
    const last = this.#copied === step.pieces - 1;
    const bytes = last ? step.bytes - this.#copied * step.pieceBytes : step.pieceBytes;
    this.#clock.schedule(nowNs + (this.#hostNs(step) * bytes) / step.bytes, this, 0);
  }

  /**
   * Time the host copies in all. A call that stages in is that and no more. One that copies out begins with what the
   * driver prepares and the way of the first piece over the link; the host is slower than the link, so the rest of the
   * call is its copying.
   */
  #hostNs(step: Step): number {
    if (step.route === 'stage-in') return step.callNs;
    const firstNs = step.pieces === 1 ? step.lastPieceNs : step.deviceNs;
    return Math.max(0, step.callNs - this.#beforeNs(step) - firstNs);
  }

  /** From the call's begin to the first piece's start on an idle device. */
  #beforeNs({ route }: Step): number {
    return this.#latencyNs + (route === 'stage-out' ? this.#prepareNs : 0);
  }
}
