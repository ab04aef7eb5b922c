/**
 * What a host thread executes: an instruction, or a part of one, with its costs worked out. It holds nothing of the number
 * that its operation has, so that an edit which only numbers operations anew leaves their steps as they are.
 */
import type { Allocator, InstructionCode } from '../program/program.ts';
import type { MemoryKind } from '../trace/trace.ts';
import { type EngineIndex, noEngine } from './engines.ts';

/**
 * How an operation gets done. mark: an event record or wait. engine: one piece of work on a copy engine or on the
 * compute channel. stage-in, stage-out: pageable memory in pieces through the driver's buffer. host: host to host.
 * function: on CUDA's own thread. graph: whatever was captured.
 */
export type Route = 'none' | 'mark' | 'engine' | 'stage-in' | 'stage-out' | 'host' | 'function' | 'graph';

/** call: a CUDA call of known cost. pinMemory: page-locked memory for a pin, whose copying is a step of its own. */
export type StepCode = InstructionCode | 'call' | 'pinMemory' | 'instantiateGraph' | 'uploadGraph';

/** Every step has every field, so that reading them stays fast. */
export interface Step {
  readonly code: StepCode;
  /** Of a range; of a makePlan what it makes. Rows of everything else are named by their call, or by their operation's label. */
  readonly name: string;
  /** The CUDA call it makes; empty for instructions that make none. */
  readonly call: string;
  readonly stream: number;
  readonly event: number;
  readonly device: number;
  /** Host time of the call, or of host work. For a staged copy the staging is in it. */
  readonly callNs: number;
  readonly route: Route;
  readonly engine: EngineIndex;
  /** Device time alone on the engine; for a staged copy that of one whole piece. */
  readonly deviceNs: number;
  /** Part of the device's threads that its blocks take; 0 for what needs none. */
  readonly share: number;
  /** Part of the multiprocessors on which it has a block that leaves no room for another one like it. */
  readonly exclusive: number;
  /** A kernel of one thread: beside whatever there is, unless that fills all multiprocessors. */
  readonly isSingle: boolean;
  /** Parts of the device's throughput that it takes while it runs alone: of its memory, and of its arithmetic. */
  readonly memoryPart: number;
  readonly arithmeticPart: number;
  /** Bytes that a kernel moves over the link, to the device and from it. */
  readonly linkIn: number;
  readonly linkOut: number;
  /** Pieces of a staged copy, the size of all but the last, and the last one's device time. */
  readonly pieces: number;
  readonly pieceBytes: number;
  readonly lastPieceNs: number;
  readonly blocking: boolean;
  /** Devices on which nothing runs beside it. */
  readonly alone: readonly number[];
  /** It becomes part of a graph instead of running. */
  readonly captured: boolean;
  readonly bytes: number;
  readonly src: MemoryKind;
  readonly dst: MemoryKind;
  /** The buffer that is allocated, freed or pinned. */
  readonly buffer: number;
  readonly allocator: Allocator;
  /** A signal, graph or multi-tensor copy; the later event of an elapsedTime. */
  readonly index: number;
  /** Rounds of a repeat. */
  readonly count: number;
  /** Where an endRepeat goes back to: its repeat. */
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
