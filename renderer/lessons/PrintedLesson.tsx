/** The whole lesson on paper, or as a page of its own: every step with its answers, and nothing that needs the program. */
import { createPortal, flushSync } from 'react-dom';
import { create } from 'zustand';
import type { Figure } from '../../core/lessons/figure.ts';
import { isChoice, type Lesson, type LessonStep } from '../../core/lessons/lesson.ts';
import { type Played, play } from '../../core/lessons/played.ts';
import type { OpenedLesson } from '../../core/service/service.ts';
import { saveBlob } from '../common/saveBlob.ts';
import { chosenProfile } from '../predict/usePrediction.ts';
import { LanesDrawing } from './LanesDrawing.tsx';
import { InlineMarkdown, Markdown } from './Markdown.tsx';
import classes from './Printed.module.css';
import { givenExperiment } from './useLesson.ts';

interface Drawn {
  /** The lesson whose runs they are. */
  readonly opened: OpenedLesson | null;
  readonly runs: ReadonlyMap<string, Played>;
}

const useDrawn = create<Drawn>()(() => ({ opened: null, runs: new Map() }));

/** Seen by printers only. */
export function PrintedLesson({ opened }: { readonly opened: OpenedLesson }) {
  const drawn = useDrawn();
  return createPortal(
    <div className={classes['printed']} aria-hidden data-testid="printed-lesson">
      <WholeLesson opened={opened} {...(drawn.opened === opened ? { runs: drawn.runs } : {})} />
    </div>,
    document.body,
  );
}

interface Props {
  readonly opened: OpenedLesson;
  /** Runs by the name of the experiment; their lanes stand under the steps that begin with them. */
  readonly runs?: ReadonlyMap<string, Played>;
}

function WholeLesson({ opened: { lesson, figures }, runs }: Props) {
  return (
    <article>
      <h1>{lesson.title}</h1>
      <p>{lesson.summary}</p>
      {lesson.steps.map((step) => (
        <Step
          key={step.title}
          step={step}
          figure={figures[step.figure ?? '']}
          played={runs?.get(step.experiment ?? '')}
        />
      ))}
      {lesson.differs === '' ? null : (
        <>
          <h2>What differs from the source’s machine</h2>
          <Markdown text={lesson.differs} plain />
        </>
      )}
      <h2>Source</h2>
      <ul>
        {lesson.source.map((source) => (
          <li key={source}>{source}</li>
        ))}
      </ul>
    </article>
  );
}

interface StepProps {
  readonly step: LessonStep;
  readonly figure: Figure | undefined;
  readonly played: Played | undefined;
}

function Step({ step, figure, played }: StepProps) {
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
      {played === undefined ? null : <LanesDrawing played={played} name={played.experiment.name} />}
      {task === undefined ? null : (
        <>
          <h3>Task</h3>
          <Markdown text={task.do} plain />
          <ul>
            {task.checks.map(({ says }) => (
              <li key={says}>{says}</li>
            ))}
          </ul>
        </>
      )}
      {holds.length === 0 ? null : (
        <>
          <h3>What the runs show</h3>
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
                <td key={name}>{values[index] ?? 'not yet measured'}</td>
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

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);

/** The lesson's experiments as they are given; without a profile there are no lanes. */
async function simulated(lesson: Lesson): Promise<ReadonlyMap<string, Played>> {
  const profile = await chosenProfile();
  const runs = new Map<string, Played>();
  if (profile === null) return runs;
  for (const name of Object.keys(lesson.experiments)) {
    runs.set(name, await play(await givenExperiment(lesson, name), profile));
  }
  return runs;
}

/** Simulates what the lanes are drawn from, and opens the printer's dialog. */
export async function printLesson(opened: OpenedLesson): Promise<void> {
  const runs = await simulated(opened.lesson);
  flushSync(() => useDrawn.setState({ opened, runs }));
  window.print();
}

/** One HTML file with everything in it. */
export async function saveAsPage(opened: OpenedLesson): Promise<void> {
  const { renderToStaticMarkup } = await import('react-dom/server.browser');
  const body = renderToStaticMarkup(<WholeLesson opened={opened} runs={await simulated(opened.lesson)} />);
  const title = escaped(opened.lesson.title);
  const page = `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head>\n<body>\n${body}\n</body>\n</html>\n`;
  saveBlob(`${opened.lesson.id.replaceAll('/', '-')}.html`, new Blob([page], { type: 'text/html' }));
}
