/** The open lesson: its file, the experiments of its steps, and the state of the shown step. */
import { useEffect } from 'react';
import type { Lesson, LessonStep } from '../../core/apps/lessons/lesson.ts';
import { toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { requireExperiment } from '../../core/experiment/parse.ts';
import { type OpenedLesson, recordedPrefix } from '../../core/service/service.ts';
import type { Run } from '../../core/trace/run.ts';
import { forgetDocument } from '../store/editing/histories.ts';
import { takeDraft } from '../store/editing/save.ts';
import { host } from '../store/host.ts';
import { change, type LessonProgress, progressOf, setSolving, showSide, useLessonView } from '../store/lessonView.ts';
import { notifyError } from '../store/notify.ts';
import { openPage } from '../store/pages.ts';
import { ensureRun } from '../store/runs.ts';
import { loadedRun } from '../store/select.ts';
import { assign, put, state, useApp, watch } from '../store/store.ts';
import type { Loading } from '../store/types.ts';

/** Moves between the steps of a lesson. */
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

/** Returns the id of the recorded run of a lesson's experiment, or null if it isn't recorded. */
export function recordingOf({ experiments }: Lesson, experiment: string): string | null {
  const recorded = experiments[experiment]?.recorded ?? 'none yet';
  return recorded === 'none yet' ? null : recordedPrefix + recorded;
}

/** Returns a recorded run, also if another caller is reading it; null if it doesn't exist or can't be read. */
export async function readRecording(id: string | null): Promise<Run | null> {
  if (id === null || state().runs[id] === undefined) return null;
  await ensureRun(id);
  const isReading = (): boolean => state().loadedRuns[id]?.status === 'loading';
  await new Promise<void>((resolve) => {
    if (!isReading()) return resolve();
    const stop = watch(() => {
      if (isReading()) return;
      stop();
      resolve();
    });
  });
  return loadedRun(state(), id)?.run ?? null;
}

/** Shows the experiment of a lesson's step with the learner's changes, or as the lesson gives it. */
function openLessonDocument(key: string, experiment: Experiment): void {
  if (state().documents[key]?.status === 'ready') return;
  put('documents', key, { status: 'ready', value: experiment });
  takeDraft(key, 'Changes of last time', experiment, null);
}

/** Restores the experiment of a lesson's step to that of the lesson. */
function resetLessonDocument(key: string, experiment: Experiment): void {
  forgetDocument(key);
  put('pickedRuns', key, undefined);
  put('documents', key, { status: 'ready', value: experiment });
}

export interface OpenStep {
  readonly lesson: Lesson;
  readonly opened: OpenedLesson;
  readonly step: LessonStep;
  /** Index of the step, from 0. */
  readonly index: number;
  readonly progress: LessonProgress;
  /** Key of the document that the step shows; null if there is none. */
  readonly document: string | null;
  /** True if its question is not answered yet. */
  readonly waits: boolean;
}

/** Returns the key of the document that a step shows, or null if there is none. */
export const documentOf = (lesson: Lesson, { shown }: LessonStep): string | null =>
  shown === null ? null : `lesson:${lesson.id}/${shown.step}`;

/** Returns the lesson's file and its loading state, or undefined if no lesson is open. */
export function useLessonFile(): Loading<OpenedLesson> | undefined {
  return useApp((all) => (all.page.kind === 'lesson' ? all.openedLessons[all.page.id] : undefined));
}

/** Returns the open step, or null until the lesson is read. */
export function useOpenStep(): OpenStep | null {
  const file = useLessonFile();
  const wanted = useApp((all) => (all.page.kind === 'lesson' ? all.page.step : 0));
  const id = file?.status === 'ready' ? file.value.lesson.id : '';
  const progress = useLessonView((view) => progressOf(view, id));
  if (file?.status !== 'ready') return null;
  const { lesson } = file.value;
  const index = Math.min(wanted, lesson.steps.length - 1);
  const step = lesson.steps[index];
  if (step === undefined) return null;
  const waits = step.question !== undefined && progress.answers[index] === undefined;
  return { lesson, opened: file.value, step, index, progress, document: documentOf(lesson, step), waits };
}

/** Reads the page's lesson, and shows the document of its step. Used once, by the step's text. */
export function useLessonPage(): void {
  const id = useApp((all) => (all.page.kind === 'lesson' ? all.page.id : null));
  const ready = useApp((all) => all.libraryReady && all.connection.status === 'open');
  const open = useOpenStep();
  useEffect(() => {
    if (id !== null && ready) void readLesson(id);
  }, [id, ready]);
  const document = open?.document ?? null;
  const waits = open?.waits ?? false;
  const lesson = open?.lesson;
  const shown = open?.step.shown?.name;
  useEffect(() => {
    assign({ lessonDocument: document, lessonWaits: waits, selection: null, iteration: null });
    if (lesson !== undefined && document !== null && shown !== undefined) void showDocument(lesson, shown, document);
    return () => assign({ lessonDocument: null, lessonWaits: false });
  }, [lesson, document, shown, waits]);
  const solving = open !== null && hasOpenTask(open);
  useEffect(() => {
    setSolving(solving);
    return () => setSolving(false);
  }, [solving]);
  const step = open?.index ?? 0;
  useEffect(() => {
    if (lesson !== undefined && lastStep(lesson.id) !== step) change(lesson.id, { step });
  }, [lesson, step]);
}

const hasOpenTask = ({ lesson, progress }: OpenStep): boolean =>
  lesson.steps.some(({ task }, index) => task !== undefined && !progress.passed.includes(index));

const lastStep = (lesson: string): number => progressOf(useLessonView.getState(), lesson).step;

/** Reads a lesson. If it was open before, it is read again silently, since its author may have changed the file. */
async function readLesson(id: string): Promise<void> {
  const before = state().openedLessons[id];
  if (before?.status !== 'ready') put('openedLessons', id, { status: 'loading' });
  try {
    const value = await host().readLesson(id);
    if (before?.status === 'ready' && JSON.stringify(before.value) === JSON.stringify(value)) return;
    for (const key of given.keys()) if (key.startsWith(`${id} `)) given.delete(key);
    put('openedLessons', id, { status: 'ready', value });
  } catch (thrown) {
    put('openedLessons', id, { status: 'failed', error: toErrorInfo(thrown) });
  }
}

export function retryLesson(id: string): void {
  put('openedLessons', id, undefined);
  void readLesson(id);
}

async function showDocument(lesson: Lesson, name: string, key: string): Promise<void> {
  try {
    openLessonDocument(key, await givenExperiment(lesson, name));
  } catch (thrown) {
    put('documents', key, { status: 'failed', error: toErrorInfo(thrown) });
  }
}

const given = new Map<string, Promise<Experiment>>();

/** Returns an experiment as the lesson gives it. */
export function givenExperiment(lesson: Lesson, name: string): Promise<Experiment> {
  const key = `${lesson.id} ${name}`;
  const known = given.get(key) ?? readGiven(lesson, name);
  given.set(key, known);
  known.catch(() => given.delete(key));
  return known;
}

async function readGiven(lesson: Lesson, name: string): Promise<Experiment> {
  const declared = lesson.experiments[name];
  if (declared?.document !== undefined) return requireExperiment(declared.document);
  return host().readExample(declared?.example ?? '');
}

/** Restores all experiments of the lesson. */
export async function startAllOver(open: OpenStep): Promise<void> {
  const documents = new Map(open.lesson.steps.map((step) => [documentOf(open.lesson, step), step]));
  for (const [document, step] of documents) await startOver({ ...open, document, step });
}

/** Restores the experiment of the step, without the learner's changes. */
export async function startOver({ lesson, step, document }: OpenStep): Promise<void> {
  if (step.shown === null || document === null) return;
  try {
    resetLessonDocument(document, await givenExperiment(lesson, step.shown.name));
  } catch (thrown) {
    notifyError('The experiment could not be given back', toErrorInfo(thrown));
  }
}
