/** The text of the JSON pane. It is applied when it is an experiment, or dropped when the pane closes. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { type ParsedExperiment, parseExperimentText } from '../../core/experiment/parse.ts';
import { edit } from '../store/editing/edit.ts';
import { pageDocumentKey } from '../store/select.ts';
import { state, useApp } from '../store/store.ts';

/** Pause in typing after which a change is applied. */
const pauseMs = 400;

const isSame = (one: Experiment, other: Experiment): boolean => JSON.stringify(one) === JSON.stringify(other);
const textOf = (experiment: Experiment): string => `${JSON.stringify(experiment, null, 2)}\n`;

interface JsonText {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly parsed: ParsedExperiment;
  /** Applies the text at once when the pane is left. */
  readonly takeOver: () => void;
}

export function useJsonText(experiment: Experiment): JsonText {
  const document = useApp(pageDocumentKey);
  const [text, setText] = useState(() => textOf(experiment));
  const parsed = useMemo(() => parseExperimentText(text), [text]);
  const shown = useRef({ document, experiment });
  // A change from elsewhere replaces the text. Our own comes back as the same document, whatever its spacing here.
  useEffect(() => {
    const before = shown.current;
    shown.current = { document, experiment };
    if (before.document !== document) setText(textOf(experiment));
    else if (!isSame(before.experiment, experiment)) setText(textOf(experiment));
  }, [document, experiment]);

  const takeOver = (): void => {
    const before = shown.current;
    if (!parsed.ok || before.document !== pageDocumentKey(state())) return;
    const next = parsed.experiment;
    if (isSame(next, before.experiment)) return;
    shown.current = { ...before, experiment: next };
    // The copy of an example keeps its own name, unless the name was edited.
    void edit('Edit JSON', ({ name }) => ({
      experiment: next.name === before.experiment.name ? { ...next, name } : next,
      selected: [],
    }));
  };
  useEffect(() => {
    const timer = setTimeout(takeOver, pauseMs);
    return () => clearTimeout(timer);
  });
  const last = useRef(takeOver);
  useEffect(() => {
    last.current = takeOver;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is applied when the document goes.
  useEffect(() => () => last.current(), [document]);
  return { text, setText, parsed, takeOver };
}
