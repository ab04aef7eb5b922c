/** Helpers for templates. */
import { MiB } from '../../units.ts';
import { type Experiment, type ExperimentInput, experimentFormat, experimentVersion } from '../experiment.ts';
import type { OperationName } from '../operations.ts';
import { requireExperiment } from '../parse.ts';

type Parts = Omit<ExperimentInput, 'format' | 'version'>;
type Buffer = NonNullable<ExperimentInput['buffers']>[number];
/** An operation as in a document, where defaults can be omitted. The schema checks the whole. */
export type OperationInput = Readonly<Record<string, unknown>> & { readonly op: OperationName };

export const template = (parts: Parts): Experiment =>
  requireExperiment({ format: experimentFormat, version: experimentVersion, ...parts });

export const times = <Value>(count: number, make: (number: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

export const defaultBytes = 8 * MiB;

/** Source buffers are random. Written buffers start with a word that no copy writes. */
const unwritten = { kind: 'constant', value: 0xdeadbeef } as const;

export const source = (id: string, memory: Buffer['memory'], bytes: number, seed = 1): Buffer => ({
  id,
  memory,
  bytes,
  pattern: { kind: 'random', seed },
});

export const result = (id: string, memory: Buffer['memory'], bytes: number): Buffer => ({
  id,
  memory,
  bytes,
  pattern: unwritten,
});

export const copy = (src: string, dst: string, stream: string): OperationInput => ({ op: 'copy', src, dst, stream });

/** Reads one buffer, multiplies, writes another. */
export const kernel = (from: string, to: string, stream: string, passes = 1): OperationInput => ({
  op: 'kernel',
  kernel: { kind: 'stream', passes },
  reads: [from],
  writes: [to],
  stream,
});

/** Continues work of one stream in another through an event that the first records and the second waits for. */
export const handOver = (event: string, from: string, to: string): OperationInput[] => [
  { op: 'recordEvent', event, stream: from },
  { op: 'waitEvent', event, stream: to },
];

/** Streams that items use in turn. */
export const lanes = (count: number): { readonly id: string }[] => times(count, (number) => ({ id: `lane${number}` }));
export const laneOf = (item: number, count: number): string => `lane${((item - 1) % count) + 1}`;

/** Returns one host thread that issues the operations and waits for all of them. */
export const mainThread = (operations: readonly OperationInput[]): Parts['threads'] => [
  { id: 'main', operations: [...operations, { op: 'synchronizeDevice' }] },
];

export const repeat = (count: number, operations: OperationInput[]): OperationInput => ({
  op: 'repeat',
  count,
  operations,
});

/** Returns a new experiment: one host thread that does nothing yet. */
export const emptyExperiment = (name = 'New experiment'): Experiment =>
  template({ name, threads: [{ id: 'main', operations: [] }] });
