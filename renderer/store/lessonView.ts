/** How lessons are looked at, and how far each has come. Progress is kept between visits. */
import { create } from 'zustand';
import { forget, recall, remember } from './settings.ts';

export interface LessonProgress {
  /** Answers by step: the choice's position, or the number; null where the answer was asked for instead. */
  readonly answers: Readonly<Record<number, number | null>>;
  /** Steps whose task was done. */
  readonly passed: readonly number[];
  /** Hints that were opened, by step. */
  readonly hints: Readonly<Record<number, number>>;
  /** The step that was open last. */
  readonly step: number;
  readonly finished: boolean;
}

interface LessonView {
  readonly presenting: boolean;
  /** By lesson id; read from what was kept when first asked for. */
  readonly progress: Readonly<Record<string, LessonProgress>>;
  readonly side: 'lesson' | 'build';
  /** The open lesson has a task that is not done yet: what to change is for the learner to find. */
  readonly solving: boolean;
  /** Of the open lesson's variants the longest makespan: all of them are drawn on its scale. Null where it is unknown. */
  readonly extentNs: number | null;
}

const nothing: LessonProgress = { answers: {}, passed: [], hints: {}, step: 0, finished: false };

export const useLessonView = create<LessonView>()(() => ({
  presenting: false,
  progress: {},
  side: 'lesson',
  solving: false,
  extentNs: null,
}));

export const present = (presenting: boolean): void => useLessonView.setState({ presenting });
export const setSolving = (solving: boolean): void => useLessonView.setState({ solving });
export const setExtent = (extentNs: number | null): void => useLessonView.setState({ extentNs });
export const showSide = (side: LessonView['side']): void => useLessonView.setState({ side });

const nameOf = (lesson: string): string => `lesson:${lesson}`;

/** What was kept of a lesson; nothing where it can't be read. */
function kept(lesson: string): LessonProgress {
  try {
    const value: unknown = JSON.parse(recall(nameOf(lesson)) ?? 'null');
    return typeof value === 'object' && value !== null
      ? { ...nothing, ...(value as Partial<LessonProgress>) }
      : nothing;
  } catch {
    return nothing;
  }
}

const read = new Map<string, LessonProgress>();

/** The same object until it changes, so that components may select it. */
export function progressOf(view: LessonView, lesson: string): LessonProgress {
  const known = view.progress[lesson] ?? read.get(lesson);
  if (known !== undefined) return known;
  const made = kept(lesson);
  read.set(lesson, made);
  return made;
}

export function change(lesson: string, fields: Partial<LessonProgress>): void {
  const view = useLessonView.getState();
  const next = { ...progressOf(view, lesson), ...fields };
  useLessonView.setState({ progress: { ...view.progress, [lesson]: next } });
  remember(nameOf(lesson), JSON.stringify(next));
}

export function resetProgress(lesson: string): void {
  read.delete(lesson);
  forget(nameOf(lesson));
  const { progress } = useLessonView.getState();
  useLessonView.setState({ progress: { ...progress, [lesson]: nothing } });
}
