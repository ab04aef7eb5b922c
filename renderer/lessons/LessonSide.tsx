/** The lesson's text: one step at a time, with its question, task and statements. */
import { ActionIcon, Button, Loader, Menu, Tooltip } from '@mantine/core';
import {
  IconAlertTriangle,
  IconArrowLeft,
  IconArrowRight,
  IconCircleHalf2,
  IconDots,
  IconFileExport,
  IconList,
  IconPresentation,
  IconPresentationOff,
  IconPrinter,
  IconRefresh,
} from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { tasksOf } from '../../core/apps/lessons/results.ts';
import { rule } from '../../core/rules/rules.ts';
import { PanelSwitch } from '../common/buttons.tsx';
import { EmptyState, ErrorText } from '../common/Page.tsx';
import { BuildPanel } from '../score/BuildPanel.tsx';
import { attempt } from '../store/host.ts';
import { present, resetProgress, showSide, useLessonView } from '../store/lessonView.ts';
import { openPage } from '../store/pages.ts';
import { useApp } from '../store/store.ts';
import { RuleLink, SourceList } from '../terms/TermLink.tsx';
import { Arrived } from './Arrived.tsx';
import { FigureView } from './FigureView.tsx';
import classes from './Lesson.module.css';
import { Markdown } from './Markdown.tsx';
import { PrintedLesson, printLesson, saveAsPage } from './PrintedLesson.tsx';
import { Question } from './Question.tsx';
import { Statements } from './Statements.tsx';
import { Task } from './Task.tsx';
import { useChecks } from './useChecks.ts';
import {
  finish,
  goBack,
  goOn,
  isLast,
  type OpenStep,
  openLesson,
  retryLesson,
  startAllOver,
  useLessonFile,
  useLessonPage,
  useOpenStep,
} from './useLesson.ts';
import { usePresentKeys } from './usePresentKeys.ts';

export function LessonSide() {
  useLessonPage();
  const id = useApp((state) => (state.page.kind === 'lesson' ? state.page.id : ''));
  const file = useLessonFile();
  const open = useOpenStep();
  const presenting = useLessonView((view) => view.presenting);
  if (file?.status === 'failed') {
    return (
      <EmptyState icon={<IconAlertTriangle size={26} />} title="This lesson can’t be opened" alert>
        <ErrorText error={file.error} />
        <Button variant="default" onClick={() => retryLesson(id)}>
          Try again
        </Button>
      </EmptyState>
    );
  }
  if (open === null) return <EmptyState icon={<Loader size={22} />} title="Opening the lesson…" />;
  return (
    <section className={classes['side']} aria-label="Lesson" data-presenting={presenting || undefined}>
      <Head open={open} />
      <Body open={open} />
      <Foot open={open} />
    </section>
  );
}

function Head({ open }: { readonly open: OpenStep }) {
  const { lesson } = open;
  const presenting = useLessonView((view) => view.presenting);
  return (
    <header className={classes['head']}>
      <Tooltip label="All lessons">
        <ActionIcon aria-label="All lessons" onClick={() => openPage({ kind: 'lessons' })}>
          <IconList size={17} />
        </ActionIcon>
      </Tooltip>
      <h1 title={lesson.summary}>{lesson.title}</h1>
      <Tooltip label={presenting ? 'End presenting (Esc)' : 'Present: large type, one key per step'}>
        <ActionIcon
          aria-label={presenting ? 'End presenting' : 'Present'}
          aria-pressed={presenting}
          onClick={() => present(!presenting)}
        >
          {presenting ? <IconPresentationOff size={17} /> : <IconPresentation size={17} />}
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon aria-label="More about this lesson">
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {[true, false].map((answers) => (
            <Menu.Item
              key={`print ${answers}`}
              leftSection={<IconPrinter size={15} />}
              onClick={() => void attempt('The lesson could not be printed', () => printLesson(open.opened, answers))}
            >
              {answers ? 'Print with answers' : 'Print a handout, without answers'}
            </Menu.Item>
          ))}
          {[true, false].map((answers) => (
            <Menu.Item
              key={`save ${answers}`}
              leftSection={<IconFileExport size={15} />}
              onClick={() => void attempt('The page could not be saved', () => saveAsPage(open.opened, answers))}
            >
              {answers ? 'Save as a page, with answers' : 'Save a handout as a page'}
            </Menu.Item>
          ))}
          <Menu.Item leftSection={<IconRefresh size={15} />} onClick={() => beginAnew(open)}>
            Begin anew
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </header>
  );
}

/** Deletes answers, solved tasks and changes to experiments, and goes to the first step. */
function beginAnew(open: OpenStep): void {
  void startAllOver(open);
  resetProgress(open.lesson.id);
  openPage({ kind: 'lesson', id: open.lesson.id, step: 0 });
}

