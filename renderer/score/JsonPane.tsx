/** The document as JSON: edits go both ways, and an error points at its line. */
import { type UIEvent, useRef, useState } from 'react';
import type { ErrorInfo } from '../../core/errors.ts';
import { lineOfField, lineOfSyntaxError } from '../../core/experiment/edit/jsonLines.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { currentExperiment } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import classes from './JsonPane.module.css';
import { useJsonText } from './useJsonText.ts';

const mostProblems = 20;

export function JsonPane() {
  const experiment = useApp(currentExperiment);
  return experiment === null ? null : <Pane experiment={experiment} />;
}

function Pane({ experiment }: { readonly experiment: Experiment }) {
  const { text, setText, parsed, takeOver } = useJsonText(experiment);
  const [scroll, setScroll] = useState(0);
  const area = useRef<HTMLTextAreaElement>(null);
  const problems = parsed.ok
    ? []
    : parsed.problems.slice(0, mostProblems).map((problem) => ({ problem, line: lineOf(text, problem) }));
  const wrong = new Set(problems.map(({ line }) => line));
  return (
    <section className={classes['pane']} aria-label="JSON">
      <div className={classes['editor']}>
        <div className={`${classes['lines']} tabular`} aria-hidden>
          <div style={{ transform: `translateY(${-scroll}px)` }}>
            {text.split('\n').map((_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line number is its position.
              <span key={index} data-wrong={wrong.has(index + 1) || undefined}>
                {index + 1}
              </span>
            ))}
          </div>
        </div>
        <textarea
          ref={area}
          aria-label="Experiment as JSON"
          aria-invalid={problems.length > 0}
          spellCheck={false}
          autoComplete="off"
          wrap="off"
          value={text}
          data-typed
          onBlur={takeOver}
          onChange={(event) => setText(event.currentTarget.value)}
          onScroll={(event: UIEvent<HTMLTextAreaElement>) => setScroll(event.currentTarget.scrollTop)}
        />
      </div>
      {problems.length === 0 ? null : (
        <div className={classes['problems']} role="alert">
          <ul>
            {problems.map(({ problem, line }) => (
              <li key={`${problem.field}:${problem.message}`}>
                <button type="button" onClick={() => goToLine(area.current, text, line)}>
                  Line {line}
                </button>
                <span>
                  {problem.field === 'document' ? '' : `${problem.field}: `}
                  {problem.message} {problem.remedy}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function lineOf(text: string, { field = '', message }: ErrorInfo): number {
  return (
    (field === 'document' ? lineOfSyntaxError(text, message) : null) ??
    lineOfField(text, field === 'document' ? '' : field)
  );
}

const lineHeight = 18;

function goToLine(area: HTMLTextAreaElement | null, text: string, line: number): void {
  if (area === null) return;
  const lines = text.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  area.scrollTop = Math.max(0, (line - 4) * lineHeight);
}
