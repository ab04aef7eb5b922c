/** Results of lessons: a student's export, and a teacher's view of a class. */
import { describe, expect, it } from 'vitest';
import {
  cellText,
  isDone,
  type KeptProgress,
  lessonResult,
  requireResults,
  results,
  resultsCsv,
  resultsTable,
  tasksOf,
} from '../../../core/apps/lessons/results.ts';
import { lessons } from './support.ts';

const [lesson] = lessons.filter(({ id }) => id === 'first-overlap');
if (lesson === undefined) throw new Error('there is no first lesson');
const tasks = tasksOf(lesson.steps);
const question = lesson.steps.findIndex(({ question }) => question !== undefined);
const nothing: KeptProgress = { answers: {}, passed: [], hints: {}, finished: false };
const solved: KeptProgress = { ...nothing, passed: tasks, answers: { [question]: 0 }, hints: { [tasks[0] ?? 0]: 2 } };

describe('a lesson', () => {
  it('is done when its task is solved, not when its end was reached', () => {
    expect(isDone({ ...nothing, finished: true }, tasks)).toBe(false);
    expect(isDone({ ...nothing, passed: tasks }, tasks)).toBe(true);
    expect(isDone({ ...nothing, finished: true }, [])).toBe(true);
  });

  it('tells its answers, tasks and hints', () => {
    const result = lessonResult(lesson, solved);
    expect(result).toMatchObject({ lesson: 'first-overlap', done: true });
    expect(result.tasks).toEqual([expect.objectContaining({ solved: true, hints: 2 })]);
    expect(result.answers).toEqual([expect.objectContaining({ step: question + 1, right: expect.any(Boolean) })]);
    expect(lessonResult(lesson, { ...nothing, answers: { [question]: null } }).answers[0]).toMatchObject({
      answer: null,
      right: null,
    });
  });
});

describe('a file of results', () => {
  it('holds no name unless one was typed', () => {
    expect(Object.keys(results([], ' '))).toEqual(['format', 'version', 'lessons']);
    expect(results([], 'Ada').name).toBe('Ada');
  });

  it('comes back as it was, and another file is refused by its name', () => {
    const file = results([lessonResult(lesson, solved)], '');
    expect(requireResults('a.json', JSON.stringify(file))).toEqual(file);
    for (const content of ['', '{}', '{"format":"copyscope/experiment"}', 'PNG'])
      expect(() => requireResults('other.json', content)).toThrow(/^other\.json has no results of lessons/);
  });
});

describe('a class', () => {
  const files = [
    { file: '7.json', results: results([lessonResult(lesson, solved)], '') },
    { file: 'b.json', results: results([lessonResult(lesson, { ...nothing, finished: true })], '=Ada, "A"') },
    { file: 'c.json', results: results([], 'Zoe') },
  ];

  it('is a table with a row for each file and a column for each lesson', () => {
    const table = resultsTable(files);
    expect(table.lessons.map(({ id }) => id)).toEqual(['first-overlap']);
    expect(table.rows.map(({ who, done }) => [who, done])).toEqual([
      ['=Ada, "A"', 0],
      ['7', 1],
      ['Zoe', 0],
    ]);
    expect(table.rows.map(({ cells }) => cellText(cells[0] ?? null))).toEqual([
      '0 of 1 task solved',
      expect.stringMatching(/^done, [01] of 1 answer right, 2 hints$/),
      'not begun',
    ]);
  });

  it('goes into a spreadsheet, which runs no formula of a name', () => {
    const lines = resultsCsv(resultsTable(files)).split('\r\n');
    expect(lines[0]).toBe('Name,Lessons done,Your first overlap');
    expect(lines[1]).toBe('"\'=Ada, ""A""",0,0 of 1 task solved');
  });
});
