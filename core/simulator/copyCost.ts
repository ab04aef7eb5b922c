/**
 * What a copy takes, by kind of memory, size and direction. Rules (core/rules): overlap-needs-pinned,
 * small-pageable-copy, copy-without-engine, small-copy-latency, peer-copy.
 */
import { CopyscopeError } from '../errors.ts';
import type { Program } from '../program/program.ts';
import { copyDirection, type MemoryKind } from '../trace/trace.ts';
import { engineIndex, functionEngine, hostEngine } from './engines.ts';
import { filledPart } from './kernelCost.ts';
import { hostCopyNs } from './memcpyRate.ts';
import { copyTimes, type DeviceProfile } from './profile.ts';
import type { Step } from './step.ts';
import { type TimePoint, type TimeTable, timeTable } from './table.ts';

export type CopyCost = Pick<Step, 'route' | 'engine' | 'callNs' | 'deviceNs'> &
  Partial<Pick<Step, 'idleEngine' | 'share' | 'memoryPart' | 'memoryNs' | 'pieces' | 'pieceBytes' | 'lastPieceNs'>>;

export interface CopyEnds {
  readonly src: MemoryKind;
  readonly dst: MemoryKind;
  /** Devices of the two ends; -1 for host memory. */
  readonly from: number;
  readonly to: number;
}

/** On an H200's host up to 1 MB took 1.5 to 2.3 times as long, 1.6 MB 1.3 times and 4 MB as long as ever. */
const freshBytes = { wholly: 2 ** 20, most: 2 ** 22 };

/**
 * Whether a copy within the device takes kernel.raggedCopyNs longer. In 200 recorded runs of eight H200 machines 34 copies of
 * 1.06 to 40 MB that are no multiple of 1 KiB took 1.7 to 3.5 us longer than their table says, of 12 and 15 MB 6, and those of
 * a power of two and up to 1 MiB no longer; no sizes between were recorded.
 */
export const isRagged = (bytes: number): boolean => bytes > 2 ** 20 && bytes % 4096 !== 0;

export class CopyCosts {
  readonly #profile: DeviceProfile;
  readonly #peerAccess: boolean;
  readonly #tables = new Map<object, TimeTable>();

  constructor(profile: DeviceProfile, program: Program) {
    this.#profile = profile;
    this.#peerAccess = program.peerAccess;
  }

