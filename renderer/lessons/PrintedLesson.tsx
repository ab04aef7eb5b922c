/** The whole lesson on paper or as a saved page: with answers for teachers, with room to write for learners. */
import { createPortal, flushSync } from 'react-dom';
import { create } from 'zustand';
import type { Figure } from '../../core/apps/lessons/figure.ts';
import {
  isChoice,
  type Lesson,
  type LessonQuestion,
  type LessonStep,
  type LessonTask,
} from '../../core/apps/lessons/lesson.ts';
import { play } from '../../core/apps/lessons/played.ts';
import { xmlText } from '../../core/media.ts';
import type { OpenedLesson } from '../../core/service/service.ts';
import { iterationOf } from '../../core/trace/iteration.ts';
import { runName } from '../../core/trace/run.ts';
import { saveBlob } from '../common/files.ts';
import { chosenProfile } from '../predict/usePrediction.ts';
import { state } from '../store/store.ts';
import { SourceList } from '../terms/TermLink.tsx';
import { type DrawnRun, LanesDrawing } from './LanesDrawing.tsx';
import { InlineMarkdown, Markdown } from './Markdown.tsx';
import classes from './Printed.module.css';
import { documentOf, givenExperiment, readRecording, recordingOf } from './useLesson.ts';

/** Runs by step index, for steps that begin with an experiment. */
type DrawnRuns = ReadonlyMap<number, DrawnRun>;

interface Drawn {
  readonly answers: boolean;
  /** The lesson of the runs. */
  readonly opened: OpenedLesson | null;
  readonly runs: DrawnRuns;
}

const useDrawn = create<Drawn>()(() => ({ opened: null, runs: new Map(), answers: true }));

/** The lesson for printing, hidden on screen. */
export function PrintedLesson({ opened }: { readonly opened: OpenedLesson }) {
  const drawn = useDrawn();
  return createPortal(
    <div className={classes['printed']} aria-hidden data-testid="printed-lesson">
      <WholeLesson opened={opened} answers={drawn.answers} {...(drawn.opened === opened ? { runs: drawn.runs } : {})} />
    </div>,
    document.body,
  );
}

interface Props {
  readonly opened: OpenedLesson;
  readonly answers: boolean;
  readonly runs?: DrawnRuns;
}

function WholeLesson({ opened: { lesson, figures }, answers, runs }: Props) {
  const asked = lesson.steps.findIndex(({ question }) => question !== undefined);
  return (
    <article>
      <h1>{lesson.title}</h1>
      <p>{lesson.summary}</p>
      {answers ? null : <p>Name: ______________________________ Date: ______________</p>}
      {lesson.steps.map((step, index) =>
        answers ? (
          <Step key={step.title} step={step} figure={figures[step.figure ?? '']} drawn={runs?.get(index)} />
        ) : (
          // Steps after the first question give away its answer.
          <HandoutStep key={step.title} step={step} tells={asked >= 0 && index > asked} />
        ),
      )}
      {lesson.differs === '' || !answers ? null : (
        <>
          <h2>Differences from the source’s machine</h2>
          <Markdown text={lesson.differs} plain />
        </>
      )}
      <h2>Source</h2>
      <SourceList sources={lesson.source} />
    </article>
  );
}

/** A step to fill in: its question or task, or room for observations. */
function HandoutStep({ step, tells }: { readonly step: LessonStep; readonly tells: boolean }) {
  const { title, text, question, task } = step;
  const isAsked = question !== undefined || task !== undefined;
  return (
    <section>
      <h2>{title}</h2>
      {tells && !isAsked ? <p>My observations:</p> : <Markdown text={text} plain />}
      {question === undefined ? null : <AskedQuestion question={question} />}
      {task === undefined ? null : <TaskText task={task} />}
      <WritingLines count={isAsked ? 2 : tells ? 4 : 0} />
    </section>
  );
}

function AskedQuestion({ question }: { readonly question: LessonQuestion }) {
  return (
    <>
      <h3>{question.ask}</h3>
      {isChoice(question) ? (
        <ul data-boxes style={{ listStyle: 'none', paddingLeft: 0 }}>
          {question.choices.map(({ text }) => (
            <li key={text}>
              <span aria-hidden>☐</span> {text}
            </li>
          ))}
        </ul>
      ) : (
        <p>My answer: ______________ {question.unit === 'us' ? 'µs' : question.unit}</p>
      )}
      <p>Because:</p>
    </>
  );
}

const WritingLines = ({ count }: { readonly count: number }) =>
  Array.from({ length: count }, (_, line) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines to write on are all alike.
    <div key={line} style={{ height: '2em', borderBottom: '1px solid #888' }} />
  ));

