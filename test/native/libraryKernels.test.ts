/** matmul and fft by the CPU engine's loops, checked by the executor against the content of their operands. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Program } from '../../core/program/program.ts';
import { ownMathHeaders } from '../support/mathHeaders.ts';
import { patternWord } from '../support/pattern.ts';
import { describeNative, once, request, rowsOf, runOnCpu } from './support.ts';

const types = ['float32', 'float16', 'bfloat16'] as const;
const device = (id: string, bytes: number, kind: 'float32' | 'float16' | 'bfloat16' = 'float32', seed = 1) => ({
  ...{ id, memory: 'device' as const, bytes },
  pattern: { kind, seed },
});

const product = (dtype: (typeof types)[number], more: object = {}) => {
  const bytes = 40 * 56 * 4;
  return request({
    environment: once,
    buffers: [device('a', bytes, dtype), device('b', bytes, dtype, 2), device('c', bytes)],
    streams: [{ id: 's' }],
    operations: [
      {
        ...{ op: 'kernel', reads: ['a', 'b'], writes: ['c'], stream: 's' },
        kernel: { kind: 'matmul', m: 40, n: 24, k: 56, dtype, ...more },
      },
    ],
  });
};

const transform = (size: number, batch: number) =>
  request({
    environment: once,
    buffers: [device('in', size * batch * 8), device('out', size * batch * 8)],
    operations: [
      { op: 'kernel', reads: ['in'], writes: ['out'], kernel: { kind: 'fft', size, batch, plan: 'first-use' } },
    ],
  });

/** Returns the program with wrong claims about the operands' content. */
const mistaken = (program: Program): Program => ({
  ...program,
  results: program.results.map((result) => ({
    ...result,
    operands: result.operands.map((content) => ({ ...content, pattern: { kind: 'float32' as const, seed: 77 } })),
  })),
});

describeNative('kernels of libraries on the CPU engine', () => {
  test.each(types)('a product of %s is what its factors say, in every number', async (dtype) => {
    const run = await runOnCpu(product(dtype));
    expect(run.info.verification).toMatchObject({
      bytesChecked: 40 * 24 * (dtype === 'float32' ? 4 : 2),
      bytesWrong: 0,
    });
  });

  test.each([
    [64, 10],
    [100, 7],
    [2, 2],
    [4096, 2],
  ])('transforms of %i numbers are what their input says', async (size, batch) => {
    const run = await runOnCpu(transform(size, batch));
    expect(run.info.verification.bytesWrong).toBe(0);
    expect(run.info.verification.bytesChecked).toBeGreaterThan(0);
  });

  test('verification reports the first wrong number of a result', async () => {
    for (const { experiment, program } of [product('float32'), transform(64, 10)]) {
      const run = await runOnCpu({ experiment, program: mistaken(program) });
      const { bytesChecked, bytesWrong, checks } = run.info.verification;
      expect(bytesWrong).toBeGreaterThan(0.9 * bytesChecked);
      expect(checks[0]?.firstWrong).toBeLessThan(64);
    }
  });

  test('loops need nothing made before, so that first uses leave no calls', async () => {
    const run = await runOnCpu(product('float32', { workspace: 'first-use' }));
    expect(
      rowsOf(run)
        .filter(({ lane }) => lane === 'thread:main')
        .map(({ name }) => name),
    ).toEqual(['cublasGemmEx']);
  });

  test('memory holds the numbers that core says', async () => {
    const words = 64;
    const run = await runOnCpu(
      request({
        environment: once,
        buffers: types.map((id) => ({ id, memory: 'pageable' as const, bytes: 4 * words })),
        operations: types.flatMap((kind) => [
          ...Array.from({ length: words }, (_, word) => ({
            ...{ op: 'write' as const, buffer: kind, offset: 4 * word, bytes: 4 },
            pattern: { kind: 'constant' as const, value: patternWord({ kind, seed: 8 }, word) },
          })),
          { op: 'read' as const, buffer: kind, expect: { kind, seed: 8 } },
        ]),
      }),
    );
    expect(run.info.verification).toMatchObject({ bytesChecked: 2 * types.length * 4 * words, bytesWrong: 0 });
  });
});

describe('the prototypes of cuBLAS and cuFFT', () => {
  const root = join(import.meta.dirname, '../..');
  const check = (include: string) =>
    spawnSync(
      'g++',
      ['-std=c++17', '-fsyntax-only', '-I', 'native/src', '-I', include, '-I', '/usr/local/cuda/include'].concat(
        'native/tests/math_headers.cpp',
      ),
      { cwd: root, encoding: 'utf8' },
    );

  test("the prototypes agree with our own declarations if NVIDIA's headers are missing", (context) => {
    if (spawnSync('nvcc', ['--version']).status !== 0) return context.skip('there is no CUDA toolkit');
    const { status, stderr } = check(join(root, 'test/fixtures/cuda-math'));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test("agree with NVIDIA's headers", (context) => {
    const headers = ownMathHeaders();
    if (headers === null) return context.skip('this machine has no headers of cuBLAS and cuFFT');
    const { status, stderr } = check(headers);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
