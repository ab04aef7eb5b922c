/** References of lessons exist: lanes and operations of their runs, other lessons. */
import { describe, expect, it } from 'vitest';
import { play } from '../../../core/apps/lessons/played.ts';
import { experimentOf, lessons, profile } from './support.ts';

const pointing = lessons.flatMap((lesson) =>
  lesson.steps.flatMap((step) =>
    step.show === undefined ? [] : [{ lesson, step, show: step.show, name: `${lesson.id}: ${step.title}` }],
  ),
);

describe('lessons', () => {
  it.each(pointing)('$name points at lanes and operations that are there', async ({ lesson, step, show }) => {
    const { run, operations } = await play(experimentOf(lesson, step.shown?.name ?? ''), profile);
    const lanes = run.trace.lanes.map(({ name }) => name.toLowerCase());
    for (const lane of show.lanes) expect(lanes).toContain(lane.toLowerCase());
    const labels = operations.map(({ label, op }) => label ?? op);
    for (const label of show.operations) expect(labels).toContain(label);
  });

  it('link to lessons that exist', () => {
    const ids = new Set(lessons.map(({ id }) => id));
    for (const { id, steps } of lessons) {
      for (const [, to = ''] of steps
        .map(({ text }) => text)
        .join('\n')
        .matchAll(/\(lesson:([^)]+)\)/g)) {
        expect(ids.has(to), `${id} links to ${to}`).toBe(true);
      }
    }
  });
});
