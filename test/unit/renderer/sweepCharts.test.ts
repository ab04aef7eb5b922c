/** Charts of sweeps over names, and of several sweeps together. */
import { expect, it } from 'vitest';
import { metrics } from '../../../core/apps/sweep/metrics.ts';
import { requireSweep } from '../../../core/apps/sweep/parse.ts';
import type { Sweep } from '../../../core/service/service.ts';
import { sweepLines, together } from '../../../renderer/sweep/specs.ts';
import { example } from '../host/support/runs.ts';

const makespan = metrics.find(({ id }) => id === 'makespan');
const delivered = metrics.find(({ id }) => id === 'h2dDelivered');
if (makespan === undefined || delivered === undefined) throw new Error('a metric is missing');

function sweepOf(
  name: string,
  axes: unknown[],
): { readonly sweep: Sweep; readonly plan: ReturnType<typeof requireSweep> } {
  const document = { format: 'copyscope/sweep', version: 1, name, base: { experiment: example() }, axes };
  const plan = requireSweep(document);
  const spread = (median: number) => ({ median, min: median, max: median, count: 1 });
  const outcomes = Array.from({ length: plan.count }, (_, point) => ({
    point,
    status: 'done',
    run: { id: `${name} ${point}`, createdAt: '2026-11-20T00:00:00.000Z' },
    linkBytesPerSecond: null,
    figures: { makespan: spread(100 + point), h2dDelivered: spread(1e9), h2dBandwidth: spread(5e9) },
  }));
  const summary = { id: name, name, origin: 'simulated', device: 'NVIDIA H200', createdAt: '2026-11-20T00:00:00.000Z' };
  return { sweep: { summary, document, outcomes, iterations: null } as unknown as Sweep, plan };
}

const sizes = (...values: string[]) => ({ fields: ['buffers[0].bytes', 'buffers[1].bytes'], values });
const memory = { fields: ['buffers[0].memory'], values: ['pageable', 'pinned'] };

it('the chart of a sweep over names has a line for each of them over the sizes, whichever axis comes first', () => {
  for (const axes of [
    [sizes('1 MiB', '2 MiB', '4 MiB'), memory],
    [memory, sizes('1 MiB', '2 MiB', '4 MiB')],
  ]) {
    const { sweep, plan } = sweepOf('both', axes);
    const spec = sweepLines(sweep, plan, makespan);
    expect(spec.kind).toBe('lines');
    expect(spec.rows.map(({ name }) => name.replace(/of \w+/, 'of x'))).toEqual([
      'Memory of x pageable',
      'Memory of x pinned',
    ]);
    expect(spec.rows[0]?.cells).toHaveLength(3);
  }
});

it('two sweeps in one chart share an axis of all their sizes, and each line says whose it is', () => {
  const one = sweepOf('pinned', [sizes('1 MiB', '4 MiB')]);
  const other = sweepOf('pageable', [sizes('1 MiB', '2 MiB')]);
  const chart = ({ sweep, plan }: typeof one) => ({
    name: sweep.summary.name,
    createdAt: sweep.summary.createdAt,
    spec: sweepLines(sweep, plan, makespan),
  });
  const spec = together(chart(one), [chart(other)]);
  expect(spec.kind === 'lines' && spec.x.values).toEqual([1, 2, 4].map((size) => size * 1024 ** 2));
  expect(spec.rows.map(({ name }) => name)).toEqual(['pinned', 'pageable']);
  expect(spec.rows[0]?.cells[1]).toBeNull();
  expect(spec.rows[1]?.cells[1]).toMatchObject({ value: 101 });
});
