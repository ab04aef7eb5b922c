/** From step to step. */

import { change, progressOf, showSide, useLessonView } from '../store/lessonView.ts';
import { openPage } from '../store/pages.ts';
import { state } from '../store/store.ts';
import type { OpenStep } from './useLesson.ts';

export const isLast = ({ lesson, index }: OpenStep): boolean => index === lesson.steps.length - 1;

/** To the next step; after the last one the lesson is finished, and the list of lessons comes back. */
export function goOn(open: OpenStep): void {
  const { lesson, index } = open;
  showSide('lesson');
  if (!isLast(open)) {
    openPage({ kind: 'lesson', id: lesson.id, step: index + 1 });
    return;
  }
  finish(lesson.id);
  openPage({ kind: 'lessons' });
}

export const finish = (lesson: string): void => change(lesson, { finished: true });

/** A lesson where it was left; one that is finished begins again, at its task where that is not solved. */
export function openLesson(id: string): void {
  const { finished, step, passed } = progressOf(useLessonView.getState(), id);
  const tasks = state().lessons.find((lesson) => lesson.id === id)?.tasks ?? [];
  // What is left to be done is the task.
  const unsolved = tasks.find((task) => !passed.includes(task));
  openPage({ kind: 'lesson', id, step: finished ? (unsolved ?? 0) : step });
}

export function goBack({ lesson, index }: OpenStep): void {
  showSide('lesson');
  if (index > 0) openPage({ kind: 'lesson', id: lesson.id, step: index - 1 });
}
