import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addOperation } from '../../../core/experiment/edit/newOperation.ts';
import {
  deleteOperations,
  duplicateOperations,
  groupOperations,
  moveOperations,
  ungroupOperation,
} from '../../../core/experiment/edit/operations.ts';
import { atEndOf, operationPaths, placeAt } from '../../../core/experiment/edit/paths.ts';
import { resizeOperation } from '../../../core/experiment/edit/resize.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { lower } from '../../../core/program/lower.ts';
import { scoreLayout } from '../../../renderer/score/scoreLayout.ts';
import { experiment } from './exampleRun.ts';

const example = (name: string) =>
  requireExperiment(readFileSync(new URL(`../../../assets/examples/overlap/${name}.json`, import.meta.url), 'utf8'));

const threaded = requireExperiment({
  format: 'copyscope/experiment',
  version: 1,
  name: 'two threads',
  buffers: [
    { id: 'a', memory: 'pinned', bytes: 1024 },
    { id: 'b', memory: 'device', bytes: 1024 },
  ],
  streams: [{ id: 'side' }],
  events: [{ id: 'done' }],
  threads: [
    {
      id: 'first',
      operations: [
        {
          op: 'repeat',
          count: 3,
          operations: [
            { op: 'work', durationNs: 1000 },
            { op: 'copy', src: 'a', dst: 'b', stream: 'side' },
          ],
        },
        { op: 'recordEvent', event: 'done', stream: 'side' },
      ],
    },
    {
      id: 'second',
      operations: [
        { op: 'copy', src: 'b', dst: 'a', stream: 'side' },
        { op: 'synchronizeEvent', event: 'done' },
      ],
    },
  ],
});

describe('the score', () => {
  it('numbers operations as the program does', () => {
    for (const experiment of [example('pinned-side-stream'), threaded]) {
      const labels = new Map(lower(experiment).operations.map(({ op, label }) => [op, label]));
      const { blocks, groups } = scoreLayout(experiment);
      for (const { op, label } of [...blocks, ...groups]) expect(label).toBe(labels.get(op));
      expect(blocks.length + groups.length).toBe(labels.size);
    }
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

  it('joins a wait with the record before it', () => {
    const { blocks, edges } = scoreLayout(threaded);
    expect(edges.map(({ event, from, to }) => [event, blocks[from]?.operation.op, blocks[to]?.operation.op])).toEqual([
      ['done', 'recordEvent', 'synchronizeEvent'],
    ]);
  });

  it('is after any edits what it would be made from nothing', () => {
    const step = fc.record({
      kind: fc.constantFrom('resize', 'delete', 'duplicate', 'move', 'group', 'ungroup', 'default stream', 'work'),
      at: fc.nat(20),
      to: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let present = threaded;
        for (const one of steps) {
          present = changed(present, one) ?? present;
          // A copy shares nothing with what was laid out before.
          expect(scoreLayout(present)).toEqual(scoreLayout(structuredClone(present)));
        }
      }),
    );
  });
});

/** Null where that can't be done to this document. */
function changed(before: Experiment, step: { kind: string; at: number; to: number }): Experiment | null {
  const paths = operationPaths(before);
  const [path, to] = [step.at, step.to].map((at) => paths[at % Math.max(paths.length, 1)]);
  if (path === undefined || to === undefined) return null;
  try {
    return edited(before, step.kind, path, to).experiment;
  } catch {
    return null;
  }
}

function edited(before: Experiment, kind: string, path: Path, to: Path) {
  switch (kind) {
    case 'resize':
      return resizeOperation(before, path, 512);
    case 'delete':
      return deleteOperations(before, [path]);
    case 'duplicate':
      return duplicateOperations(before, [path]);
    case 'move':
      return moveOperations(before, [path], placeAt(to, 'after'));
    case 'group':
      return groupOperations(before, [path], { op: 'range', name: 'r' });
    case 'ungroup':
      return ungroupOperation(before, path);
    case 'default stream':
      return addOperation(before, 'kernel', placeAt(path), { row: 'stream', stream: 'default' });
    default:
      return addOperation(before, 'work', atEndOf(before, 1), { row: 'host' });
  }
}

type Path = ReturnType<typeof operationPaths>[number];
