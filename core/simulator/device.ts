/** What the devices do with an operation whose turn has come: which engine it goes to, and what its end sets free. */
import type { Program } from '../program/program.ts';
import { Compute, type ComputeSink } from './compute.ts';
import { CopyEngine, type CopySink, Link } from './copy-engine.ts';
import { enginesPerDevice, Gaps } from './engines.ts';
import { type EntryHandler, entryDone, entryPieceStaged, entryReady, type StreamEntry } from './entry.ts';
import type { EventQueue } from './event-queue.ts';
import type { DeviceProfile } from './profile.ts';
import { StreamSet } from './streams.ts';
import type { TraceOutput } from './trace-output.ts';

/** What a host thread hears of the copy it is held in. */
export interface CopyListener {
  pieceMoved(entry: StreamEntry, nowNs: number): void;
  hostCopyDone(nowNs: number): void;
}

export class Devices implements EntryHandler, CopySink, ComputeSink {
  readonly streams: StreamSet;
  /** The program's host threads, in order; filled before anything is issued. */
  readonly threads: CopyListener[] = [];
  readonly #clock: EventQueue;
  readonly #output: TraceOutput;
  readonly #copyEngines: readonly CopyEngine[];
  readonly #computes: readonly Compute[];
  readonly #slots: number;

  constructor(program: Program, profile: DeviceProfile, clock: EventQueue, output: TraceOutput) {
    this.#clock = clock;
    this.#output = output;
    this.#slots = profile.staging.slots;
    this.streams = new StreamSet(program, clock, new Gaps(profile), this, profile.queue.depth);
    this.#copyEngines = program.devices.flatMap(() => {
      const link = new Link(profile.link.bothBytesPerSecond);
      const first = new CopyEngine(link, clock, this);
      return [first, profile.device.asyncEngineCount > 1 ? new CopyEngine(link, clock, this) : first];
    });
    this.#computes = program.devices.map(() => new Compute(clock, this, profile.kernel.concurrent));
  }

  entryActs(entry: StreamEntry, what: number, nowNs: number): void {
    if (what === entryReady) this.#start(entry, nowNs);
    else if (what === entryDone) this.#done(entry, nowNs);
    else if (what === entryPieceStaged) {
      entry.staged += 1;
      this.#movePiece(entry);
    }
  }

  kernelStarted(entry: StreamEntry, nowNs: number): void {
    entry.startNs = nowNs;
  }

  copyStarted(entry: StreamEntry, nowNs: number): void {
    if (entry.startNs < 0) entry.startNs = nowNs;
  }

  copyFinished(entry: StreamEntry, nowNs: number): void {
    if (entry.step.route === 'engine') {
      this.#complete(entry, nowNs);
      return;
    }
    entry.moving = false;
    entry.moved += 1;
    this.threads[entry.thread]?.pieceMoved(entry, nowNs);
    if (entry.moved === entry.step.pieces) this.#complete(entry, nowNs);
    else this.#movePiece(entry);
  }

  /** The host has copied one more piece out of the driver's buffer. */
  pieceDrained(entry: StreamEntry): void {
    entry.drained += 1;
    this.#movePiece(entry);
  }

  #start(entry: StreamEntry, nowNs: number): void {
    const { step } = entry;
    entry.ready = true;
    if (step.route === 'mark') {
      this.#output.mark(entry, nowNs);
      this.streams.complete(entry, nowNs);
    } else if (step.route === 'host') {
      entry.startNs = nowNs;
      this.#clock.schedule(nowNs + step.deviceNs, entry, entryDone);
    } else if (step.route === 'engine') {
      const copyEngine = this.#copyEngine(entry);
      if (copyEngine === undefined) this.#compute(entry)?.submit(entry);
      else copyEngine.submit(entry, step.deviceNs, step.bytes);
    } else this.#movePiece(entry);
  }

  /** Work on the compute channel, or a copy on the host, has ended. */
  #done(entry: StreamEntry, nowNs: number): void {
    const listener = entry.step.route === 'host' ? this.threads[entry.thread] : undefined;
    if (listener === undefined) this.#compute(entry)?.finished(entry);
    this.#complete(entry, nowNs);
    listener?.hostCopyDone(nowNs);
  }

  #complete(entry: StreamEntry, nowNs: number): void {
    this.#output.activity(entry, nowNs);
    this.streams.complete(entry, nowNs);
  }

  /** Pieces of one copy move one after another; copies of other streams may come between them. */
  #movePiece(entry: StreamEntry): void {
    const { step } = entry;
    const limit = step.route === 'stage-in' ? entry.staged : Math.min(step.pieces, entry.drained + this.#slots);
    if (!entry.ready || entry.moving || entry.moved >= limit) return;
    entry.moving = true;
    const last = entry.moved === step.pieces - 1;
    const bytes = last ? step.bytes - entry.moved * step.pieceBytes : step.pieceBytes;
    this.#copyEngine(entry)?.submit(entry, last ? step.lastPieceNs : step.deviceNs, bytes);
  }

  #copyEngine({ step }: StreamEntry): CopyEngine | undefined {
    const place = step.engine % enginesPerDevice;
    return place < 2 ? this.#copyEngines[Math.floor(step.engine / enginesPerDevice) * 2 + place] : undefined;
  }

  #compute({ step }: StreamEntry): Compute | undefined {
    return this.#computes[Math.floor(step.engine / enginesPerDevice)];
  }
}
