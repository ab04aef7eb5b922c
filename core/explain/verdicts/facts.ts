/** Facts from the experiment about the operations of a trace. Empty if the trace doesn't come from an experiment. */

import type { Experiment } from '../../experiment/experiment.ts';
import { idsIn } from '../../experiment/operations/fields.ts';
import { descriptorOf, type Operation } from '../../experiment/operations.ts';
import { lowerUnverified } from '../../program/lower.ts';
import type { OperationInfo, Program } from '../../program/program.ts';
import { rememberedBy } from '../../rememberedBy.ts';
import { valueAtPath } from '../../shape/path.ts';
import { isHostMemory } from '../../trace/trace.ts';
import { runsAgainBeforeRefill } from '../order/refills.ts';

export interface ProgramFacts {
  /** Null if there is no experiment or it can't be lowered. Then only the order within streams is known. */
  readonly program: Program | null;
  readonly info: (op: number) => OperationInfo | undefined;
  readonly label: (op: number) => string | undefined;
  readonly operation: (op: number) => Operation | undefined;
  /** Returns the capture that contains the operation: it runs wherever that graph is launched. */
  readonly capture: (op: number) => Operation | undefined;
  /** Returns whether one of two operations writes a buffer that the other touches; null if that is unknown. */
  readonly shareData: (a: number, b: number) => boolean | null;
  /** Returns null if the operation uses no mapped memory. */
  readonly mapped: (op: number) => MappedBuffers | null;
}

/** Ids of host memory that a kernel reads and writes directly, so the bytes cross the link while it runs. */
export interface MappedBuffers {
  readonly read: string | null;
  readonly written: string | null;
}

/** Lowers the experiment if possible. A run file's experiment fits the schema, but its references may be wrong. */
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
  // The path comes from lowering this document, so it ends at an operation.
  return valueAtPath(experiment, path) as Operation;
}

/** Returns the innermost capture around an operation. */
function captureAround(experiment: Experiment, path: readonly (string | number)[] = []): Operation | undefined {
  let value: unknown = experiment;
  let found: Operation | undefined;
  for (const step of path.slice(0, -1)) {
    value = (value as Record<string | number, unknown>)[step];
    if ((value as Partial<Operation>).op === 'graphCapture') found = value as Operation;
  }
  return found;
}

/** Returns the ids of all buffers that the program's operations read and write. */
export const allTouched = rememberedBy((facts: ProgramFacts) => {
  const all = (facts.program?.operations ?? []).map(({ op }) => touchedBuffers(facts.operation(op)));
  return {
    reads: new Set(all.flatMap((one) => one?.reads ?? [])),
    writes: new Set(all.flatMap((one) => one?.writes ?? [])),
  };
});

/** Returns the ids of the buffers that an operation reads and writes; null if it names none. */
export function touchedBuffers(operation: Operation | undefined): { reads: string[]; writes: string[] } | null {
  if (operation === undefined) return null;
  const own = descriptorOf(operation.op).buffer;
  if (own === undefined && !('src' in operation) && !('reads' in operation)) return null;
  const ids = (...fields: readonly string[]): string[] => fields.flatMap((field) => idsIn(operation, field));
  return {
    reads: own === 'reads' ? ids('buffer') : ids('src', 'reads'),
    writes: own === 'writes' ? ids('buffer') : ids('dst', 'writes'),
  };
}

/** Returns mapped buffers. Only byte-streaming kernels touch memory: their first read and first written buffer. */
export function mappedBuffers({ buffers }: Experiment, operation: Operation | undefined): MappedBuffers | null {
  if (operation?.op !== 'kernel' || operation.kernel.kind !== 'stream') return null;
  const onHost = (id: string | undefined): string | null =>
    buffers.find((buffer) => buffer.id === id && isHostMemory(buffer.memory) && buffer.memory !== 'managed')?.id ??
    null;
  const [read, written] = [onHost(operation.reads[0]), onHost(operation.writes[0])];
  return read === null && written === null ? null : { read, written };
}

/**
 * Returns whether kernels read this mapped memory again although it is the same: nothing writes it, and the document says what
 * the host writes, or the host has no time to.
 */
export function isReadAgain(facts: ProgramFacts, id: string): boolean {
  const { program } = facts;
  if (program === null || allTouched(facts).writes.has(id)) return false;
  const ops = program.operations.map(({ op }) => op);
  const readers = new Set(ops.filter((op) => facts.mapped(op)?.read === id));
  return ops.some((op) => facts.operation(op)?.op === 'write') || runsAgainBeforeRefill(program, readers);
}

/** Returns whether one of the two writes a buffer that the other touches; null if either names none. */
export function shareData(a: Operation | undefined, b: Operation | undefined): boolean | null {
  const [first, second] = [touchedBuffers(a), touchedBuffers(b)];
  if (first === null || second === null) return null;
  const meets = (written: readonly string[], other: { reads: string[]; writes: string[] }): boolean =>
    written.some((buffer) => other.reads.includes(buffer) || other.writes.includes(buffer));
  return meets(first.writes, second) || meets(second.writes, first);
}
