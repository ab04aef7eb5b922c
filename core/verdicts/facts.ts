/** What the experiment says about the operations of a trace. Empty for a trace that doesn't come from one. */
import type { Experiment } from '../experiment/experiment.ts';
import type { Operation } from '../experiment/operations.ts';
import { lowerUnverified } from '../program/lower.ts';
import type { OperationInfo, Program } from '../program/program.ts';
import { isHostMemory } from '../trace/trace.ts';

export interface ProgramFacts {
  /** Null where there is no experiment, or it can't be lowered; then orders other than stream order are unknown. */
  readonly program: Program | null;
  readonly info: (op: number) => OperationInfo | undefined;
  readonly label: (op: number) => string | undefined;
  readonly operation: (op: number) => Operation | undefined;
  /** The capture that it stands in: it runs wherever that graph is launched. */
  readonly capture: (op: number) => Operation | undefined;
  /** Whether one of two operations writes a buffer that the other touches; null where that isn't known of both. */
  readonly shareData: (a: number, b: number) => boolean | null;
  /** Null of what works on no mapped memory. */
  readonly mapped: (op: number) => MappedBuffers | null;
}

/** Ids of the host memory that a kernel reads and writes itself, so that the bytes cross the link while it runs. */
export interface MappedBuffers {
  readonly read: string | null;
  readonly written: string | null;
}

/** A run file's experiment matches the schema, but nothing promises that its references resolve: lower() may refuse. */
export function programFacts(experiment: Experiment | null): ProgramFacts {
  const program = experiment === null ? null : lowered(experiment);
  const operation = (op: number): Operation | undefined =>
    experiment === null ? undefined : at(experiment, program?.operations[op]?.path);
  const known = new Map<number, boolean | null>();
  return {
    program,
    info: (op) => program?.operations[op],
    label: (op) => program?.operations[op]?.label,
    operation,
    capture: (op) => (experiment === null ? undefined : captureAround(experiment, program?.operations[op]?.path)),
    shareData: (a, b) => {
      const key = a * 2 ** 26 + b;
      const found = known.get(key);
      if (found !== undefined) return found;
      const shared = shareData(operation(a), operation(b));
      known.set(key, shared);
      return shared;
    },
    mapped: (op) => (experiment === null ? null : mappedBuffers(experiment, operation(op))),
  };
}

function lowered(experiment: Experiment): Program | null {
  try {
    return lowerUnverified(experiment);
  } catch {
    return null;
  }
}

function at(experiment: Experiment, path: readonly (string | number)[] | undefined): Operation | undefined {
  if (path === undefined) return undefined;
  // Paths come from lowering this very document, so each step exists and the last is an operation.
  let value: unknown = experiment;
  for (const step of path) value = (value as Record<string | number, unknown>)[step];
  return value as Operation;
}

/** The innermost capture on the way to an operation. */
function captureAround(experiment: Experiment, path: readonly (string | number)[] = []): Operation | undefined {
  let value: unknown = experiment;
  let found: Operation | undefined;
  for (const step of path.slice(0, -1)) {
    value = (value as Record<string | number, unknown>)[step];
    if ((value as Partial<Operation>).op === 'graphCapture') found = value as Operation;
  }
  return found;
}

/** Ids of the buffers that an operation reads and writes; null where it names none. */
export function touchedBuffers(operation: Operation | undefined): { reads: string[]; writes: string[] } | null {
  switch (operation?.op) {
    case 'copy':
      return { reads: [operation.src], writes: [operation.dst] };
    case 'kernel':
      return { reads: operation.reads, writes: operation.writes };
    case 'pin':
      return { reads: [operation.src], writes: [operation.dst] };
    case 'read':
    case 'item':
      return { reads: [operation.buffer], writes: [] };
    case 'write':
    case 'memset':
    case 'allocate':
    case 'free':
      return { reads: [], writes: [operation.buffer] };
    default:
      return null;
  }
}

/** Only a byte-streaming kernel touches memory: the first buffer that it reads, and the first that it writes. */
export function mappedBuffers({ buffers }: Experiment, operation: Operation | undefined): MappedBuffers | null {
  if (operation?.op !== 'kernel' || operation.kernel.kind !== 'stream') return null;
  const onHost = (id: string | undefined): string | null =>
    buffers.find((buffer) => buffer.id === id && isHostMemory(buffer.memory))?.id ?? null;
  const [read, written] = [onHost(operation.reads[0]), onHost(operation.writes[0])];
  return read === null && written === null ? null : { read, written };
}

/** Whether one of the two writes a buffer that the other touches; null where either names none. */
export function shareData(a: Operation | undefined, b: Operation | undefined): boolean | null {
  const [first, second] = [touchedBuffers(a), touchedBuffers(b)];
  if (first === null || second === null) return null;
  const meets = (written: readonly string[], other: { reads: string[]; writes: string[] }): boolean =>
    written.some((buffer) => other.reads.includes(buffer) || other.writes.includes(buffer));
  return meets(first.writes, second) || meets(second.writes, first);
}
