/** Every edit keeps the document valid or refuses with a message; and the effect of each one. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CopyscopeError } from '../../../core/errors.ts';
import {
  countUsage,
  declarationKinds,
  deleteDeclaration,
  renameDeclaration,
} from '../../../core/experiment/edit/declarations.ts';
import { drawEdge } from '../../../core/experiment/edit/edge.ts';
import { type Edited, insertedAt } from '../../../core/experiment/edit/edit.ts';
import { addOperation, setKernelKind } from '../../../core/experiment/edit/newOperation.ts';
import {
  deleteOperations,
  duplicateOperations,
  groupOperations,
  moveOperations,
  retargetOperations,
  setField,
  ungroupOperation,
} from '../../../core/experiment/edit/operations.ts';
import {
  atEndOf,
  numbersById,
  operationCount,
  operationOf,
  operationPathOf,
  operationPaths,
  operationsOf,
  placeAt,
} from '../../../core/experiment/edit/paths.ts';
import type { Target } from '../../../core/experiment/edit/rows.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { type OperationName, operationSchema } from '../../../core/experiment/operations.ts';
import { parseExperiment, requireExperiment } from '../../../core/experiment/parse.ts';
import { emptyExperiment } from '../../../core/experiment/templates/build.ts';
import { templates } from '../../../core/experiment/templates/templates.ts';
import { runs } from '../../support/effort.ts';

const example = requireExperiment(
  readFileSync(new URL('../../../assets/examples/overlap/pinned-side-stream.json', import.meta.url), 'utf8'),
);
const names = (operationSchema as unknown as { options: { shape: { op: { value: OperationName } } }[] }).options.map(
  ({ shape }) => shape.op.value,
);
const ops = (experiment: Experiment): string[] =>
  operationPaths(experiment).map((path) => operationOf(experiment, path).op);
const side: Target = { row: 'stream', stream: 'side' };
const host: Target = { row: 'host' };

type Edit = (experiment: Experiment, pick: (below: number) => number) => Edited;

/** Edits of every kind, with places and ids from the document. */
const edits: readonly Edit[] = [
  (experiment, pick) => {
    const paths = operationPaths(experiment);
    const path = paths[pick(paths.length)];
    const at = path === undefined || pick(2) === 0 ? atEndOf(experiment, 0) : placeAt(path);
    return addOperation(experiment, names[pick(names.length)] ?? 'work', at, somewhere(experiment, pick));
  },
  (experiment, pick) => deleteOperations(experiment, some(experiment, pick)),
  (experiment, pick) => {
    const paths = operationPaths(experiment);
    const to = paths[pick(paths.length)];
    const place = to === undefined ? atEndOf(experiment, 0) : placeAt(to, pick(2) === 0 ? 'before' : 'after');
    return moveOperations(experiment, some(experiment, pick), place, somewhere(experiment, pick));
  },
  (experiment, pick) => retargetOperations(experiment, some(experiment, pick), somewhere(experiment, pick)),
  (experiment, pick) => duplicateOperations(experiment, some(experiment, pick)),
  (experiment, pick) => groupOperations(experiment, some(experiment, pick), { op: 'repeat', count: 3 }),
  (experiment, pick) => {
    const [path = ['threads', 0, 'operations', 0]] = some(experiment, pick);
    return ungroupOperation(experiment, path);
  },
  (experiment, pick) => {
    const kind = declarationKinds[pick(declarationKinds.length)] ?? 'buffers';
    const id = experiment[kind][pick(experiment[kind].length)]?.id ?? 'none';
    return deleteDeclaration(experiment, kind, id, { withUses: pick(2) === 0 });
  },
  (experiment, pick) => {
    const kind = declarationKinds[pick(declarationKinds.length)] ?? 'buffers';
    const id = experiment[kind][pick(experiment[kind].length)]?.id ?? 'none';
    return renameDeclaration(experiment, kind, id, ['renamed', 'default', '1 bad', id][pick(4)] ?? id);
  },
  (experiment, pick) => {
    const [from = [], to = []] = [some(experiment, pick)[0], some(experiment, pick)[0]];
    return drawEdge(experiment, from, { at: to });
  },
  (experiment, pick) => {
    const [path = []] = some(experiment, pick);
    return setField(
      experiment,
      [...path, ['stream', 'bytes', 'event', 'label'][pick(4)] ?? 'op'],
      ['side', 7, -1][pick(3)],
    );
  },
  (experiment, pick) => {
    const [path = []] = some(experiment, pick);
    return setKernelKind(experiment, path, (['spin', 'stream', 'arithmetic'] as const)[pick(3)] ?? 'spin');
  },
];

