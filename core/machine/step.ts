/**
 * One step of a host thread: an instruction, or a part of one, with its costs. It doesn't contain its operation's
 * number, so an edit that only renumbers operations leaves their steps unchanged.
 */
import type { Allocator, InstructionCode } from '../program/program.ts';
import type { MemoryKind } from '../trace/trace.ts';
import { type EngineIndex, noEngine } from './engines.ts';

/**
 * How an operation is executed. mark: an event record or wait. engine: one piece of work on a copy engine or the
 * compute channel. stage-in, stage-out: pageable memory in pieces through the driver's buffer. host: host to host.
 * function: on CUDA's own thread. graph: the captured nodes.
 */
export type Route = 'none' | 'mark' | 'engine' | 'stage-in' | 'stage-out' | 'host' | 'function' | 'graph';

/**
 * call: a CUDA call of known cost. frontend: PyTorch's own time before calls. pinMemory: page-locked memory for a pin,
 * whose copying is a step of its own.
 */
export type StepCode = InstructionCode | 'call' | 'frontend' | 'pinMemory' | 'instantiateGraph' | 'uploadGraph';

/** Pages of managed memory that a step uses. */
export interface PageUse {
  readonly buffer: number;
  readonly offset: number;
  readonly bytes: number;
  readonly writes: boolean;
}

/** Every step has every field, which keeps reading them fast. */
export interface Step {
  readonly code: StepCode;
  /** Name of a range, or of what a makePlan makes. Other rows use their call or their operation's label. */
  readonly name: string;
  /** CUDA call; empty if the instruction makes none. */
  readonly call: string;
  readonly stream: number;
  readonly event: number;
  readonly device: number;
  /** Host time of the call or host work. For a staged copy it includes the staging. */
  readonly callNs: number;
  readonly route: Route;
  readonly engine: EngineIndex;
  /** Device time alone; for a staged copy, of one whole piece. */
  readonly deviceNs: number;
  /** Share of the device's threads that its blocks take; 0 if it needs none. */
  readonly share: number;
  /** Share of multiprocessors with a block that leaves no room for another one like it. */
  readonly exclusive: number;
  /** Whether it is a kernel of one thread, which fits next to anything that doesn't fill all multiprocessors. */
  readonly isSingle: boolean;
  /** Shares of the device's memory and arithmetic throughput that it takes while it runs alone. */
  readonly memoryPart: number;
  readonly arithmeticPart: number;
  /** Bytes that a kernel moves over the link, to the device and from it. */
  readonly linkIn: number;
  readonly linkOut: number;
  /** Pieces of a staged copy, the size of all but the last, and the last one's device time. */
  readonly pieces: number;
  readonly pieceBytes: number;
  readonly lastPieceNs: number;
  readonly pages: readonly PageUse[];
  readonly blocking: boolean;
  /** Devices on which nothing else runs at the same time. */
  readonly alone: readonly number[];
  /** Whether it becomes part of a graph instead of running. */
  readonly captured: boolean;
  readonly bytes: number;
  readonly src: MemoryKind;
  readonly dst: MemoryKind;
  /** Buffer that is allocated, freed or pinned. */
  readonly buffer: number;
  readonly allocator: Allocator;
  /** Index of a signal, graph or multi-tensor copy; for elapsedTime, of the later event. */
  readonly index: number;
  /** Rounds of a repeat. */
  readonly count: number;
  /** Index of the repeat that an endRepeat returns to. */
  readonly jump: number;
}

export const blankStep: Step = {
  code: 'call',
  name: '',
  call: '',
  stream: -1,
  event: -1,
  device: 0,
  callNs: 0,
  route: 'none',
  engine: noEngine,
  deviceNs: 0,
  share: 0,
  exclusive: 0,
  isSingle: false,
  memoryPart: 0,
  arithmeticPart: 0,
  linkIn: 0,
  linkOut: 0,
  pieces: 0,
  pieceBytes: 0,
  lastPieceNs: 0,
  pages: [],
  blocking: false,
  alone: [],
  captured: false,
  bytes: 0,
  src: 'none',
  dst: 'none',
  buffer: -1,
  allocator: 'caching',
  index: -1,
  count: 0,
  jump: -1,
};
