import { expect, it } from 'vitest';
import { runFigures } from '../../../core/apps/sweep/metrics.ts';
import type { Run } from '../../../core/trace/run.ts';
import { type DrawnRow, drawTrace } from '../support/draw.ts';

it('figures of a run on two devices are shares of the makespan of both', () => {
  const rows: Record<string, DrawnRow> = {
    U: { kind: 'copy', src: 'pinned', dst: 'device', engine: 'h2d', bytes: 100_000 },
    K: { kind: 'kernel', engine: 'compute' },
  };
  const lanes = ['stream:a@g0  UUUUUUKKKK', 'stream:b@g1  UUUUUUUUKK'];
  const figures = runFigures({ trace: drawTrace({ rows, lanes }) } as Run);
  expect(figures['h2dUse']?.median).toBeCloseTo(0.7);
  expect(figures['kernelUse']?.median).toBeCloseTo(0.3);
});
