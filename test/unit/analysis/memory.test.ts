import { describe, expect, it } from 'vitest';
import { memorySeries } from '../../../core/explain/figures/memory.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { lower } from '../../../core/program/lower.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { read, traceOf } from '../import/support.ts';
import { toyCosts } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';

const device = (id: string, bytes: number) => ({ id, memory: 'device', bytes, allocated: 'by-operation' }) as const;
const allocate = (buffer: string) => ({ op: 'allocate', buffer, allocator: 'cuda-malloc' }) as const;
const free = (buffer: string) => ({ op: 'free', buffer }) as const;

function seriesOf(...args: Parameters<typeof experimentOf>) {
  const program = lower(experimentOf(...args));
  return memorySeries(iterationOf(simulate(program, toyCosts()).trace, 0), program).map(
    ({ timeNs, bytes, ...rest }) => ({
      ...rest,
      bytes: [...bytes],
      ascending: timeNs.every((t, i) => t >= (timeNs[i - 1] ?? 0)),
    }),
  );
}

describe('memory over time', () => {
  it('goes up with an allocation and down with a free, above what was there before', () => {
    const buffers = [{ id: 'kept', memory: 'device', bytes: 1000 } as const, device('a', 300), device('b', 200)];
    const found = seriesOf({ buffers }, [allocate('a'), allocate('b'), free('a'), { op: 'synchronizeDevice' }]);
    expect(found).toEqual([
      { device: 'gpu', memory: 'device', bytes: [1000, 1300, 1500, 1200], mostBytes: 1500, ascending: true },
    ]);
  });

  it('counts each round of a repeat, and host memory apart', () => {
    const buffers = [
      { id: 'tensor', memory: 'pageable', bytes: 64 } as const,
      { id: 'pinned', memory: 'pinned', bytes: 64, allocated: 'by-operation' } as const,
      device('a', 300),
    ];
    const round = { op: 'repeat', count: 2, operations: [allocate('a'), free('a')] } as const;
    const found = seriesOf({ buffers }, [
      { op: 'pin', src: 'tensor', dst: 'pinned' },
      { ...round, operations: [...round.operations] },
    ]);
    expect(found).toEqual([
      { device: '', memory: 'pageable', bytes: [64], mostBytes: 64, ascending: true },
      { device: '', memory: 'pinned', bytes: [0, 64], mostBytes: 64, ascending: true },
      { device: 'gpu', memory: 'device', bytes: [0, 300, 0, 300, 0], mostBytes: 300, ascending: true },
    ]);
  });

  it('counts the tensors of a multi-tensor copy, and the page-locked memory that they are pinned into', () => {
    const payload = { tensors: 3, bytes: 1000, memory: 'pageable' } as const;
    const most = (strategy: 'pin-then-copy-non-blocking' | 'non-blocking-loop') =>
      seriesOf({ streams: [{ id: 's' }] }, [{ op: 'multiCopy', direction: 'h2d', payload, strategy, stream: 's' }]).map(
        ({ device: of, memory, mostBytes }) => [of || memory, mostBytes],
      );
    expect(most('non-blocking-loop')).toEqual([
      ['pageable', 3000],
      ['gpu', 3000],
    ]);
    expect(most('pin-then-copy-non-blocking')).toContainEqual(['pinned', 3000]);
  });

  it('counts what concurrent streams hold at once when the device comes to it, and one stream only once', () => {
    const kernel = { op: 'kernel', kernel: { kind: 'spin', durationNs: 1000 }, smShare: 0.1 } as const;
    const item = (buffer: string, stream: string) => [
      { op: 'allocate', buffer, allocator: 'pool', stream } as const,
      { ...kernel, reads: [], writes: [buffer], stream },
      { op: 'free', buffer, stream } as const,
    ];
    const buffers = [device('a', 300), device('b', 300)];
    const streams = [{ id: 's' }, { id: 't' }];
    const most = (second: string) =>
      seriesOf({ buffers, streams }, [...item('a', 's'), ...item('b', second)]).map(({ mostBytes }) => mostBytes);
    expect(most('s')).toEqual([300]);
    expect(most('t')).toEqual([600]);
  });

  it('follows the memory events of a profiler trace, from what was allocated before it', async () => {
    const memory = (ts: number, bytes: number, total: number, deviceType: number) => ({
      ...{ ph: 'i', cat: 'cpu_instant_event', s: 't', name: '[memory]', pid: 42, tid: 7, ts },
      args: {
        'Device Type': deviceType,
        'Device Id': deviceType === 0 ? -1 : 0,
        Bytes: bytes,
        'Total Allocated': total,
      },
    });
    const { trace } = await read(
      traceOf([
        memory(1, 512, 1536, 1),
        memory(2, 100, 100, 0),
        memory(3, -512, 1024, 1),
        { ph: 'i', name: 'other', ts: 4 },
      ]),
    );
    const found = memorySeries(iterationOf(trace, 0), null);
    expect(found.map(({ device: of, memory: kind, timeNs, bytes }) => [of, kind, [...timeNs], [...bytes]])).toEqual([
      ['gpu0', 'device', [0, 0, 2000], [1024, 1536, 1024]],
      ['', 'pageable', [0, 1000], [0, 100]],
    ]);
  });
});
