import { describe, expect, it, vi } from 'vitest';
import { operationRows } from '../../../core/explain/figures/operations.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { type DrawnRow, drawTrace } from '../support/draw.ts';

const rows: Record<string, DrawnRow> = {
  c: { kind: 'host-call', op: 0, name: 'cudaMemcpyAsync' },
  C: { kind: 'copy', op: 0, name: 'H2D', src: 'pinned', dst: 'device', bytes: 100_000, engine: 'h2d' },
  k: { kind: 'host-call', op: 1, name: 'cudaLaunchKernel' },
  K: { kind: 'kernel', op: 1, name: 'spin kernel' },
  s: { kind: 'host-sync', op: 2, name: 'cudaStreamSynchronize' },
};
const iteration = iterationOf(
  drawTrace({ rows, lanes: ['thread:main  cck.cc.sss', 'stream:main  ..CC..CC..', 'stream:side  ...KK.....'] }),
  0,
);

describe('operations', () => {
  it('lists each execution once, with the call that issued it', () => {
    const table = operationRows(iteration, {
      info: (op) => (op === 1 ? { id: 'kernel1', label: 'multiply' } : undefined),
    });
    expect(table.map(({ op, occurrence, kind, label, startNs }) => [op, occurrence, kind, label, startNs])).toEqual([
      [0, 0, 'copy', 'H2D', 2000],
      [1, 0, 'kernel', 'multiply', 3000],
      [0, 1, 'copy', 'H2D', 6000],
      [2, 0, 'host-sync', 'cudaStreamSynchronize', 7000],
    ]);
    expect(table[1]?.id).toBe('kernel1');
    expect(table[2]).toEqual({
      op: 0,
      id: null,
      occurrence: 1,
      kind: 'copy',
      label: 'H2D',
      name: 'H2D',
      lane: 'stream:main',
      engine: 'engine:gpu:h2d',
      startNs: 6000,
      durationNs: 2000,
      bytes: 100_000,
      direction: 'h2d',
      srcMemory: 'pinned',
      dstMemory: 'device',
      hostCall: 'cudaMemcpyAsync',
      hostCallStartNs: 4000,
      hostCallNs: 2000,
      bytesPerSecond: 5e10,
      attainableBytesPerSecond: null,
    });
    expect(table[3]).toMatchObject({ lane: 'thread:main', engine: null, hostCall: null, durationNs: 3000 });
  });

  it('asks what a copy can attain by direction, host memory and size', () => {
    const attainable = vi.fn(() => 5.5e10);
    const table = operationRows(iteration, { attainable });
    expect(attainable.mock.calls).toEqual([
      ['h2d', 'pinned', 100_000],
      ['h2d', 'pinned', 100_000],
    ]);
    expect(table.map((row) => row.attainableBytesPerSecond)).toEqual([5.5e10, null, 5.5e10, null]);
  });

  it('joins by correlation where the trace has it, whatever the order of the calls', () => {
    const crossed: Record<string, DrawnRow> = {
      a: { kind: 'host-call', op: 5, name: 'first', correlation: 1 },
      b: { kind: 'host-call', op: 5, name: 'second', correlation: 2 },
      X: { kind: 'kernel', op: 5, correlation: 2 },
      Y: { kind: 'kernel', op: 5, correlation: 1 },
    };
    const trace = drawTrace({ rows: crossed, lanes: ['thread:t ab....', 'stream:s ..XXYY'] });
    expect(operationRows(iterationOf(trace, 0)).map(({ hostCall }) => hostCall)).toEqual(['second', 'first']);
  });
});
