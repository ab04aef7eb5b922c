/** Runs that a comparison offers. */
import { expect, it } from 'vitest';
import type { RunSummary } from '../../../core/service/service.ts';
import { offered } from '../../../renderer/compare/RunChooser.tsx';

const run = (id: string, fields: Partial<RunSummary> = {}): RunSummary => ({
  id,
  name: id,
  origin: 'recorded',
  engine: 'cuda',
  status: 'complete',
  createdAt: '2026-11-20T06:00:00Z',
  device: 'NVIDIA H200',
  makespanNs: 1000,
  builtIn: false,
  ...fields,
});
const idsOf = (runs: readonly RunSummary[], chosen: readonly string[] = [], first: readonly string[] = []) =>
  offered(Object.fromEntries(runs.map((one) => [one.id, one])), chosen, first).map(({ id }) => id);

it('offers own runs before those that ship, each newest first', () => {
  const runs = [
    run('shipped', { builtIn: true, createdAt: '2026-11-25T00:00:00Z' }),
    run('old', { createdAt: '2026-11-01T00:00:00Z' }),
    run('new', { createdAt: '2026-11-24T00:00:00Z' }),
    run('failed', { status: 'failed' }),
  ];
  expect(idsOf(runs)).toEqual(['new', 'old', 'shipped']);
  // Runs that were chosen when the list was opened come first, in their order.
  expect(idsOf(runs, [], ['shipped', 'gone', 'old'])).toEqual(['shipped', 'old', 'new']);
});

it('offers a recording once that ships and was opened as a file too', () => {
  const own = run('own', { name: 'vision.pageable' });
  const shipped = run('shipped', { name: 'vision.pageable', builtIn: true });
  const other = run('other', { name: 'vision.pageable', builtIn: true, makespanNs: 2000 });
  expect(idsOf([own, shipped, other])).toEqual(['own', 'other']);
  expect(idsOf([own, shipped, other], ['shipped'])).toEqual(['own', 'shipped', 'other']);
});
