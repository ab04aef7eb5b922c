/** Ids of operations: added to documents without them, unique, and kept by every edit. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireSweep } from '../../../core/apps/sweep/parse.ts';
import { copyOperations, pasteOperations } from '../../../core/experiment/edit/clipboard.ts';
import { addOperation } from '../../../core/experiment/edit/newOperation.ts';
import {
  deleteOperations,
  duplicateOperations,
  groupOperations,
  insertExperiment,
  moveOperations,
  setField,
} from '../../../core/experiment/edit/operations.ts';
import { atEndOf } from '../../../core/experiment/edit/paths.ts';
import { type Experiment, eachOperation } from '../../../core/experiment/experiment.ts';
import { operationNames } from '../../../core/experiment/operations.ts';
import { parseExperiment, requireExperiment } from '../../../core/experiment/parse.ts';
import { decodeRun } from '../../../core/trace/arrow/decode.ts';
import { experimentOf } from '../support/experiments.ts';

const fixtures = join(import.meta.dirname, '../../fixtures');
const textOf = (file: string): string => readFileSync(join(fixtures, file), 'utf8');

function idsOf({ threads }: Experiment): string[] {
  const ids: string[] = [];
  for (const { operations } of threads) eachOperation(operations, ({ id }) => ids.push(id));
  return ids;
}

const first = ['threads', 0, 'operations', 0];
const copy = { op: 'copy', src: 'source', dst: 'target' };
const buffers = [
  { id: 'source', memory: 'pinned', bytes: 64 },
  { id: 'target', memory: 'device', bytes: 64 },
];
const threeCopies = experimentOf({ name: 'three copies', buffers }, [
  { ...copy, id: 'upload' },
  copy,
  { ...copy, id: 'copy7' },
]);

describe('a document of version 1', () => {
  it('a document of version 1 gets the same ids each time it is read, one for every operation', () => {
    const text = textOf('documents/experiment-1.json');
    const read = requireExperiment(text);
    const ids = idsOf(read);
    expect(requireExperiment(text)).toEqual(read);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(0, 6)).toEqual(['waitSignal1', 'recordEvent1', 'graphCapture1', 'kernel1', 'copy1', 'range1']);
    // Copies of blocks and managed memory came with version 2.
    const former = operationNames.filter((name) => !['blockCopy', 'prefetch', 'advise'].includes(name));
    expect(new Set(ids.map((id) => id.replace(/\d+$/, '')))).toEqual(new Set(former));
  });

  it('a document of version 1 that was read comes out of JSON as it went in', () => {
    const read = requireExperiment(textOf('documents/experiment-1.json'));
    expect(requireExperiment(JSON.stringify(read))).toEqual(read);
  });

  it('experiments of version 1 are read inside of sweeps and run files', () => {
    const point = requireSweep(textOf('documents/sweep-1.json')).at(0);
    expect(point.ok ? idsOf(point.experiment) : []).toEqual(['copy1', 'synchronizeDevice1']);
    const { experiment } = decodeRun(readFileSync(join(fixtures, 'runs/graph-launches.arrow'))).info;
    expect(experiment?.version).toBe(2);
    expect(experiment === null ? [] : idsOf(experiment)).not.toContain(undefined);
  });
});

describe('ids of operations', () => {
  it('an operation without an id gets one with a number above those that its kind has', () => {
    expect(idsOf(threeCopies)).toEqual(['upload', 'copy8', 'copy7']);
  });

  it('a document in which two operations have one id is refused', () => {
    const operation = { op: 'synchronizeDevice', id: 'wait' };
    const document = { ...threeCopies, threads: [{ id: 'main', operations: [operation, operation] }] };
    const parsed = parseExperiment(document);
    expect(parsed.ok ? [] : parsed.problems).toEqual([
      {
        code: 'experiment.invalid',
        field: 'threads[0].operations[1].id',
        message: '"wait" is the id of another operation too.',
        remedy: 'Give it one of its own, or leave "id" out.',
      },
    ]);
  });

  it('operations keep their ids when fields change and when operations are moved, grouped or deleted', () => {
    const changed = setField(threeCopies, [...first, 'label'], 'copy').experiment;
    const moved = moveOperations(changed, [first], atEndOf(changed, 0)).experiment;
    expect(idsOf(moved)).toEqual(['copy8', 'copy7', 'upload']);
    const inStream = moveOperations(moved, [first], atEndOf(moved, 0), { row: 'stream', stream: 'legacy' }).experiment;
    expect(idsOf(inStream)).toEqual(['copy7', 'upload', 'copy8']);
    const grouped = groupOperations(inStream, [first], { op: 'repeat', count: 2 }).experiment;
    expect(idsOf(grouped)).toEqual(['repeat1', 'copy7', 'upload', 'copy8']);
    expect(idsOf(deleteOperations(grouped, [first]).experiment)).toEqual(['upload', 'copy8']);
  });

  it('operations that are added, duplicated, pasted or inserted get new ids', () => {
    const at = atEndOf(threeCopies, 0);
    const added = addOperation(threeCopies, 'copy', at, { row: 'host' }).experiment;
    expect(idsOf(added)).toEqual(['upload', 'copy8', 'copy7', 'copy9']);
    expect(idsOf(duplicateOperations(added, [first]).experiment)).toEqual([
      'upload',
      'copy10',
      'copy8',
      'copy7',
      'copy9',
    ]);
    const pasted = pasteOperations(threeCopies, copyOperations(threeCopies, [first]), at).experiment;
    expect(idsOf(pasted)).toEqual(['upload', 'copy8', 'copy7', 'copy9']);
    const inserted = insertExperiment(threeCopies, threeCopies, at).experiment;
    expect(idsOf(inserted)).toEqual(['upload', 'copy8', 'copy7', 'copy9', 'copy10', 'copy11']);
    const group = addOperation(threeCopies, 'repeat', at, { row: 'host' }).experiment;
    expect(idsOf(group)).toEqual(['upload', 'copy8', 'copy7', 'repeat1', 'work1']);
  });
});
