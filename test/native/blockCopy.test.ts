/** Block copies on the CPU engine: every byte of every block, and the rows of each strategy. */
import { expect, test } from 'vitest';
import { blockCopyStrategies } from '../../core/experiment/operations.ts';
import { describeNative, once, request, rowsOf, runOnCpu } from './support.ts';

const ends = { h: { memory: 'pinned' }, d: { memory: 'device' }, p: { memory: 'pageable' } } as const;

/** Rows of a matrix and their place in a wider one. */
const rows = { blockBytes: 100, srcOffset: 12, srcPitchBytes: 128, dstLayout: 'contiguous', dstOffset: 4 };

function copies(way: string, strategy: (typeof blockCopyStrategies)[number], more: object = {}) {
  const [from, to] = [way.charAt(0) as 'h', way.charAt(2) as 'd'];
  return request({
    environment: once,
    buffers: [
      { id: 'from', ...ends[from], bytes: 65_536, pattern: { kind: 'random', seed: 3 } },
      { id: 'to', ...ends[to], bytes: 65_536 },
    ],
    streams: [{ id: 's' }],
    operations: [
      {
        op: 'blockCopy',
        src: 'from',
        dst: 'to',
        blocks: 9,
        blockBytes: [4096, 100, 7],
        ...(strategy === 'pitched' && rows),
        strategy,
        stream: 's',
        ...more,
      },
      { op: 'synchronizeStream', stream: 's' },
    ],
  });
}

describeNative('block copies on the CPU engine', () => {
  for (const way of ['h2d', 'd2h', 'd2d']) {
    const overLink = new Set<string>(way === 'd2d' ? ['packed', 'pitched'] : []);
    for (const strategy of blockCopyStrategies.filter((one) => !overLink.has(one))) {
      test(`${way} by ${strategy} puts every byte in its place`, async () => {
        const { verification } = (await runOnCpu(copies(way, strategy))).info;
        expect(verification.checks.reduce((sum, { bytesWrong }) => sum + bytesWrong, 0)).toBe(0);
        const checked = verification.checks.filter(({ buffer }) => buffer === 'to');
        expect(checked.reduce((sum, { bytesChecked }) => sum + bytesChecked, 0)).toBe(65_536);
      });
    }
  }

  test('a loop has a copy for each block, a batch one copy, a kernel one kernel', async () => {
    const rows = async (strategy: 'loop' | 'batch' | 'kernel') =>
      rowsOf(await runOnCpu(copies('h2d', strategy)))
        .filter(({ op, kind }) => op === 0 && kind !== 'host-sync')
        .map(({ kind, name }) => (kind === 'host-call' ? name : kind));
    const loop = await rows('loop');
    expect(loop.filter((one) => one === 'cudaMemcpyAsync')).toHaveLength(9);
    expect(loop.filter((one) => one === 'copy')).toHaveLength(9);
    expect((await rows('batch')).sort()).toEqual(['copy', 'cudaMemcpyBatchAsync']);
    expect((await rows('kernel')).sort()).toEqual(['cudaLaunchKernel', 'kernel']);
  });

  test.each([
    ['h2d', 'pitched', rows, ['copy', 'cudaMemcpy2DAsync']],
    ['h2d', 'tensor', rows, ['host-work', 'cudaMemcpyAsync', 'copy', 'cudaStreamSynchronize']],
    ['d2h', 'tensor', rows, ['cudaLaunchKernel', 'kernel', 'cudaMemcpyAsync', 'copy', 'cudaStreamSynchronize']],
    [
      'h2d',
      'tensor',
      { srcLayout: 'contiguous', dstLayout: 'contiguous' },
      ['cudaMemcpyAsync', 'copy', 'cudaStreamSynchronize'],
    ],
    ['d2d', 'tensor', rows, ['cudaLaunchKernel', 'kernel']],
  ] as const)('%s of rows by %s has the rows %o', async (way, strategy, shape, wanted) => {
    const run = await runOnCpu(copies(way, strategy, shape));
    const found = rowsOf(run).filter(({ op }) => op === 0);
    const names = found.map(({ kind, name }) => (kind === 'host-call' || kind === 'host-sync' ? name : kind));
    expect(names.sort()).toEqual([...wanted].sort());
    expect(run.info.verification).toMatchObject({ bytesWrong: 0, unverified: [] });
  });

  test('pageable blocks are gathered by the host', async () => {
    const run = await runOnCpu(copies('p2d', 'packed'));
    const kinds = rowsOf(run)
      .filter(({ op }) => op === 0)
      .map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['host-work', 'host-call', 'host-sync', 'copy', 'kernel']));
    expect(run.info.verification.checks.every(({ bytesWrong }) => bytesWrong === 0)).toBe(true);
  });

  test('a loop inside a repeat goes on behind it', async () => {
    const wanted = copies('h2d', 'loop');
    const [copy, wait] = wanted.experiment.threads[0]?.operations ?? [];
    const repeated = { op: 'repeat', count: 3, operations: [copy] };
    const { format: _format, ...document } = wanted.experiment;
    const run = await runOnCpu(
      request({ ...document, threads: [{ id: 'main', operations: [repeated, wait] }] } as never),
    );
    expect(rowsOf(run).filter(({ kind }) => kind === 'copy')).toHaveLength(27);
    expect(run.info.verification.checks.every(({ bytesWrong }) => bytesWrong === 0)).toBe(true);
  });
});