function some(experiment: Experiment, pick: (below: number) => number) {
  const paths = operationPaths(experiment);
  const first = pick(paths.length);
  return paths.slice(first, first + 1 + pick(3));
}

function somewhere(experiment: Experiment, pick: (below: number) => number): Target {
  const streams = ['default', ...experiment.streams.map(({ id }) => id)];
  return pick(3) === 0 ? host : { row: 'stream', stream: streams[pick(streams.length)] ?? 'default' };
}

/** Checks that operations are numbered in document order, and that numbers map back to paths. */
function expectNumbersOfPaths(experiment: Experiment): void {
  const paths = operationPaths(experiment);
  expect(operationCount(experiment)).toBe(paths.length);
  expect(operationsOf(experiment)).toEqual(paths.map((path) => operationOf(experiment, path)));
  for (const [op, { id }] of operationsOf(experiment).entries()) {
    expect(numbersById(experiment).get(id)).toBe(op);
    expect(operationPathOf(experiment, id)).toEqual(paths[op]);
  }
  expect(operationPathOf(experiment, 'none')).toBeUndefined();
}

const starts = [emptyExperiment(), example, ...templates.map(({ build }) => build())];

it('any series of edits keeps the document valid and the one before as it was, or refuses with a message and a remedy', () => {
  const series = fc.array(fc.tuple(fc.nat(), fc.infiniteStream(fc.nat())), { maxLength: 12 });
  fc.assert(
    fc.property(fc.nat(), series, (start, steps) => {
      let experiment = starts[start % starts.length] ?? example;
      for (const [which, picks] of steps) {
        const pick = (below: number): number => (below < 1 ? 0 : (picks.next().value ?? 0) % below);
        const before = JSON.stringify(experiment);
        try {
          const edited = edits[which % edits.length]?.(experiment, pick);
          if (edited === undefined) throw new Error('no such edit');
          expect(JSON.stringify(experiment)).toBe(before);
          const asText: unknown = JSON.parse(JSON.stringify(edited.experiment));
          // Any reader returns the same document from its text.
          expect(parseExperiment(asText)).toEqual({ ok: true, experiment: edited.experiment });
          for (const path of edited.selected) operationOf(edited.experiment, path);
          expectNumbersOfPaths(edited.experiment);
          experiment = edited.experiment;
        } catch (error) {
          if (!(error instanceof CopyscopeError)) throw error;
          expect(JSON.stringify(experiment)).toBe(before);
          expect(error.message.length).toBeGreaterThan(0);
          expect(error.remedy?.length).toBeGreaterThan(0);
        }
      }
    }),
    { numRuns: runs(150) },
  );
});

describe('adding', () => {
  it('gives every kind of operation what it needs, from an empty page', () => {
    for (const name of names) {
      for (const target of [host, { row: 'stream', stream: 'default' } as const]) {
        const empty = emptyExperiment();
        const { experiment, selected } = addOperation(empty, name, atEndOf(empty, 0), target);
        expect(selected, name).toHaveLength(1);
        expect(experiment.threads[0]?.operations, name).toHaveLength(1);
      }
    }
  });

  it('waits for the event that was recorded last before the place', () => {
    const place = placeAt(['threads', 0, 'operations', 3]);
    const { experiment, selected } = addOperation(example, 'synchronizeEvent', place, host);
    expect(operationOf(experiment, selected[0] ?? [])).toEqual({
      op: 'synchronizeEvent',
      id: 'synchronizeEvent3',
      event: 'copied',
    });
  });

  it('turns a wait in a stream into the call of that row', () => {
    const { experiment, selected } = addOperation(example, 'synchronizeEvent', atEndOf(example, 0), side);
    expect(operationOf(experiment, selected[0] ?? [])).toEqual({
      op: 'waitEvent',
      id: 'waitEvent1',
      event: 'multiplied',
      stream: 'side',
    });
  });
});

describe('moving', () => {
  it('keeps the order of what is moved, and follows it', () => {
    const paths = operationPaths(example);
    const { experiment, selected } = moveOperations(
      example,
      [paths[3], paths[0]].flatMap((path) => (path ? [path] : [])),
      atEndOf(example, 0),
    );
    expect(ops(experiment).slice(-2)).toEqual(['copy', 'kernel']);
    expect(selected.map((path) => path.at(-1))).toEqual([5, 6]);
  });

  it('into another row changes the stream, and on the host the call', () => {
    const { experiment } = retargetOperations(example, [['threads', 0, 'operations', 0]], {
      row: 'stream',
      stream: 'default',
    });
    expect(experiment.threads[0]?.operations[0]).toMatchObject({ op: 'copy', stream: 'default' });
  });

  it('refuses to put a group into itself', () => {
    const grouped = groupOperations(example, operationPaths(example).slice(0, 2), { op: 'range', name: 'part' });
    const place = { list: ['threads', 0, 'operations', 0, 'operations'], index: 1 };
    expect(() => moveOperations(grouped.experiment, [['threads', 0, 'operations', 0]], place)).toThrow(/into itself/);
  });
});

