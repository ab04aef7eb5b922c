/** The experiments whose programs are run on a GPU: 100 that nobody has looked at, and kernels of cuBLAS and cuFFT. */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { OperationOf } from '../../../core/experiment/operations.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { blindExperiments } from '../blind/blind.ts';

export interface Subject {
  readonly id: string;
  readonly experiment: Experiment;
}

/** Seed of experiments that nobody had looked at when this was written. */
export const defaultSeed = 20_261_130;

export const randomSubjects = (seed: number, count: number): readonly Subject[] =>
  [seed, seed + 1]
    .flatMap((one) => blindExperiments(one).map(({ id, experiment }) => ({ id: `${one}-${id}`, experiment })))
    .slice(0, count);

type Shape = OperationOf<'kernel'>['kernel'];
type Given<Kind extends Shape['kind']> = Partial<Extract<Shape, { kind: Kind }>>;

const matmul = (m: number, k: number, n: number, more: Given<'matmul'> = {}): Subject => {
  const { dtype = 'float32', tf32 = false } = more;
  const each = dtype === 'float32' ? 4 : 2;
  return subject(`matmul-${m}x${k}x${n}-${tf32 ? 'tf32' : dtype}`, { kind: 'matmul', m, n, k, dtype, tf32 }, dtype, [
    m * k * each,
    k * n * each,
    m * n * each,
  ]);
};

const fft = (size: number, batch: number): Subject => {
  const bytes = size * batch * 8;
  return subject(`fft-${batch}x${size}`, { kind: 'fft', size, batch }, 'float32', [bytes, bytes]);
};

function subject(id: string, kernel: object, kind: string, bytes: readonly number[]): Subject {
  const buffers = bytes.map((size, index) => ({
    ...{ id: `b${index}`, memory: 'device', bytes: size, pattern: { kind, seed: index + 1 } },
  }));
  const ids = buffers.map((buffer) => buffer.id);
  const launch = { op: 'kernel', label: 'kernel', kernel, reads: ids.slice(0, -1), writes: ids.slice(-1), stream: 's' };
  const document = {
    ...{ format: 'copyscope/experiment', version: 1, name: id, buffers, streams: [{ id: 's' }] },
    environment: { iterations: 7, warmups: 2 },
    threads: [
      { id: 'main', operations: [{ op: 'repeat', count: 5, operations: [launch] }, { op: 'synchronizeDevice' }] },
    ],
  };
  return { id, experiment: requireExperiment(JSON.stringify(document)) };
}

/** Square and not, of all types; transforms that fit a block's memory, that don't, and of sizes that are no powers of two. */
export const librarySubjects: readonly Subject[] = [
  ...[1024, 4096].flatMap((extent) => [
    matmul(extent, extent, extent),
    matmul(extent, extent, extent, { tf32: true }),
    matmul(extent, extent, extent, { dtype: 'float16' }),
    matmul(extent, extent, extent, { dtype: 'bfloat16' }),
  ]),
  ...[matmul(64, 8192, 512, { dtype: 'bfloat16' }), matmul(1000, 300, 77), matmul(1, 4096, 4096)],
  ...[fft(256, 65_536), fft(4096, 4096), fft(2 ** 20, 16), fft(1000, 1000), fft(10_007, 64)],
];
