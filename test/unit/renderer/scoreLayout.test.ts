import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { lower } from '../../../core/program/lower.ts';
import { placeOfCell } from '../../../renderer/score/cells.ts';
import { blockHolding, scoreLayout } from '../../../renderer/score/scoreLayout.ts';
import { edits, momentsOf } from '../support/edits.ts';
import { experimentOf } from '../support/experiments.ts';
import { experiment } from './exampleRun.ts';

const example = (name: string) =>
  requireExperiment(readFileSync(new URL(`../../../assets/examples/overlap/${name}.json`, import.meta.url), 'utf8'));

const buffers = [
  { id: 'a', memory: 'pinned', bytes: 1024 },
  { id: 'b', memory: 'device', bytes: 1024 },
];
const copied = { op: 'copy', src: 'a', dst: 'b', stream: 'side' };
const threaded = experimentOf(
  { buffers, streams: [{ id: 'side' }], events: [{ id: 'done' }] },
  [
    { op: 'repeat', count: 3, operations: [{ op: 'work', durationNs: 1000 }, copied] },
    { op: 'recordEvent', event: 'done', stream: 'side' },
  ],
  [
    { op: 'copy', src: 'b', dst: 'a', stream: 'side' },
    { op: 'synchronizeEvent', event: 'done' },
  ],
);

describe('the score', () => {
  it('numbers operations as the program does', () => {
    for (const experiment of [example('pinned-side-stream'), threaded]) {
      const labels = new Map(lower(experiment).operations.map(({ op, label }) => [op, label]));
      const { blocks, groups } = scoreLayout(experiment);
      for (const { op, label } of [...blocks, ...groups]) expect(label).toBe(labels.get(op));
      expect(blocks.length + groups.length).toBe(labels.size);
    }
  });

  it('puts a block that is dropped at the ends of nested loops before, into or between them', () => {
    const work = (id: string) => ({ op: 'work', id, durationNs: 1000 });
    const repeat = (id: string, operations: unknown[]) => ({ op: 'repeat', id, count: 3, operations });
    const loops = requireExperiment({
      ...threaded,
      threads: [{ id: 'main', operations: [repeat('outer', [work('a'), repeat('inner', [work('b')])]), work('last')] }],
    });
    const outer = ['threads', 0, 'operations', 0, 'operations'];
    const inner = [...outer, 1, 'operations'];
    const placeAt = (column: number, part: number) =>
      placeOfCell(loops, scoreLayout(loops), { row: 0, column, part }, 0).place;
    const thread = ['threads', 0, 'operations'];
    expect(placeAt(0, 0.4)).toEqual({ list: thread, index: 0 });
    expect(placeAt(0, 0.9)).toEqual({ list: outer, index: 0 });
    expect([0.1, 0.4, 0.6, 0.9].map((part) => placeAt(1, part))).toEqual([
      { list: outer, index: 1 },
      { list: inner, index: 0 },
      { list: inner, index: 1 },
      { list: outer, index: 2 },
    ]);
    expect(placeAt(2, 0.9)).toEqual({ list: thread, index: 1 });
  });

  it('shows a folded range as one block, in the row of its kernels where it holds nothing else', () => {
    const kernel = { op: 'kernel', kernel: { kind: 'spin', durationNs: 2000 }, stream: 'side' };
    const step = (folded: boolean) => ({
      op: 'range',
      name: 'step',
      ...(folded ? { folded } : {}),
      operations: [
        { op: 'copy', src: 'a', dst: 'b', stream: 'side' },
        { op: 'range', name: '2 kernels', folded: true, operations: [kernel, kernel] },
        { op: 'recordEvent', event: 'done', stream: 'side' },
      ],
    });
    const main = [step(false), step(true), { op: 'synchronizeEvent', event: 'done' }];
    const layout = scoreLayout(
      requireExperiment({ ...structuredClone(threaded), threads: [{ id: 'main', operations: main }] }),
    );
    const shown = layout.blocks.map(({ op, lastOp, label, detail, row, column }) =>
      [op, lastOp, label, detail, row, column].join(' | ').replace(/\u00a0/g, ' '),
    );
    expect(shown).toEqual([
      '1 | 1 | H2D 1.00 KiB | pinned → device | 1 | 0',
      '2 | 4 | 2 kernels | 4.00 µs | 1 | 1',
      '5 | 5 | record done |  | 1 | 2',
      '6 | 11 | step | 5 operations | 0 | 3',
      '12 | 12 | synchronize done |  | 0 | 4',
    ]);
    expect(layout.edges).toEqual([{ event: 'done', from: 3, to: 4 }]);
    expect([3, 9, 5].map((op) => blockHolding(layout, op)?.label)).toEqual(['2 kernels', 'step', 'record done']);
    expect(blockHolding(layout, 0)).toBeUndefined();
  });

  it('puts stream operations into their stream, the rest into their thread', () => {
    const { rows, blocks } = scoreLayout(experiment);
    expect(rows.map((row) => row.name)).toEqual(['main', 'side', 'legacy default']);
    expect(blocks.map((block) => [block.operation.op, rows[block.row]?.name])).toEqual([
      ['copy', 'side'],
      ['recordEvent', 'side'],
      ['kernel', 'legacy default'],
      ['recordEvent', 'legacy default'],
      ['synchronizeEvent', 'main'],
      ['synchronizeEvent', 'main'],
    ]);
    expect(blocks.map((block) => block.paint)).toEqual(['h2d', 'mark', 'kernel', 'mark', 'host-sync', 'host-sync']);
  });

  it('never puts two blocks into one cell, and keeps issue order within a thread', () => {
    const { blocks, groups, columns } = scoreLayout(threaded);
    expect(new Set(blocks.map((block) => `${block.row}/${block.column}`)).size).toBe(blocks.length);
    expect(blocks.filter((block) => block.thread === 1).map((block) => block.column)).toEqual([3, 4]);
    expect(groups).toMatchObject([{ label: 'repeat 3×', firstColumn: 0, lastColumn: 1, depth: 0 }]);
    expect(columns).toBe(5);
  });

  it('is after any edits what it would be made from nothing', () => {
    fc.assert(
      fc.property(edits, (steps) => {
        const moments = momentsOf(threaded, steps);
        // One after another, as in editing; copies share nothing with earlier layouts.
        const made = moments.map(scoreLayout);
        expect(made).toEqual(moments.map((moment) => scoreLayout(structuredClone(moment))));
      }),
    );
  });
});
