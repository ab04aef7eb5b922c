import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../../core/service/service.ts';
import { filterRuns, type LibraryFilter, noFilter } from '../../../renderer/library/filter.ts';
import { selectedItems } from '../../../renderer/library/libraryView.ts';

const now = new Date('2026-11-20T12:00:00.000Z');

const run = (id: string, fields: Partial<RunSummary> = {}): RunSummary => ({
  id,
  name: `Run ${id}`,
  origin: 'simulated',
  engine: 'sim',
  status: 'complete',
  createdAt: '2026-11-20T10:00:00.000Z',
  device: 'NVIDIA H200',
  makespanNs: 100,
  builtIn: false,
  ...fields,
});

const runs = [
  run('a', { makespanNs: 300 }),
  run('b', { origin: 'measured', engine: 'cpu', device: 'EPYC', createdAt: '2026-11-18T10:00:00.000Z' }),
  run('c', { status: 'failed', engine: null, makespanNs: null, createdAt: '2026-09-01T10:00:00.000Z' }),
  run('d', {
    name: 'Deltoid',
    title: 'Before the fix',
    origin: 'recorded',
    engine: 'cuda',
    createdAt: '2026-11-20T11:00:00.000Z',
  }),
];
const listed = (filter: Partial<LibraryFilter>): string =>
  filterRuns(runs, { ...noFilter, ...filter }, now)
    .map(({ id }) => id)
    .join('');

describe('the runs that are listed', () => {
  it('are all, newest first, without a filter', () => expect(listed({})).toBe('dabc'));

  it('leave those of lessons to the lessons', () => {
    const shipped = ['recorded/lessons/graphs', 'recorded/overlap/pinned'].map((id) => run(id, { builtIn: true }));
    const imported = run('recorded/lessons/mine');
    expect(filterRuns([...shipped, imported], noFilter, now).map(({ id }) => id)).toEqual([
      'recorded/overlap/pinned',
      'recorded/lessons/mine',
    ]);
  });

  it.each([
    ['simulated', { origins: ['simulated'] }, 'ac'],
    ['of one of two origins', { origins: ['measured', 'recorded'] }, 'db'],
    ['of an engine; one that can’t be read has none', { engines: ['sim', 'cpu'] }, 'ab'],
    ['failed', { statuses: ['failed'] }, 'c'],
    ['of a device', { device: 'EPYC' }, 'b'],
    ['of the last day', { age: 'day' }, 'da'],
    ['of the last week', { age: 'week' }, 'dab'],
    ['of what meets all of it', { origins: ['simulated'], statuses: ['complete'] }, 'a'],
    ['found by title', { text: 'FIX before' }, 'd'],
    ['found by name, though it has a title', { text: 'deltoid' }, 'd'],
    ['found by device and origin', { text: 'epyc measured' }, 'b'],
    ['none, where a word is nowhere', { text: 'run nowhere' }, ''],
  ] as const)('can be those that are %s', (_what, filter, expected) => expect(listed(filter)).toBe(expected));

  it.each([
    ['oldest', 'cbad'],
    ['name', 'dabc'],
    ['shortest', 'dbac'],
    ['longest', 'adbc'],
  ] as const)('are sorted: %s; those without a makespan last', (sorting, expected) =>
    expect(listed({ sorting })).toBe(expected),
  );
});

it('a row hidden by a filter is not part of a selection', () => {
  const selected = new Set(['run:a', 'run:hidden', 'experiment:x']);
  expect(selectedItems(selected, ['experiment:x', 'run:a', 'run:b'])).toEqual({
    experiments: ['x'],
    runs: ['a'],
    sweeps: [],
  });
});
