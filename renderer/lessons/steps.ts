/** From step to step. */
import { openPage } from '../app/store/actions.ts';
import { change, showSide } from './lessonView.ts';
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
  change(lesson.id, { finished: true });
  openPage({ kind: 'lessons' });
}

export function goBack({ lesson, index }: OpenStep): void {
  showSide('lesson');
  if (index > 0) openPage({ kind: 'lesson', id: lesson.id, step: index - 1 });
}
