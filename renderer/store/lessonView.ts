/** The view of lessons, and the progress in each. Progress is kept between visits. */
import { create } from 'zustand';
import { forget, recall, remember } from './settings.ts';

export interface LessonProgress {
  /** Answers by step: the index of the choice, or the number; null if the user asked for the answer. */
  readonly answers: Readonly<Record<number, number | null>>;
  /** Steps with solved tasks. */
  readonly passed: readonly number[];
  /** Number of opened hints, by step. */
  readonly hints: Readonly<Record<number, number>>;
  /** The step opened last. */
  readonly step: number;
  readonly finished: boolean;
}

interface LessonView {
  readonly presenting: boolean;
  /** Progress by lesson id; read from the storage at the first access. */
  readonly progress: Readonly<Record<string, LessonProgress>>;
  readonly side: 'lesson' | 'build';
  /** True if the open lesson has an unsolved task, so that suggested changes stay hidden. */
  readonly solving: boolean;
  /** Longest makespan of the open lesson's variants, whose scale they all use; null if unknown. */
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

/** Returns the stored progress of a lesson; empty if it can't be read. */
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

/** Returns the same object until it changes, so that components can select it. */
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
