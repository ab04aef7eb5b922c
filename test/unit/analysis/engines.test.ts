import { describe, expect, it } from 'vitest';
import { engineUse, linkUse } from '../../../core/explain/figures/engines.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { laneTitles } from '../../../core/trace/laneTitles.ts';
import { type DrawnRow, drawTrace } from '../support/draw.ts';

const rows: Record<string, DrawnRow> = {
  U: { kind: 'copy', src: 'pinned', dst: 'device', engine: 'h2d', bytes: 100_000 },
  V: { kind: 'copy', src: 'pageable', dst: 'device', engine: 'compute', bytes: 4096 },
  D: { kind: 'copy', src: 'device', dst: 'pinned', engine: 'd2h', bytes: 30_000 },
  K: { kind: 'kernel', engine: 'compute' },
};
const iteration = iterationOf(
  drawTrace({ rows, lanes: ['stream:a  UUUU.VV...', 'stream:b  ......DDDK', 'stream:c  ..UUUU....'] }),
  0,
);

describe('engine use', () => {
  it('gives busy time, share of the makespan, bytes and bandwidth of each engine', () => {
    expect(engineUse(iteration)).toEqual([
      {
        lane: 'engine:gpu:h2d',
        name: 'H2D engine',
        kind: 'copy-engine',
        device: 'gpu',
        direction: 'h2d',
        operations: 2,
        busyNs: 6000,
        shareOfMakespan: 0.6,
        bytes: 200_000,
        bytesPerSecond: (200_000 / 6000) * 1e9,
      },
      expect.objectContaining({ lane: 'compute:gpu', direction: null, operations: 2, busyNs: 3000, bytes: 4096 }),
      expect.objectContaining({ lane: 'engine:gpu:d2h', busyNs: 3000, bytesPerSecond: 1e10 }),
    ]);
  });

  it('counts on the link every copy of a direction, whatever moved it', () => {
    const link = linkUse(iteration);
    expect(link.h2d).toEqual({
      operations: 3,
      busyNs: 7000,
      shareOfMakespan: 0.7,
      bytes: 204_096,
      bytesPerSecond: (204_096 / 7000) * 1e9,
    });
    expect(link.d2h.bytesPerSecond).toBe(1e10);
  });
});

describe('two devices', () => {
  const rows: Record<string, DrawnRow> = {
    U: { kind: 'copy', src: 'pinned', dst: 'device', engine: 'h2d', bytes: 100_000 },
    K: { kind: 'kernel', engine: 'compute' },
  };
  const both = iterationOf(drawTrace({ rows, lanes: ['stream:a@g0  UUUUUUUUUU', 'stream:b@g1  UUUUUUUUK.'] }), 0);

  it('have a link each: a share of the makespan is one of both', () => {
    expect(linkUse(both).h2d).toMatchObject({ operations: 2, busyNs: 18_000, shareOfMakespan: 0.9 });
  });

  it('the engines of two devices differ in one list', () => {
    expect(laneTitles(engineUse(both))).toEqual(['H2D engine of g0', 'H2D engine of g1', 'Compute']);
  });
});
