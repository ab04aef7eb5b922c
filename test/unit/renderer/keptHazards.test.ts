import { expect, it } from 'vitest';
import { deleteOperations, duplicateOperations, moveOperations } from '../../../core/experiment/edit/operations.ts';
import { resizeOperation } from '../../../core/experiment/edit/resize.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { findHazards } from '../../../core/hazards/hazards.ts';
import { lower } from '../../../core/program/lower.ts';
import { hazardsByOp, keptMarks } from '../../../renderer/predict/hazards/hazardsByOp.ts';
import { keptHazards, steadyReport } from '../../../renderer/predict/hazards/keptHazards.ts';

const racing = requireExperiment({
  format: 'copyscope/experiment',
  version: 1,
  name: 'racing',
  buffers: [
    { id: 'source', memory: 'pinned', bytes: 1024 },
    { id: 'there', memory: 'device', bytes: 1024 },
  ],
  streams: [{ id: 'side' }],
  threads: [
    {
      id: 'main',
      operations: [
        { op: 'work', durationNs: 1000 },
        { op: 'copy', src: 'source', dst: 'there', stream: 'side' },
        { op: 'write', buffer: 'source', pattern: { kind: 'constant', value: 0 } },
        { op: 'synchronizeDevice' },
      ],
    },
  ],
});
const report = findHazards(lower(racing));
const at = (index: number) => ['threads', 0, 'operations', index];
const sides = ({ hazards }: typeof report) => hazards.map(({ first, second }) => [first.op, second.op]);

it('begins with a race', () => expect(sides(report)).toEqual([[1, 2]]));

it('hazards stay as they are while one operation is changed', () => {
  for (const index of [0, 1]) {
    expect(keptHazards(report, racing, resizeOperation(racing, at(index), 512).experiment)).toBe(report);
  }
});

it('hazards go with their operations', () => {
  const before = duplicateOperations(racing, [at(0)]).experiment;
  expect(sides(keptHazards(report, racing, before))).toEqual([[2, 3]]);
  const behind = duplicateOperations(racing, [at(3)]).experiment;
  expect(sides(keptHazards(report, racing, behind))).toEqual([[1, 2]]);
  const moved = moveOperations(racing, [at(0)], { list: at(0).slice(0, -1), index: 3 }).experiment;
  expect(sides(keptHazards(report, racing, moved))).toEqual([[0, 1]]);
});

it('a hazard ends with one of its operations', () => {
  expect(keptHazards(report, racing, deleteOperations(racing, [at(2)]).experiment).hazards).toEqual([]);
});

it('marks are where the hazards that stay are', () => {
  const marked = (experiment: typeof racing): number[] => {
    const marks = keptMarks(hazardsByOp(report), racing, experiment);
    const numbers = Array.from({ length: 5 }, (_, op) => op);
    expect(numbers.filter((op) => marks.get(op) !== undefined)).toEqual(numbers.filter((op) => marks.has(op)));
    return numbers.filter((op) => marks.has(op));
  };
  const edits = [
    resizeOperation(racing, at(1), 512),
    ...[0, 1, 2, 3].flatMap((index) => [
      duplicateOperations(racing, [at(index)]),
      deleteOperations(racing, [at(index)]),
      moveOperations(racing, [at(index)], { list: at(0).slice(0, -1), index: 3 }),
      moveOperations(racing, [at(index)], { list: at(0).slice(0, -1), index: 0 }),
    ]),
  ];
  for (const { experiment } of edits) {
    const kept = [0, 1, 2, 3, 4].filter((op) => hazardsByOp(keptHazards(report, racing, experiment)).has(op));
    expect(marked(experiment)).toEqual(kept);
  }
});

it('evidence is of the document that was run', () => {
  const evidence = { bytesChecked: 8, bytesWrong: 8, wrong: [] };
  const told = { ...report, hazards: report.hazards.map((hazard) => ({ ...hazard, evidence })) };
  const kept = keptHazards(told, racing, resizeOperation(racing, at(0), 2048).experiment);
  expect(kept.hazards.map((hazard) => hazard.evidence)).toEqual([null]);
});

it('a report that says the same is the same', () => {
  expect(steadyReport(report, structuredClone(report))).toBe(report);
  const other = structuredClone(report);
  const more = { ...other, hazards: [...other.hazards, ...other.hazards.map((one) => ({ ...one, title: 'another' }))] };
  const steady = steadyReport(report, more);
  expect(steady.hazards).toHaveLength(2);
  expect(steady.hazards[0]).toBe(report.hazards[0]);
});