function TaskText({ task }: { readonly task: LessonTask }) {
  return (
    <>
      <h3>Task</h3>
      <Markdown text={task.do} plain />
      <ul>
        {task.checks.map(({ says }) => (
          <li key={says}>{says}</li>
        ))}
      </ul>
    </>
  );
}

interface StepProps {
  readonly step: LessonStep;
  readonly figure: Figure | undefined;
  readonly drawn: DrawnRun | undefined;
}

function Step({ step, figure, drawn }: StepProps) {
  const { question, task, holds } = step;
  return (
    <section>
      <h2>{step.title}</h2>
      <Markdown text={step.text} plain />
      {question === undefined ? null : (
        <>
          <h3>{question.ask}</h3>
          {isChoice(question) ? (
            <ol>
              {question.choices.map(({ text, right, why }) => (
                <li key={text}>
                  {text} <em>{right ? 'Right: ' : 'No: '}</em>
                  <InlineMarkdown text={why} plain />
                </li>
              ))}
            </ol>
          ) : (
            <p>
              <InlineMarkdown text={question.why} plain />
            </p>
          )}
        </>
      )}
      {drawn === undefined ? null : <LanesDrawing drawn={drawn} name={runName(drawn.run.info)} />}
      {task === undefined ? null : <TaskText task={task} />}
      {holds.length === 0 ? null : (
        <>
          <h3>Evidence from the runs</h3>
          <ul>
            {holds.map(({ id, says }) => (
              <li key={id}>{says}</li>
            ))}
          </ul>
        </>
      )}
      {figure === undefined ? null : <FigureTable figure={figure} />}
    </section>
  );
}

function FigureTable({ figure }: { readonly figure: Figure }) {
  return (
    <>
      <table>
        <caption>
          {figure.title}, in {figure.unit}
        </caption>
        <thead>
          <tr>
            <th scope="col">Case</th>
            {figure.series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {figure.cases.map((label, index) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {figure.series.map(({ name, values }) => (
                <td key={name}>{values[index] ?? '–'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p>{figure.reading}</p>
    </>
  );
}

const style = `
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.55 system-ui, sans-serif; color: #17202c; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.92em; }
pre { padding: 0.8rem; background: #f3f5f8; overflow: auto; }
figure { margin: 1rem 0; } svg { width: 100%; font-family: inherit; } figcaption { font-size: 0.85em; color: #536074; }
table { border-collapse: collapse; } th, td { padding: 0.25rem 0.7rem; border: 1px solid #c3ccd8; text-align: left; }
section { break-inside: avoid-page; }`;

/** Returns a run for each step that begins with an experiment: the recorded one if shown, else a simulated one. */
async function drawnRuns(lesson: Lesson): Promise<DrawnRuns> {
  const runs = new Map<number, DrawnRun>();
  for (const [index, step] of lesson.steps.entries()) {
    const drawn = step.experiment === undefined ? null : await drawnRun(lesson, step, step.experiment);
    if (drawn !== null) runs.set(index, drawn);
  }
  return runs;
}

/** Simulates the experiment as the lesson gives it; null if there is no profile. */
async function drawnRun(lesson: Lesson, step: LessonStep, name: string): Promise<DrawnRun | null> {
  const recording = recordingOf(lesson, name);
  const isShown = recording !== null && state().pickedRuns[documentOf(lesson, step) ?? ''] === recording;
  const recorded = isShown ? await readRecording(recording) : null;
  if (recorded !== null) {
    const iteration = iterationOf(recorded.trace, recorded.info.iterations.representative);
    return { run: recorded, iteration, origin: 'recorded' };
  }
  const profile = await chosenProfile();
  if (profile === null) return null;
  const { run, iteration } = await play(await givenExperiment(lesson, name), profile);
  return { run, iteration, origin: 'simulated' };
}

/** Makes the drawn runs, and opens the print dialog. */
export async function printLesson(opened: OpenedLesson, answers: boolean): Promise<void> {
  const runs = answers ? await drawnRuns(opened.lesson) : new Map();
  flushSync(() => useDrawn.setState({ opened, runs, answers }));
  window.print();
}

/** Saves the lesson as one HTML file. */
export async function saveAsPage(opened: OpenedLesson, answers: boolean): Promise<void> {
  const { renderToStaticMarkup } = await import('react-dom/server.browser');
  const body = renderToStaticMarkup(
    <WholeLesson opened={opened} answers={answers} {...(answers ? { runs: await drawnRuns(opened.lesson) } : {})} />,
  );
  const title = xmlText(opened.lesson.title);
  const page = `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head>\n<body>\n${body}\n</body>\n</html>\n`;
  saveBlob(
    `${opened.lesson.id.replaceAll('/', '-')}${answers ? '' : '-handout'}.html`,
    new Blob([page], { type: 'text/html' }),
  );
}
