/**
 * How a copy is executed, by kind of memory, size and direction. Rules (core/rules): overlap-needs-pinned,
 * small-pageable-copy, copy-without-engine, small-copy-latency, peer-copy.
 */
import { CopyscopeError } from '../errors.ts';
import type { Program } from '../program/program.ts';
import { copyDirection } from '../trace/trace.ts';
import type { CopyCost, CopyEnds, CostModel } from './costModel.ts';
import { engineIndex, functionEngine, hostEngine } from './engines.ts';
import type { Step } from './step.ts';

export type CopyStep = Pick<Step, 'route' | 'engine' | 'callNs' | 'deviceNs'> &
  Partial<Pick<Step, 'share' | 'memoryPart' | 'pieces' | 'pieceBytes' | 'lastPieceNs'>>;

export class Copies {
  readonly #costs: CostModel;
  readonly #peerAccess: boolean;

  constructor(costs: CostModel, { peerAccess }: Program) {
    this.#costs = costs;
    this.#peerAccess = peerAccess;
  }

  /** `device` is that of the stream. */
  of(bytes: number, ends: CopyEnds, device: number, op: number): CopyStep {
    const { callNs, deviceNs, share } = this.#cost(bytes, ends, op);
    const direction = copyDirection(ends.src, ends.dst);
    if (direction === 'h2h') return { route: 'host', engine: hostEngine, callNs, deviceNs };
    if (direction === 'd2d' || direction === null) {
      const isPeer = ends.from !== ends.to;
      if (isPeer) return { route: 'engine', engine: engineIndex(device, 'peer'), callNs, deviceNs };
      return { route: 'engine', engine: engineIndex(device, 'compute'), callNs, deviceNs, share, memoryPart: 1 };
    }
    const engine = engineIndex(device, direction);
    if (!isPageable(ends)) return { route: 'engine', engine, callNs, deviceNs };
    if (direction === 'h2d' && bytes <= this.#costs.facts.staging.inlineBytes) {
      return { route: 'engine', engine: engineIndex(device, 'compute'), callNs, deviceNs };
    }
    const route = direction === 'h2d' ? 'stage-in' : 'stage-out';
    return { route, engine, callNs, ...this.#pieces(bytes, ends, op) };
  }

  /** Returns a captured copy, which blocks no host thread. It takes as long as a pageable copy would block one. */
  captured(bytes: number, ends: CopyEnds, device: number, op: number): CopyStep {
    const step = this.of(bytes, ends, device, op);
    const callNs = this.#costs.callNs('captured');
    if (step.route === 'host') return { ...step, callNs, route: 'function', engine: functionEngine };
    if (step.route === 'engine') return { ...step, callNs };
    return { route: 'engine', engine: step.engine, callNs, deviceNs: step.callNs };
  }

  #cost(bytes: number, ends: CopyEnds, op: number): CopyCost {
    const cost = this.#costs.copy(bytes, ends, this.#peerAccess);
    if (cost !== null) return cost;
    throw new CopyscopeError({
      code: 'engine.unsupported',
      op,
      message: `the simulator knows no copy from ${ends.src} to ${ends.dst} memory.`,
      remedy: 'Choose pageable, pinned or device memory.',
    });
  }

  /** A piece moves between the driver's page-locked buffer and the device like a pinned copy of its size. */
  #pieces(bytes: number, ends: CopyEnds, op: number) {
    const pinned: CopyEnds = {
      ...ends,
      src: ends.src === 'pageable' ? 'pinned' : ends.src,
      dst: ends.dst === 'pageable' ? 'pinned' : ends.dst,
    };
    const pieceBytes = Math.min(this.#costs.facts.staging.chunkBytes, bytes);
    const pieces = Math.ceil(bytes / pieceBytes);
    const timeOf = (size: number): number => this.#cost(size, pinned, op).deviceNs;
    const lastBytes = bytes - (pieces - 1) * pieceBytes;
    // The last of several pieces follows without a copy's own start: on H200 machines copies of whole MiB were over 20.8
    // us after their call (median of 2,259), and a pinned copy of 1 MiB takes 21.5 us, 0.7 of them whatever its size.
    const linkNs = (lastBytes / this.#costs.link.bytesPerSecond) * 1e9;
    const lastPieceNs = pieces === 1 ? timeOf(bytes) : Math.max(linkNs, timeOf(lastBytes) - timeOf(0));
    return { pieces, pieceBytes, deviceNs: timeOf(pieceBytes), lastPieceNs };
  }
}

const isPageable = ({ src, dst }: CopyEnds): boolean => src === 'pageable' || dst === 'pageable';
