/** All lessons with their progress. */
import { Button } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleHalf2,
  IconClock,
  IconVocabulary,
} from '@tabler/icons-react';
import { useEffect } from 'react';
import { isDone } from '../../core/apps/lessons/results.ts';
import { describeError } from '../../core/errors.ts';
import type { LessonSummary } from '../../core/service/service.ts';
import { attempt, host } from '../store/host.ts';
import { type LessonProgress, progressOf, useLessonView } from '../store/lessonView.ts';
import { openPage } from '../store/pages.ts';
import { assign, useApp } from '../store/store.ts';
import { CollectResults } from './CollectResults.tsx';
import { ExportResults } from './ExportResults.tsx';
import { MakeLesson } from './MakeLesson.tsx';
import classes from './Pages.module.css';
import { openLesson } from './useLesson.ts';

export function LessonsPage() {
  const lessons = useApp((state) => state.lessons);
  const folder = useApp((state) => state.about?.dataFolder);
  const ready = useApp((state) => state.libraryReady && state.connection.status === 'open');
  useEffect(() => {
    if (!ready) return;
    void attempt('The lessons could not be listed', async () => assign({ lessons: await host().lessons() }));
  }, [ready]);
  const groups = [...new Set(lessons.map(({ group }) => group))];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={classes['page']} aria-label="Lessons" tabIndex={0}>
      <div className={classes['column']}>
        <div className={classes['head']}>
          <h1>Lessons</h1>
          <span className={classes['tools']}>
            <ExportResults />
            <CollectResults />
            <MakeLesson />
            <Button
              variant="default"
              leftSection={<IconVocabulary size={15} aria-hidden />}
              onClick={() => openPage({ kind: 'glossary', term: null })}
            >
              Glossary
            </Button>
          </span>
        </div>
        <p className={classes['lead']}>
          Say what you expect, run it, see why, and change one thing. No GPU is needed: every lesson runs on the
          simulator, and shows a recording from a real GPU where there is one.
        </p>
        {groups.map((group) => (
          <section key={group} aria-label={group}>
            <h2>{group}</h2>
            <ol className={classes['lessons']}>
              {lessons
                .filter((lesson) => lesson.group === group)
                .map((lesson) => (
                  <Item key={lesson.id} lesson={lesson} />
                ))}
            </ol>
          </section>
        ))}
        <p className={classes['own']}>
          Lessons of your own are Markdown files in{' '}
          {folder === undefined ? 'the data folder' : <code>{folder}/lessons</code>}.
        </p>
      </div>
    </section>
  );
}

function Item({ lesson }: { readonly lesson: LessonSummary }) {
  const progress = useLessonView((view) => progressOf(view, lesson.id));
  if (lesson.problem !== undefined) {
    return (
      <li className={classes['broken']}>
        <IconAlertTriangle size={16} aria-label="Can’t be opened" />
        <span>
          <strong>{lesson.title}</strong>
          <span className={classes['problem']}>{describeError(lesson.problem)}</span>
        </span>
      </li>
    );
  }
  const state = stateOf(progress, lesson.tasks);
  const unsolved = lesson.tasks.filter((step) => !progress.passed.includes(step)).length;
  return (
    <li>
      <button type="button" className={classes['lesson']} data-state={state} onClick={() => openLesson(lesson.id)}>
        <StateIcon state={state} />
        <span>
          <strong>{lesson.title}</strong>
          <span>{lesson.summary}</span>
        </span>
        <small>
          {state === 'unsolved' ? (
            <span className={classes['unsolved']}>
              {unsolved === 1 ? 'Task not solved' : `${unsolved} tasks not solved`}
            </span>
          ) : null}
          {state === 'begun' ? `Step ${Math.min(progress.step + 1, lesson.steps)} of ${lesson.steps}` : null}
          <span>
            <IconClock size={13} aria-hidden /> {lesson.minutes} min
          </span>
        </small>
      </button>
    </li>
  );
}

type LessonState = 'done' | 'unsolved' | 'begun' | 'new';

/** A lesson with unsolved tasks isn't done, even if its last step was seen. */
function stateOf(progress: LessonProgress, tasks: readonly number[]): LessonState {
  if (isDone(progress, tasks)) return 'done';
  if (progress.finished) return 'unsolved';
  return progress.step > 0 || Object.keys(progress.answers).length > 0 ? 'begun' : 'new';
}

function StateIcon({ state }: { readonly state: LessonState }) {
  switch (state) {
    case 'done':
      return <IconCircleCheck size={18} className={classes['done']} aria-label="Done" />;
    case 'unsolved':
      return (
        <IconCircleHalf2 size={18} className={classes['unsolved']} aria-label="Read to its end, task not solved" />
      );
    case 'begun':
      return <IconCircleDashed size={18} className={classes['open']} aria-label="Begun" />;
    case 'new':
      return <IconCircleDashed size={18} className={classes['open']} aria-label="Not begun" />;
  }
}
