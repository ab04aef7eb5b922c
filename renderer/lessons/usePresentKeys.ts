/**
 * Right, Space or Page Down move on while presenting. They show a question's answer first; Space and Page Down scroll a
 * long text before that.
 */
import { type RefObject, useEffect } from 'react';
import { change, present, useLessonView } from '../store/lessonView.ts';
import { goBack, goOn, type OpenStep } from './useLesson.ts';

const forward = new Set(['ArrowRight', 'PageDown', ' ']);
const back = new Set(['ArrowLeft', 'PageUp']);

const scrolling = new Set(['PageDown', ' ']);

/** `body` is the scrolled element. */
export function usePresentKeys(open: OpenStep, body: RefObject<HTMLElement | null>): void {
  const presenting = useLessonView((view) => view.presenting);
  useEffect(() => {
    if (!presenting) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      if (event.key === 'Escape') present(false);
      else if (forward.has(event.key)) {
        if (!(scrolling.has(event.key) && scrollOn(body.current))) next(open);
      } else if (back.has(event.key)) goBack(open);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [presenting, open, body]);
}

/** Share of the visible text that stays in sight, so that readers keep their line. */
const kept = 0.2;
/** Pixels that are not worth a scroll. */
const slack = 8;

/** Scrolls by a page; returns false at the end. */
function scrollOn(body: HTMLElement | null): boolean {
  if (body === null || body.scrollHeight - body.clientHeight - body.scrollTop <= slack) return false;
  body.scrollBy({ top: body.clientHeight * (1 - kept) });
  return true;
}

function next(open: OpenStep): void {
  const { lesson, index, progress, waits } = open;
  if (waits) change(lesson.id, { answers: { ...progress.answers, [index]: null } });
  else goOn(open);
}

/** Returns true for keys that a field or button handles itself. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  const element = target instanceof HTMLElement ? target : null;
  if (element === null) return false;
  if (element.closest('input, textarea, select, [role="dialog"], [role="menu"], [role="listbox"]') !== null)
    return true;
  return key === ' ' && element.closest('button, a, summary') !== null;
}
