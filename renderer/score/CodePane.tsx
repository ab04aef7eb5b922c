/** The document as code in another language. The lines of the selection are marked and scroll into view. */
import { Button, SegmentedControl, Text } from '@mantine/core';
import { useClipboard, useElementSize } from '@mantine/hooks';
import hljs from 'highlight.js/lib/core';
import cpp from 'highlight.js/lib/languages/cpp';
import python from 'highlight.js/lib/languages/python';
import { type MouseEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { type Code, type CodeLanguage, codeOf } from '../../core/code/code.ts';
import { toErrorInfo } from '../../core/errors.ts';
import { operationCount, operationsOf } from '../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { saveBlob } from '../common/files.ts';
import { ErrorText } from '../common/Page.tsx';
import { currentExperiment, pageDocumentKey } from '../store/select.ts';
import { recall, remember } from '../store/settings.ts';
import { select, state, useApp } from '../store/store.ts';
import classes from './CodePane.module.css';
import { selectedOps, useSelectedOp } from './selectedOp.ts';

const languages = [
  { value: 'cuda', label: 'CUDA C++' },
  { value: 'pytorch', label: 'PyTorch' },
] as const;

const languageOf = (value: string | null): CodeLanguage => (value === 'pytorch' ? 'pytorch' : 'cuda');

/** Longer programs take more than a moment to write. */
const mostOperations = 20_000;

export function CodePane() {
  const experiment = useApp(currentExperiment);
  const before = useApp((app) => app.edits[pageDocumentKey(app) ?? '']?.beforeRemedy ?? null);
  const [language, setLanguage] = useState<CodeLanguage>(() => languageOf(recall('code-language')));
  const choose = (value: string): void => {
    remember('code-language', value);
    setLanguage(languageOf(value));
  };
  if (experiment === null) return null;
  return (
    <section className={classes['pane']} aria-label="Code">
      <Written
        experiment={experiment}
        before={before}
        language={language}
        choice={
          <SegmentedControl
            size="xs"
            aria-label="Language of the code"
            data={[...languages]}
            value={language}
            onChange={choose}
          />
        }
      />
    </section>
  );
}

interface WrittenProps {
  readonly experiment: Experiment;
  /** The experiment before the last remedy; null if the last step was no remedy. */
  readonly before: Experiment | null;
  readonly language: CodeLanguage;
  readonly choice: ReactNode;
}

function Written({ experiment, before, language, choice }: WrittenProps) {
  const clipboard = useClipboard({ timeout: 1500 });
  const [shown, setShown] = useState<Shown | null>(null);
  const written = useMemo(() => write(experiment, language, before), [experiment, language, before]);
  if (typeof written === 'string') {
    return (
      <>
        <div className={classes['bar']}>{choice}</div>
        <Text className={classes['hint'] ?? ''}>{written}</Text>
      </>
    );
  }
  if (!written.ok) {
    return (
      <>
        <div className={classes['bar']}>{choice}</div>
        <ErrorText error={written.error} />
      </>
    );
  }
  const { text, notes, remedied } = written.code;
  const places = beginnings(remedied);
  const showNext = (): void => setShown({ line: places.find((line) => line > (shown?.line ?? -1)) ?? places[0] ?? 0 });
  return (
    <>
      <div className={classes['bar']}>
        {choice}
        <Button
          variant="default"
          size="compact-xs"
          aria-label={clipboard.copied ? 'Copied' : 'Copy the code'}
          onClick={() => clipboard.copy(text)}
        >
          {clipboard.copied ? 'Copied' : 'Copy'}
        </Button>
        <Button
          variant="default"
          size="compact-xs"
          aria-label="Save the code"
          onClick={() => saveBlob(fileName(experiment.name, language), new Blob([text], { type: 'text/plain' }))}
        >
          Save
        </Button>
        <span className={classes['notes']}>
          {notes.length === 0
            ? 'The code does all that the experiment does.'
            : `${notes.length} ${notes.length === 1 ? 'note says' : 'notes say'} where the code differs.`}
        </span>
        {places.length === 0 ? null : (
          <Button variant="light" size="compact-xs" onClick={showNext}>
            {places.length === 1 ? 'Changed by the remedy' : `Changed by the remedy: ${places.length} places`}
          </Button>
        )}
      </div>
      <Lines code={written.code} language={language} shown={shown} />
    </>
  );
}

const fileName = (name: string, language: CodeLanguage): string =>
  `${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.${language === 'cuda' ? 'cu' : 'py'}`;

/** A line to scroll to. A new object scrolls to it again. */
interface Shown {
  readonly line: number;
}

/** Returns the first line of each group of consecutive lines. */
const beginnings = (lines: ReadonlySet<number>): number[] =>
  [...lines].filter((line) => !lines.has(line - 1)).sort((a, b) => a - b);

type WrittenCode =
  | { readonly ok: true; readonly code: Code }
  | { readonly ok: false; readonly error: ReturnType<typeof toErrorInfo> };

function write(experiment: Experiment, language: CodeLanguage, before: Experiment | null): WrittenCode | string {
  if (operationCount(experiment) > mostOperations) {
    return `An experiment of more than ${mostOperations} operations is written by the command line: copyscope code.`;
  }
  try {
    return { ok: true, code: codeOf(experiment, language, before ?? undefined) };
  } catch (thrown) {
    return { ok: false, error: toErrorInfo(thrown) };
  }
}

const lineHeight = 18;
/** Lines drawn above and below the visible ones. */
const margin = 20;

/** Returns undefined for a line without an operation, such as a declaration. */
function opOf({ ops }: Code, line: number): number | undefined {
  const op = ops[line];
  return op === undefined || op < 0 ? undefined : op;
}

/** Selects the operation of a line in score and lanes. */
function selectLine({ target }: MouseEvent): void {
  const line = target instanceof Element ? target.closest<HTMLElement>('[data-op]') : null;
  // Selecting text in order to copy it selects no operation.
  if (line === null || getSelection()?.isCollapsed === false) return;
  const experiment = currentExperiment(state());
  const operation = experiment === null ? undefined : operationsOf(experiment)[Number(line.dataset['op'])];
  if (operation !== undefined) select({ kind: 'op', id: operation.id });
}

interface LinesProps {
  readonly code: Code;
  readonly language: CodeLanguage;
  readonly shown: Shown | null;
}

function Lines({ code, language, shown }: LinesProps) {
  const selection = useApp((app) => app.selection);
  const op = useSelectedOp();
  const { ref: sized, height } = useElementSize<HTMLElement>();
  const scrolled = useRef<HTMLElement | null>(null);
  const [top, setTop] = useState(0);
  const lines = useMemo(() => code.text.trimEnd().split('\n'), [code]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is selected is asked of the store.
  const marked = useMemo(() => new Set(selectedOps(state())), [selection, op]);
  const first = useMemo(() => code.ops.findIndex((one) => marked.has(one)), [code, marked]);
  // Scrolls past the preamble that every program has.
  useEffect(() => {
    const begin = code.ops.findIndex((one) => one >= 0);
    if (scrolled.current?.scrollTop === 0 && begin > 0) scrolled.current.scrollTop = (begin - 2) * lineHeight;
  }, [code]);
  useEffect(() => {
    const area = scrolled.current;
    if (area === null || first < 0) return;
    const [from, to] = [area.scrollTop / lineHeight, (area.scrollTop + area.clientHeight) / lineHeight];
    if (first < from || first + 1 > to) area.scrollTop = Math.max(0, (first - 3) * lineHeight);
  }, [first]);
  useEffect(() => {
    if (shown !== null) scrolled.current?.scrollTo({ top: Math.max(0, (shown.line - 2) * lineHeight) });
  }, [shown]);
  const from = Math.max(0, Math.floor(top / lineHeight) - margin);
  const to = Math.min(lines.length, Math.ceil((top + height) / lineHeight) + margin);
  return (
    <section
      className={classes['code']}
      ref={(element) => {
        scrolled.current = element;
        sized(element);
      }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keyboard too.
      tabIndex={0}
      aria-label="Program"
    >
      <div style={{ height: lines.length * lineHeight }}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys select in the score, which marks the lines. */}
        <pre style={{ transform: `translateY(${from * lineHeight}px)` }} onClick={selectLine}>
          {lines.slice(from, to).map((line, index) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number.
              key={from + index}
              data-op={opOf(code, from + index)}
              data-remedied={code.remedied.has(from + index) || undefined}
              data-selected={marked.has(code.ops[from + index] ?? -1) || undefined}
            >
              <span className={classes['number']} aria-hidden>
                {from + index + 1}
              </span>
              <Coloured line={line} language={language} />
              {'\n'}
            </span>
          ))}
        </pre>
      </div>
    </section>
  );
}

hljs.registerLanguage('cuda', (api) => {
  const language = cpp(api);
  (language.keywords as { keyword: string[] }).keyword.push('__global__', '__device__');
  return language;
});
hljs.registerLanguage('pytorch', python);

/** A line in the colours of its language. */
function Coloured({ line, language }: { readonly line: string; readonly language: CodeLanguage }) {
  const html = useMemo(() => hljs.highlight(line, { language }).value, [line, language]);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: highlight.js escapes the text.
  return <span dangerouslySetInnerHTML={{ __html: html }} />;
}