describe('groups', () => {
  it('hold neighbours, and give them back', () => {
    const paths = operationPaths(example).slice(1, 4);
    const grouped = groupOperations(example, paths, { op: 'repeat', count: 3 });
    expect(ops(grouped.experiment)).toEqual([
      'copy',
      'repeat',
      'recordEvent',
      'work',
      'kernel',
      'recordEvent',
      'synchronizeEvent',
      'synchronizeEvent',
    ]);
    expect(ungroupOperation(grouped.experiment, grouped.selected[0] ?? []).experiment).toEqual(example);
  });

  it('refuse operations with a gap between them', () => {
    const [first, , third] = operationPaths(example);
    expect(() => groupOperations(example, [first ?? [], third ?? []], { op: 'repeat', count: 2 })).toThrow(
      /follow one another/,
    );
  });

  it('go when nothing is left in them', () => {
    const { experiment } = groupOperations(example, operationPaths(example).slice(0, 1), { op: 'repeat', count: 3 });
    expect(ops(deleteOperations(experiment, [['threads', 0, 'operations', 0, 'operations', 0]]).experiment)).toEqual(
      ops(example).slice(1),
    );
  });
});

describe('declarations', () => {
  it('are renamed wherever they are named', () => {
    const { experiment } = renameDeclaration(example, 'buffers', 'factor', 'weights');
    expect(JSON.stringify(experiment)).not.toContain('factor"');
    expect(experiment.threads[0]?.operations[3]).toMatchObject({ reads: ['weights'] });
    expect(() => renameDeclaration(example, 'buffers', 'factor', 'source')).toThrow(/Another buffer/);
  });

  it('declarations count their uses, and take these with them only on request', () => {
    expect(countUsage(example).events.get('copied')).toBe(2);
    expect(countUsage(example).threads.get('main')).toBe(7);
    expect(() => deleteDeclaration(example, 'events', 'copied')).toThrow(/used 2 times/);
    const { experiment } = deleteDeclaration(example, 'events', 'copied', { withUses: true });
    expect(ops(experiment)).toEqual(['copy', 'work', 'kernel', 'recordEvent', 'synchronizeEvent']);
  });
});

describe('an event edge', () => {
  const two = insertedAt(example, atEndOf(example, 0), [
    { op: 'memset', buffer: 'target', offset: 0, value: 0, stream: 'default' },
    { op: 'work', durationNs: 1 },
  ]).experiment;

  it('records after the one and waits before the other, in the stream or on the host', () => {
    const inStream = drawEdge(two, ['threads', 0, 'operations', 0], { at: ['threads', 0, 'operations', 7] });
    // The event that already follows the copy is used.
    expect(ops(inStream.experiment)).toHaveLength(10);
    expect(operationOf(inStream.experiment, inStream.selected[0] ?? [])).toMatchObject({
      op: 'waitEvent',
      event: 'copied',
      stream: 'default',
    });
    const onHost = drawEdge(two, ['threads', 0, 'operations', 7], { at: ['threads', 0, 'operations', 8] });
    expect(ops(onHost.experiment).slice(-4)).toEqual(['memset', 'recordEvent', 'synchronizeEvent', 'work']);
    expect(onHost.experiment.events).toHaveLength(3);
  });

  it('moves a wait that is there to this event', () => {
    const { experiment } = drawEdge(two, ['threads', 0, 'operations', 3], { at: ['threads', 0, 'operations', 5] });
    expect(experiment.threads[0]?.operations[5]).toMatchObject({ op: 'synchronizeEvent', event: 'multiplied' });
  });

  it('is refused backwards, in one stream, and from the host', () => {
    expect(() => drawEdge(two, ['threads', 0, 'operations', 3], { at: ['threads', 0, 'operations', 0] })).toThrow(
      /before its event/,
    );
    expect(() => drawEdge(two, ['threads', 0, 'operations', 3], { at: ['threads', 0, 'operations', 7] })).toThrow(
      /in order already/,
    );
    expect(() => drawEdge(two, ['threads', 0, 'operations', 2], { at: ['threads', 0, 'operations', 7] })).toThrow(
      /the host does this/,
    );
  });
});
