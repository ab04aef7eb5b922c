/** Lanes have the streams' names of their program, or of the profiler. */
import { expect, it } from 'vitest';
import { complete, read, traceOf } from './support.ts';

const named = (stream: unknown, name: string, pid: unknown = 0) => ({
  ph: 'M',
  name: 'thread_name',
  pid,
  tid: stream,
  args: { name },
});

const streamsOf = async (...names: readonly object[]): Promise<string[]> => {
  const kernels = [7, 13].map((stream) =>
    complete('kernel', 'gemm', stream, 1, { device: 0, stream, correlation: stream }, stream),
  );
  const { trace } = await read(traceOf([...kernels, ...names]));
  return trace.lanes.filter(({ kind }) => kind === 'stream').map(({ name }) => name);
};

it.each([
  ['without names', [], ['7', '13']],
  [
    "with the profiler's own, which say the number again",
    [named(7, 'stream 7 '), named(13, 'stream 13 13')],
    ['7', '13'],
  ],
  ['with one that the program gave', [named(7, 'stream 7 '), named(13, 'stream 13 copies')], ['7', '13 copies']],
  ['with no number before it', [named(13, 'copies')], ['7', '13 copies']],
  ['as Copyscope writes it', [named(13, 'gpu0 13 copies')], ['7', '13 copies']],
  ["of another process's thread of that number", [named(13, 'loader', 42)], ['7', '13']],
])('%s', async (_, names, expected) => {
  expect(await streamsOf(...names)).toEqual(expected);
});
