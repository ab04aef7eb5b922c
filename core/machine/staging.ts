/**
 * A copy of pageable memory that blocks a host thread: piece by piece through the driver's page-locked buffer. Rules
 * (core/rules): pageable-copy-holds-host, pageable-destination-holds-host.
 */
import type { Devices } from './device.ts';
import { entryPieceStaged, type StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import type { StagingBuffer, StagingTurn } from './stagingBuffer.ts';
import type { Step } from './step.ts';

export interface StagingCaller {
  /** Called when the host's part is over. `moving` is the copy if the device still has to finish it, or null. */
  stagingOver(step: Step, moving: StreamEntry | null, nowNs: number): void;
}

/** Each host thread has one, since it does one such copy at a time. */
export class StagedCopy implements Actor, StagingTurn {
  readonly #caller: StagingCaller;
  readonly #devices: Devices;
  readonly #clock: EventQueue;
  readonly #latencyNs: number;
  readonly #buffer: StagingBuffer;
  #step: Step | null = null;
  /** The copy in its stream, while the device still has to move pieces that the host takes part in. */
  #entry: StreamEntry | null = null;
  /** Pieces moved by the device, and pieces copied by the host into or out of the driver's buffer. */
  #moved = 0;
  #copied = 0;
  /** Whether the host is copying a piece. */
  #copying = false;

  constructor(caller: StagingCaller, latencyNs: number, devices: Devices, clock: EventQueue, buffer: StagingBuffer) {
    this.#caller = caller;
    this.#devices = devices;
    this.#clock = clock;
    this.#latencyNs = latencyNs;
    this.#buffer = buffer;
  }

  begin(step: Step, op: number, thread: number, correlation: number, nowNs: number): void {
    this.#step = step;
    this.#moved = 0;
    this.#copied = 0;
    this.#copying = false;
    this.#entry = this.#devices.streams.issue(step, op, thread, correlation, nowNs + this.#latencyNs);
    if (step.route === 'stage-out' || this.#buffer.enter(this)) this.#copyNext(step, nowNs);
  }

  maySlot(nowNs: number): void {
    if (this.#step !== null) this.#copyNext(this.#step, nowNs);
  }

  /** Counts a piece of `entry` as moved. It may be an earlier copy that the host has finished. */
  pieceMoved(entry: StreamEntry, nowNs: number): void {
    const { step } = entry;
    const isOwn = entry === this.#entry;
    if (isOwn) this.#moved += 1;
    if (isOwn && this.#moved === step.pieces) this.#entry = null;
    if (step.route === 'stage-in') this.#buffer.give(nowNs);
    else if (isOwn) this.#copyNext(step, nowNs);
  }

  /** Handles the end of the host's copy of a piece. */
  act(_what: number, nowNs: number): void {
    const [step, entry] = [this.#step, this.#entry];
    if (step === null) return;
    this.#copying = false;
    this.#copied += 1;
    // Later pieces follow the first without a launch: on H200 machines a copy of 2 to 16 MiB was over 19.5 us after its
    // call (median of 886), one of 1 MiB, which is a single piece, after 23.7 us.
    const latencyNs = this.#copied === 1 ? this.#latencyNs : 0;
    if (entry !== null && step.route === 'stage-in') this.#clock.schedule(nowNs + latencyNs, entry, entryPieceStaged);
    if (entry !== null && step.route === 'stage-out') this.#devices.pieceDrained(entry);
    if (this.#copied < step.pieces) {
      this.#copyNext(step, nowNs);
      return;
    }
    this.#entry = null;
    this.#step = null;
    if (step.route === 'stage-in') this.#buffer.leave(nowNs);
    this.#caller.stagingOver(step, entry, nowNs);
  }

  /** Copies into the driver's buffer if a slot is free, or out of it if a piece has arrived. */
  #copyNext(step: Step, nowNs: number): void {
    const limit = step.route === 'stage-in' ? step.pieces : this.#moved;
    if (this.#copying || this.#copied >= limit) return;
    if (step.route === 'stage-in' && !this.#buffer.take()) return;
    this.#copying = true;
    const last = this.#copied === step.pieces - 1;
    const bytes = last ? step.bytes - this.#copied * step.pieceBytes : step.pieceBytes;
    this.#clock.schedule(nowNs + (this.#hostNs(step) * bytes) / step.bytes, this, 0);
  }

  /**
   * Returns the total time in which the host copies. Staging in takes the whole call. Staging out begins with the first
   * piece's transfer; after that the host is slower than the link, so it copies for the rest of the call.
   */
  #hostNs(step: Step): number {
    if (step.route === 'stage-in') return step.callNs;
    const firstNs = step.pieces === 1 ? step.lastPieceNs : step.deviceNs;
    return Math.max(0, step.callNs - this.#latencyNs - firstNs);
  }
}
