/** Programs written from experiments: they compile, contain all operations, and note what they can't express. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeLanguages, codeOf } from '../../../core/code/code.ts';
import { operationNames } from '../../../core/experiment/operations.ts';
import { lower } from '../../../core/program/lower.ts';
import { mathHeaders } from '../../support/mathHeaders.ts';
import { everything } from '../../unit/code/everything.ts';
import { randomSubjects, shippedSubjects } from '../../unit/code/subjects.ts';
import { experimentOf } from '../../unit/support/experiments.ts';

const folder = newFolder();

/** Returns an experiment with cudaMemcpy in the default stream of the host thread, or in that of the device. */
const blockingCopy = (defaultStream: 'per-thread' | 'legacy') => {
  const buffers = [
    { id: 'source', memory: 'pinned', bytes: 4096 },
    { id: 'target', memory: 'device', bytes: 4096 },
  ] as const;
  const copy = { op: 'copy', src: 'source', dst: 'target', mode: 'blocking-memcpy' } as const;
  return experimentOf({ environment: { defaultStream }, buffers: [...buffers] }, [copy]);
};

/** Experiments whose CUDA programs are compiled. */
const compiled = [
  { name: 'everything', experiment: everything() },
  { name: 'per-thread', experiment: blockingCopy('per-thread') },
];

const subjects = [
  ...compiled,
  ...shippedSubjects(join(import.meta.dirname, '../../../assets/examples')),
  ...randomSubjects(),
];

const isThere = (command: string, ...args: readonly string[]): boolean => spawnSync(command, args).status === 0;

/** Compiles each file without running it or leaving files, and prints those that fail. */
const compileAll = `
import sys
for name in sys.argv[1:]:
    try:
        compile(open(name, encoding="utf-8").read(), name, "exec")
    except SyntaxError as error:
        print(name, error)
`;

import { newFolder } from '../../support/newFolder.ts';

