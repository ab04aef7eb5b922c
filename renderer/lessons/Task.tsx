/** A task, its checks on the run of the learner's experiment, and hints one by one. */
import { Button } from '@mantine/core';
import { IconBulb, IconCircleCheck, IconRefresh } from '@tabler/icons-react';
import type { LessonTask } from '../../core/apps/lessons/lesson.ts';
import { describeError } from '../../core/errors.ts';
import { change } from '../store/lessonView.ts';
import classes from './Lesson.module.css';
import { Markdown } from './Markdown.tsx';
import { Checks } from './Statements.tsx';
import type { Checked } from './useChecks.ts';
import { type OpenStep, startOver } from './useLesson.ts';

interface Props {
  readonly open: OpenStep;
  readonly task: LessonTask;
  readonly checked: Checked;
}

export function Task({ open, task, checked }: Props) {
  const { result } = checked;
  const results = result?.task ?? [];
  const done = results.length > 0 && results.every(({ holds }) => holds);
  return (
    <section
      className={classes['task']}
      aria-label="Task"
      aria-busy={checked.status === 'checking'}
      data-checked={checked.status === 'checked' ? checked.number : undefined}
      data-done={done || undefined}
    >
      <h3>{done ? 'Done' : 'Your task'}</h3>
      <Markdown text={task.do} />
      {checked.status === 'failed' ? (
        <p role="alert" className={classes['problem']}>
          {describeError(checked.error)}
        </p>
      ) : (
        <Checks results={results} label="Checks on the simulated run" />
      )}
      {done ? (
        <p className={classes['success']} role="status">
          <IconCircleCheck size={17} aria-hidden /> All checks passed.
        </p>
      ) : null}
      <Hints open={open} hints={task.hints} done={done} />
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconRefresh size={14} aria-hidden />}
        onClick={() => void startOver(open)}
      >
        Start the task over
      </Button>
    </section>
  );
}

interface HintsProps {
  readonly open: OpenStep;
  readonly hints: readonly string[];
  /** True if the task is solved, so that no hint is needed. */
  readonly done: boolean;
}

function Hints({ open, hints, done }: HintsProps) {
  const { lesson, index, progress } = open;
  const shown = Math.min(progress.hints[index] ?? 0, hints.length);
  return (
    <div className={classes['hints']}>
      {hints.slice(0, shown).map((hint) => (
        <div key={hint} className={classes['hint']}>
          <IconBulb size={15} aria-label="Hint" />
          <div>
            <Markdown text={hint} />
          </div>
        </div>
      ))}
      {shown < hints.length && !done ? (
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconBulb size={14} aria-hidden />}
          onClick={() => change(lesson.id, { hints: { ...progress.hints, [index]: shown + 1 } })}
        >
          {shown === 0 ? 'Give me a hint' : `Another hint (${hints.length - shown} left)`}
        </Button>
      ) : null}
    </div>
  );
}
