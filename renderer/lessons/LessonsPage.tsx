/** All lessons, with how far each has come. */
import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed, IconClock, IconVocabulary } from '@tabler/icons-react';
import { useEffect } from 'react';
import { describeError } from '../../core/errors.ts';
import type { LessonSummary } from '../../core/service/service.ts';
import { attempt, host } from '../store/host.ts';
import { progressOf, useLessonView } from '../store/lessonView.ts';
import { openPage } from '../store/pages.ts';
import { assign, useApp } from '../store/store.ts';
import classes from './Pages.module.css';
import { openLesson } from './steps.ts';

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
          <Button
            variant="default"
            leftSection={<IconVocabulary size={15} aria-hidden />}
            onClick={() => openPage({ kind: 'glossary', term: null })}
          >
            Glossary
          </Button>
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
  const begun = progress.step > 0 || Object.keys(progress.answers).length > 0;
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
  return (
    <li>
      <button type="button" className={classes['lesson']} onClick={() => openLesson(lesson.id)}>
        {progress.finished ? (
          <IconCircleCheck size={18} className={classes['done']} aria-label="Finished" />
        ) : (
          <IconCircleDashed size={18} className={classes['open']} aria-label={begun ? 'Begun' : 'Not begun'} />
        )}
        <span>
          <strong>{lesson.title}</strong>
          <span>{lesson.summary}</span>
        </span>
        <small>
          {begun && !progress.finished ? `Step ${Math.min(progress.step + 1, lesson.steps)} of ${lesson.steps}` : null}
          <span>
            <IconClock size={13} aria-hidden /> {lesson.minutes} min
          </span>
        </small>
      </button>
    </li>
  );
}
