/** Moves between the steps of a lesson. */

import { change, progressOf, showSide, useLessonView } from '../store/lessonView.ts';
import { openPage } from '../store/pages.ts';
import { state } from '../store/store.ts';
import type { OpenStep } from './useLesson.ts';

export const isLast = ({ lesson, index }: OpenStep): boolean => index === lesson.steps.length - 1;

/** Goes to the next step. After the last one it finishes the lesson and shows the list of lessons. */
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

/** Opens a lesson at its last step. A finished lesson opens at its first unsolved task, else at the start. */
export function openLesson(id: string): void {
  const { finished, step, passed } = progressOf(useLessonView.getState(), id);
  const tasks = state().lessons.find((lesson) => lesson.id === id)?.tasks ?? [];
  // Only the task is left to do.
  const unsolved = tasks.find((task) => !passed.includes(task));
  openPage({ kind: 'lesson', id, step: finished ? (unsolved ?? 0) : step });
}

export function goBack({ lesson, index }: OpenStep): void {
  showSide('lesson');
  if (index > 0) openPage({ kind: 'lesson', id: lesson.id, step: index - 1 });
}