  /** `device` is that of the stream. */
  of(bytes: number, ends: CopyEnds, device: number, op: number): CopyCost {
    const { src, dst } = ends;
    const direction = copyDirection(src, dst);
    if (direction === 'h2h') return this.#hostCopy(bytes);
    if (direction === 'd2d' && ends.from !== ends.to) return this.#peerCopy(bytes, device);
    const hostMemory = direction === 'd2h' ? dst : src;
    const times = direction === null ? null : copyTimes(this.#profile, direction, hostMemory);
    if (direction === null || times === null) throw unknownCopy(src, dst, op);
    const callNs = this.table(times.call)(bytes);
    const engine = engineIndex(device, direction === 'd2d' ? 'compute' : direction);
    if (direction === 'd2d' || hostMemory !== 'pageable') {
      const wholeNs = this.table(times.device)(bytes);
      if (direction !== 'd2d') {
        const onCompute = direction === 'h2d' ? this.#onCompute(bytes, device) : {};
        return { route: 'engine', engine, callNs, deviceNs: wholeNs, ...onCompute };
      }
      const deviceNs = wholeNs + (isRagged(bytes) ? (this.#profile.kernel.raggedCopyNs ?? 0) : 0);
      const share = Math.min(1, filledPart(bytes, this.#profile));
      return { route: 'engine', engine, callNs, deviceNs, share, memoryPart: 1 };
    }
    if (direction === 'h2d' && bytes <= this.#profile.staging.inlineBytes) {
      const deviceNs = this.table(this.#profile.staging.inline)(bytes);
      return { route: 'engine', engine: engineIndex(device, 'compute'), callNs, deviceNs };
    }
    const pieces = this.#pieces(direction, bytes);
    if (direction === 'd2h') return { route: 'stage-out', engine, callNs, ...pieces };
    return { route: 'stage-in', engine, callNs, memoryNs: Math.max(callNs, this.#fromMemoryNs(bytes)), ...pieces };
  }

  /**
   * One of many copies that move `payload` bytes together. Pageable memory isn't staged faster than in one copy of all,
   * since what lies beyond the host's caches comes from its memory. Nor is it staged slower where each is cut into pieces:
   * what a single copy of such a size waits for at its beginning, the next of many in a row doesn't.
   */
  ofPayload(bytes: number, ends: CopyEnds, device: number, op: number, payload: number): CopyCost {
    const cost = this.of(bytes, ends, device, op);
    if (cost.route !== 'stage-in' && cost.route !== 'stage-out') return cost;
    const whole = this.of(payload, ends, device, op);
    const inRowNs = (whole.callNs / payload) * bytes;
    const isCut = bytes > this.#profile.staging.chunkBytes;
    const leastNs = this.of(1, ends, device, op).callNs;
    const callNs = isCut ? inRowNs + leastNs : Math.max(cost.callNs, inRowNs);
    const { lastLevelBytes = 0, memcpyBytesPerSecond } = this.#profile.host;
    // What all of them hold could lie in the caches. Of more it is measured what comes from memory.
    const memoryNs = payload <= lastLevelBytes ? (bytes / memcpyBytesPerSecond) * 1e9 : 0;
    return { ...cost, callNs, memoryNs: Math.max(callNs, memoryNs) };
  }

  /** The same as part of a graph, where no host thread is held: as long as a pageable copy takes on the device. */
  captured(bytes: number, ends: CopyEnds, device: number, op: number): CopyCost {
    const cost = this.of(bytes, ends, device, op);
    const callNs = this.#profile.graph.captureNs;
    if (cost.route === 'host') return { ...cost, callNs, route: 'function', engine: functionEngine };
    if (cost.route === 'engine') return { ...cost, callNs };
    const { pageable } = this.#profile.copies[cost.route === 'stage-in' ? 'h2d' : 'd2h'];
    return { route: 'engine', engine: cost.engine, callNs, deviceNs: this.table(pageable.device)(bytes) };
  }

  /** What a copy to the device takes longer over a tensor that threads have just put into page-locked memory. */
  freshNs(bytes: number): number {
    const { link } = this.#profile;
    const { wholly, most } = freshBytes;
    const part = Math.min(1, Math.max(0, (most - bytes) / (most - wholly)));
    return (((link.freshFactor ?? 1) - 1) / link.h2dBytesPerSecond) * part * Math.min(bytes, wholly) * 1e9;
  }

  table(points: readonly TimePoint[]): TimeTable {
    const known = this.#tables.get(points);
    if (known !== undefined) return known;
    const made = timeTable(points);
    this.#tables.set(points, made);
    return made;
  }

  /** From page-locked memory to the device: small copies take the compute channel, as kernels do. */
  #onCompute(bytes: number, device: number): Partial<Pick<Step, 'engine' | 'idleEngine'>> {
    const { commandCopyBytes = 0, idleCommandCopyBytes = 0 } = this.#profile.queue;
    const compute = engineIndex(device, 'compute');
    if (bytes <= commandCopyBytes) return { engine: compute };
    return bytes <= idleCommandCopyBytes ? { idleEngine: compute } : {};
  }

  #hostCopy(bytes: number): CopyCost {
    const { memcpyNs = 0, memcpyBytesPerSecond } = this.#profile.host;
    const deviceNs = hostCopyNs(this.#profile, bytes);
    const callNs = this.table(this.#profile.copies.h2d.pinned.call)(0);
    const memoryNs = memcpyNs + (bytes / memcpyBytesPerSecond) * 1e9;
    return { route: 'host', engine: hostEngine, callNs, deviceNs, memoryNs };
  }

  /** What the host copies from memory where it could lie in the caches; larger copies are measured as they come from there. */
  #fromMemoryNs(bytes: number): number {
    const { cached, memcpyBytesPerSecond } = this.#profile.host;
    return bytes <= (cached?.bytes ?? 0) ? (bytes / memcpyBytesPerSecond) * 1e9 : 0;
  }

  /** Without figures for two devices: by way of the host, one direction after the other. */
  #peerCopy(bytes: number, device: number): CopyCost {
    const { peer, copies } = this.#profile;
    const engine = engineIndex(device, 'peer');
    if (peer !== null) {
      const times = this.#peerAccess ? peer.access : peer.viaHost;
      return {
        route: 'engine',
        engine,
        callNs: this.table(times.call)(bytes),
        deviceNs: this.table(times.device)(bytes),
      };
    }
    const deviceNs = this.table(copies.d2h.pinned.device)(bytes) + this.table(copies.h2d.pinned.device)(bytes);
    return { route: 'engine', engine, callNs: this.table(copies.d2d.call)(bytes), deviceNs };
  }

  /** A piece moves between the driver's page-locked buffer and the device as any pinned copy of its size. */
  #pieces(direction: 'h2d' | 'd2h', bytes: number) {
    const pieceBytes = Math.min(this.#profile.staging.chunkBytes, bytes);
    const pieces = Math.ceil(bytes / pieceBytes);
    const time = this.table(this.#profile.copies[direction].pinned.device);
    const lastPieceNs = time(bytes - (pieces - 1) * pieceBytes);
    return { pieces, pieceBytes, deviceNs: time(pieceBytes), lastPieceNs };
  }
}

/** Whether a copy of so many bytes from page-locked memory may go through the compute channel. */
export const mayUseCompute = ({ queue }: DeviceProfile, bytes: number): boolean =>
  bytes <= Math.max(queue.commandCopyBytes ?? 0, queue.idleCommandCopyBytes ?? 0);

function unknownCopy(src: MemoryKind, dst: MemoryKind, op: number): CopyscopeError {
  return new CopyscopeError({
    code: 'engine.unsupported',
    op,
    message: `the simulator knows no copy from ${src} to ${dst} memory.`,
    remedy: 'Choose pageable, pinned or device memory.',
  });
}