function Body({ open }: { readonly open: OpenStep }) {
  const { lesson, opened, step, index, waits } = open;
  const side = useLessonView((view) => view.side);
  const checked = useChecks(open);
  const body = useRef<HTMLDivElement>(null);
  usePresentKeys(open, body);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step begins at its top, and says its title.
  useEffect(() => {
    body.current?.scrollTo({ top: 0 });
    body.current?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
  }, [lesson, index]);
  const figure = step.figure === undefined ? undefined : opened.figures[step.figure];
  return (
    <>
      {step.task === undefined ? null : (
        <PanelSwitch sides={{ lesson: 'Lesson', build: 'Build' }} value={side} onChange={showSide} />
      )}
      {step.task !== undefined && side === 'build' ? (
        <div className={classes['build']}>
          <BuildPanel />
        </div>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <div className={classes['body']} ref={body} tabIndex={0}>
          <article aria-label={step.title} key={index}>
            <h2 tabIndex={-1}>{step.title}</h2>
            <Markdown text={step.text} />
            {step.question === undefined ? null : <Question open={open} question={step.question} checked={checked} />}
            {step.task === undefined ? null : <Task open={open} task={step.task} checked={checked} />}
            {step.holds.length === 0 || waits ? null : <Statements step={open} checked={checked} />}
            {waits ? null : <Arrived open={open} checked={checked} />}
            {figure === undefined || waits ? null : <FigureView figure={figure} />}
            {isLast(open) ? (
              <>
                <Unsolved open={open} />
                <NextLesson open={open} />
                <Sources open={open} />
              </>
            ) : null}
          </article>
        </div>
      )}
      <PrintedLesson opened={opened} />
    </>
  );
}

/** The first unsolved task, with a link to it. */
function Unsolved({ open: { lesson, progress } }: { readonly open: OpenStep }) {
  const [first] = tasksOf(lesson.steps).filter((step) => !progress.passed.includes(step));
  if (first === undefined) return null;
  return (
    <p className={classes['unsolved']} role="note">
      <IconCircleHalf2 size={17} aria-hidden />
      <span>The task of step {first + 1} is not solved, so the lesson is not done yet.</span>
      <Button
        variant="default"
        size="compact-sm"
        onClick={() => openPage({ kind: 'lesson', id: lesson.id, step: first })}
      >
        To the task
      </Button>
    </p>
  );
}

/** A link to the next lesson, if any. Following it finishes this one. */
function NextLesson({ open: { lesson } }: { readonly open: OpenStep }) {
  const next = useApp(({ lessons }) => {
    const place = lessons.findIndex(({ id }) => id === lesson.id);
    return place < 0 ? undefined : lessons.slice(place + 1).find(({ problem }) => problem === undefined);
  });
  if (next === undefined) return null;
  return (
    <button
      type="button"
      className={classes['next']}
      onClick={() => {
        finish(lesson.id);
        openLesson(next.id);
      }}
    >
      <span>
        <small>Next lesson, {next.minutes} min</small>
        <strong>{next.title}</strong>
      </span>
      <IconArrowRight size={17} aria-hidden />
    </button>
  );
}

/** The sources of the lesson, and how it differs from them. */
function Sources({ open: { lesson } }: { readonly open: OpenStep }) {
  return (
    <footer className={classes['sources']}>
      {lesson.differs === '' ? null : (
        <>
          <h3>Differences from the source’s machine</h3>
          <Markdown text={lesson.differs} />
        </>
      )}
      {lesson.rules.length === 0 ? null : (
        <>
          <h3>Rules</h3>
          <ul>
            {lesson.rules.map((id) => (
              <li key={id}>
                <RuleLink rule={id}>{rule(id).title}</RuleLink>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>Source</h3>
      <SourceList sources={lesson.source} />
    </footer>
  );
}

function Foot({ open }: { readonly open: OpenStep }) {
  const { lesson, index } = open;
  const isOver = isDone(open, index) || stepState(open, index) === '';
  return (
    <nav className={classes['foot']} aria-label="Steps">
      <Button
        variant="default"
        leftSection={<IconArrowLeft size={15} aria-hidden />}
        disabled={index === 0}
        onClick={() => goBack(open)}
      >
        Back
      </Button>
      <ol className={classes['dots']}>
        {lesson.steps.map(({ title, question, task }, number) => (
          <li key={title}>
            <button
              type="button"
              aria-label={`Step ${number + 1}: ${title}${stepState(open, number)}`}
              aria-current={number === index ? 'step' : undefined}
              title={title}
              data-kind={task !== undefined ? 'task' : question !== undefined ? 'question' : 'text'}
              data-done={isDone(open, number) || undefined}
              onClick={() => openPage({ kind: 'lesson', id: lesson.id, step: number })}
            />
          </li>
        ))}
      </ol>
      <Button
        variant={isOver ? 'filled' : 'default'}
        rightSection={<IconArrowRight size={15} aria-hidden />}
        onClick={() => goOn(open)}
      >
        {isLast(open) ? 'Finish' : 'Next'}
      </Button>
    </nav>
  );
}

function isDone({ lesson, progress }: OpenStep, number: number): boolean {
  const step = lesson.steps[number];
  if (step?.task !== undefined) return progress.passed.includes(number);
  return step?.question !== undefined && progress.answers[number] !== undefined;
}

function stepState(open: OpenStep, number: number): string {
  const step = open.lesson.steps[number];
  if (step?.task === undefined && step?.question === undefined) return '';
  return isDone(open, number) ? ', done' : step.task === undefined ? ', a question' : ', a task';
}