describe('a program that is written from an experiment', () => {
  it('has every operation in the experiment that the tests below compile', () => {
    const kinds = new Set(lower(everything()).operations.map(({ kind }) => kind));
    expect(operationNames.filter((name) => !kinds.has(name))).toEqual([]);
  });

  it('a program of PyTorch is valid Python: all shipped examples and 100 random ones', (context) => {
    if (!isThere('python3', '--version')) return context.skip('python3 is not installed');
    const files = subjects.map(({ name, experiment }) => {
      const file = join(folder, `${name}.py`);
      writeFileSync(file, codeOf(experiment, 'pytorch').text);
      return file;
    });
    const { status, stdout, stderr } = spawnSync('python3', ['-c', compileAll, ...files], { encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it.for(compiled)('a program of CUDA compiles with nvcc without a warning: $name', ({ name, experiment }, context) => {
    if (!isThere('nvcc', '--version')) return context.skip('nvcc is not installed');
    const file = join(folder, `${name}.cu`);
    writeFileSync(file, codeOf(experiment, 'cuda').text);
    // Checks the host code too, without compiling the device's to machine code.
    const target = join(folder, `${name}.ptx`);
    const args = ['-std=c++17', '-Werror', 'all-warnings', ...mathHeaders(), '-ptx', '-o', target, file];
    const { status, stderr } = spawnSync('nvcc', args, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it.each(codeLanguages)('in %s has a line for every operation that does something', (language) => {
    for (const { name, experiment } of subjects) {
      const program = lower(experiment);
      const doing = new Set(program.threads.flatMap(({ instructions }) => instructions.map(({ op }) => op)));
      const { text, ops } = codeOf(experiment, language);
      const said = new Set(ops);
      expect({ name, missing: [...doing].filter((op) => !said.has(op)) }).toEqual({ name, missing: [] });
      expect(ops.length).toBe(text.split('\n').length - 1);
      expect(Math.max(...ops)).toBeLessThan(program.operations.length);
    }
  });
});

const notesOf = (language: 'cuda' | 'pytorch', operation: object) => {
  const buffers = [
    { id: 'h', memory: 'mapped', bytes: 64 },
    { id: 'd', memory: 'device', bytes: 64 },
    { id: 'e', memory: 'device', bytes: 64 },
    { id: 'made', memory: 'device', bytes: 64, allocated: 'by-operation' },
  ] as const;
  const { text, notes } = codeOf(
    experimentOf({ buffers: [...buffers], streams: [{ id: 's' }] }, [operation]),
    language,
  );
  // The note is next to the operation too, within the line's length.
  for (const note of notes) expect(text).toContain(`Note: ${note.text.slice(0, 40)}`);
  return notes.filter(({ op }) => op === 0).map((note) => note.text);
};

it.each([
  ['pytorch', { op: 'hostFunction', durationNs: 5, stream: 's' }, /no host functions/],
  ['pytorch', { op: 'memset', buffer: 'd', stream: 's' }, /fill_ launches a kernel/],
  ['pytorch', { op: 'kernel', kernel: { kind: 'stream' }, reads: ['h'], writes: ['d'] }, /takes no host memory/],
  ['pytorch', { op: 'kernel', kernel: { kind: 'spin', durationNs: 1 }, smShare: 0.5 }, /\(0\.5 is meant\)/],
  ['pytorch', { op: 'copy', src: 'd', dst: 'h', mode: 'blocking-memcpy' }, /where cudaMemcpy is meant/],
  ['pytorch', { op: 'allocate', buffer: 'made', allocator: 'pool' }, /where cudaMallocAsync is meant/],
  ['cuda', { op: 'allocate', buffer: 'made' }, /caching allocator is not CUDA's/],
  ['cuda', { op: 'multiCopy', payload: { tensors: 2, bytes: 64 }, stream: 's' }, /several threads/],
] as const)('the limits of a language are notes in %s of %j', (language, operation, words) => {
  expect(notesOf(language, operation).join()).toMatch(words);
});

it.each(codeLanguages)('a program in %s marks the waits that a remedy adds, and nothing else', (language) => {
  const parts = { streams: [{ id: 's' }, { id: 't' }], events: [{ id: 'there' }] };
  const spin = (stream: string, durationNs: number) =>
    ({ op: 'kernel', kernel: { kind: 'spin', durationNs }, stream }) as const;
  const before = experimentOf(parts, [spin('s', 1000), spin('t', 1000), spin('t', 1000)]);
  const after = experimentOf(parts, [
    spin('s', 1000),
    { op: 'recordEvent', event: 'there', stream: 's' },
    { op: 'waitEvent', event: 'there', stream: 't' },
    spin('t', 1000),
    spin('t', 2000),
  ]);
  const { text, ops, remedied } = codeOf(after, language, before);
  const lines = text.split('\n');
  expect([...remedied].every((line) => [1, 2, 4].includes(ops[line] ?? -1))).toBe(true);
  expect(lines.filter((line, index) => line.includes('Remedy:') && !remedied.has(index))).toEqual([]);
  // Each has a comment and the call itself.
  expect(remedied.size).toBeGreaterThanOrEqual(6);
  const marked = lines.flatMap((line, index) =>
    line.includes('Remedy:') ? [[ops[index], line.trim().slice(-8)]] : [],
  );
  expect(marked).toEqual([
    [1, ': added.'],
    [2, ': added.'],
    [4, 'changed.'],
  ]);
  expect(codeOf(after, language, after).text).not.toContain('Remedy:');
});

it('cudaMemcpy is in the default stream that the experiment means', () => {
  const [own, legacy] = [codeOf(blockingCopy('per-thread'), 'cuda').text, codeOf(blockingCopy('legacy'), 'cuda').text];
  const ends = '(target, source, 4 * KiB, cudaMemcpyHostToDevice)';
  expect(own).toContain(`CHECK(cudaMemcpy_ptds${ends});`);
  expect(own).toMatch(/^extern "C" cudaError_t CUDARTAPI cudaMemcpy_ptds\(/m);
  expect(legacy).toContain(`CHECK(cudaMemcpy${ends});`);
  expect(legacy).not.toContain('_ptds');
});

const made = { bytes: 4096, allocated: 'by-operation' } as const;
const buffers = [
  { id: 'source', memory: 'pageable', bytes: 4096 },
  { id: 'page_locked', memory: 'pinned', ...made },
  { id: 'target', memory: 'device', ...made },
  { id: 'registered', memory: 'registered', ...made },
] as const;
const experiment = () =>
  experimentOf({ buffers: [...buffers] }, [
    { op: 'pin', src: 'source', dst: 'page_locked' },
    { op: 'allocate', buffer: 'target' },
    { op: 'allocate', buffer: 'registered' },
    { op: 'copy', src: 'page_locked', dst: 'target' },
    { op: 'copy', src: 'target', dst: 'registered' },
    { op: 'synchronizeDevice' },
  ]);

it.each([
  ['cuda', 'nullptr', 'for (int iteration', 'auto begin'],
  ['pytorch', 'None', 'for iteration in', 'begin = '],
] as const)(
  'memory that nothing frees ends as the next iteration begins, outside of the time that is printed: %s',
  (language, none, loop, timed) => {
    const { text } = codeOf(experiment(), language);
    const iteration = text.slice(text.indexOf(loop));
    for (const name of ['page_locked', 'target', 'registered']) {
      const ends = iteration.indexOf(`${name} = ${none}`);
      expect(ends).toBeGreaterThan(0);
      expect(ends).toBeLessThan(iteration.indexOf(timed));
      expect(iteration.lastIndexOf(`${name} = ${none}`)).toBe(ends);
    }
  },
);

describe('a library that an operation makes in each iteration', () => {
  const numbers = { memory: 'device', bytes: 8192, pattern: { kind: 'float32', seed: 5 } } as const;
  const buffers = ['factor', 'product'].map((id) => ({ id, ...numbers }));
  const shape = { kind: 'matmul', m: 16, n: 32, k: 24, dtype: 'float32' } as const;
  const product = (workspace: 'before-run' | 'first-use') =>
    ({
      ...{ op: 'kernel', reads: ['factor', 'factor'], writes: ['product'], stream: 's' },
      kernel: { ...shape, workspace },
    }) as const;
  /** Returns calls of cuBLAS and of graph capture, in the iteration's order. */
  const callsOf = (...operations: object[]): string[] => {
    const { text } = codeOf(experimentOf({ buffers, streams: [{ id: 's' }] }, operations), 'cuda');
    const iteration = text.slice(text.indexOf('int main()'));
    return [...iteration.matchAll(/(?:blas\.|cudaStream|\b)(make|multiply|drop|BeginCapture|endCapture)\(/g)].map(
      ([, call]) => call ?? '',
    );
  };

  it('is there for the kernels before it, in the same stream', () => {
    expect(callsOf(product('before-run'), product('first-use'))).toEqual([
      ...['drop', 'make', 'multiply', 'make', 'multiply'],
    ]);
  });
});
