import { describe, expect, it } from 'vitest';
import { hostTimes } from '../../../core/explain/figures/hostTime.ts';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import type { RowKind } from '../../../core/trace/trace.ts';
import { type DrawnRow, drawTrace } from '../support/draw.ts';

const base: Record<string, DrawnRow> = {
  c: { kind: 'host-call', op: 0, name: 'cudaMemcpyAsync' },
  C: { kind: 'copy', op: 0, src: 'pageable', dst: 'device', bytes: 1_000_000 },
  k: { kind: 'host-call', op: 1, name: 'cudaLaunchKernel' },
  K: { kind: 'kernel', op: 1 },
  s: { kind: 'host-sync', op: 2, name: 'cudaDeviceSynchronize' },
  w: { kind: 'host-work', op: 3 },
  g: { kind: 'host-range', op: 4 },
};
const times = (changes: Partial<DrawnRow>, call: Partial<DrawnRow> = {}) => {
  const rows = { ...base, C: { ...base['C'], ...changes }, c: { ...base['c'], ...call } } as Record<string, DrawnRow>;
  return hostTimes(
    iterationOf(
      drawTrace({
        rows,
        lanes: ['thread:main  cccck..sssww', 'thread:other ..w.......g.', 'stream:main  .CCC.KKKKK..'],
      }),
      0,
    ),
  );
};

describe('host time', () => {
  it('is held by a pageable copy, blocked, working, issuing, or something else', () => {
    expect(times({})).toEqual([
      {
        lane: 'thread:main',
        name: 'main',
        issuingNs: 1000,
        heldByCopyNs: 4000,
        blockedInSynchronizeNs: 3000,
        workingNs: 2000,
        otherNs: 2000,
        calls: 2,
      },
      expect.objectContaining({ lane: 'thread:other', workingNs: 1000, otherNs: 11_000, calls: 0 }),
    ]);
  });

  it.each([
    ['a pinned source', { src: 'pinned' }, {}, 0],
    ['64 KiB of pageable source', { bytes: 65_536 }, {}, 0],
    ['one byte more', { bytes: 65_537 }, {}, 4000],
    ['a small pageable destination', { src: 'device', dst: 'pageable', bytes: 4 }, {}, 4000],
    ['cudaMemcpy from pinned memory', { src: 'pinned' }, { name: 'cudaMemcpy' }, 4000],
    ['cudaMemcpy within the device', { src: 'device' }, { name: 'cudaMemcpy' }, 0],
  ] as const)('%s', (_, copy, call, heldByCopyNs) => {
    expect(times(copy, call)[0]).toMatchObject({ heldByCopyNs, issuingNs: 5000 - heldByCopyNs });
  });
});

it('a multi-tensor copy is issuing only for the rest of its call: the five shares make up the makespan', () => {
  const builder = new TraceBuilder();
  const lane = builder.lane({ kind: 'host-thread', id: 'thread:main', name: 'main', device: '' });
  const row = (kind: RowKind, startNs: number, durationNs: number) =>
    builder.add({ kind, lane, name: kind, op: 0, iteration: 0, startNs, durationNs });
  row('host-call', 0, 10_000);
  row('host-work', 2000, 3000);
  row('host-sync', 6000, 1000);
  row('host-call', 11_000, 1000);
  expect(hostTimes(iterationOf(builder.build(), 0))).toEqual([
    expect.objectContaining({
      issuingNs: 7000,
      heldByCopyNs: 0,
      blockedInSynchronizeNs: 1000,
      workingNs: 3000,
      otherNs: 1000,
    }),
  ]);
});
