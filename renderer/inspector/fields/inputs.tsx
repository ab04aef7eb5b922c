/** Inputs that change the document on blur or Enter, and show why a value is refused. */
import { ActionIcon, NativeSelect, Switch, Textarea, TextInput } from '@mantine/core';
import { IconChartDots } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { ErrorInfo } from '../../../core/errors.ts';
import { type DeclarationKind, declarationNames, declare } from '../../../core/experiment/edit/declarations.ts';
import type { Edited } from '../../../core/experiment/edit/edit.ts';
import { setField } from '../../../core/experiment/edit/operations.ts';
import type { OperationPath } from '../../../core/experiment/edit/paths.ts';
import { bytesText, durationText, parseBytes, parseDuration } from '../../../core/experiment/edit/quantities.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { reservedStreams, streamTitle } from '../../../core/experiment/resources.ts';
import { fieldPath, valueAtPath } from '../../../core/shape/path.ts';
import { afterFrame } from '../../common/scheduling.ts';
import { wishFocus } from '../../score/editor.ts';
import { edit } from '../../store/editing/edit.ts';
import { currentExperiment, pageDocumentKey } from '../../store/select.ts';
import { useApp } from '../../store/store.ts';
import { sweepCurrent } from '../../sweep/setup.ts';
import classes from './Form.module.css';

/** Fields of the selection. Escape returns to the score. */
export function Form({ children }: { readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key comes from a field inside.
    <div
      className={classes['form']}
      data-fields
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        wishFocus();
      }}
    >
      {children}
    </div>
  );
}

interface FieldProps {
  readonly label: string;
  /** Path of the value in the open document. */
  readonly path: OperationPath;
}

const useValueAt = (path: OperationPath): unknown => useApp((state) => valueAtPath(currentExperiment(state), path));

/** Conversions of a value to and from text; `read` returns null for invalid text. */
export interface Format<Value> {
  readonly write: (value: Value) => string;
  readonly read: (text: string) => Value | null;
  /** Description of valid text, such as 'a size such as 20 MiB'. */
  readonly expected: string;
}

export const bytesFormat: Format<number> = { write: bytesText, read: parseBytes, expected: 'a size such as 20 MiB' };
export const durationFormat: Format<number> = {
  write: durationText,
  read: parseDuration,
  expected: 'a time such as 40 µs or 1.5 ms',
};
export const numberFormat: Format<number> = {
  write: String,
  read: (text) => (text.trim() === '' || Number.isNaN(Number(text)) ? null : Number(text)),
  expected: 'a number',
};
export const textFormat: Format<string> = { write: (text) => text, read: (text) => text, expected: 'a text' };
export const shapeFormat: Format<readonly number[]> = {
  write: (shape) => shape.join(' × '),
  read: (text) => {
    const extents = text.split(/[\s,×x*]+/).filter((part) => part !== '');
    return extents.length > 0 && extents.every((part) => /^\d+$/.test(part)) ? extents.map(Number) : null;
  },
  expected: 'a shape such as 1024 × 1024',
};

/** Lowers the case of a label inside a sentence: 'Slot size' to 'slot size', but not 'CUDA_LAUNCH_BLOCKING'. */
export const inSentence = (label: string): string => label.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());

interface ValueFieldProps<Value> extends FieldProps {
  readonly format: Format<Value>;
  /** Meaning of an empty field; if left out, the field must not be empty. */
  readonly emptyMeans?: string;
  /** Makes the change, if that is more than setting the field. */
  readonly change?: (experiment: Experiment, value: Value | undefined) => Edited;
  readonly lines?: number;
  /** Valid values or purpose, shown under the label. */
  readonly hint?: string;
}

/** A text field that becomes a value. */
export function ValueField<Value>(props: ValueFieldProps<Value>) {
  const { label, format, emptyMeans, lines, hint } = props;
  const value = useValueAt(props.path) as Value | undefined;
  const shown = value === undefined ? '' : format.write(value);
  const { text, setText } = useTyped(props.path, shown);
  const [problem, setProblem] = useState<string | null>(null);
  /** Text already written to the document, which comes back as the value in one of the next frames. */
  const sent = useRef<string | null>(null);
  const field = fieldPath(props.path);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was refused or sent is gone with a new value.
  useEffect(() => {
    setProblem(null);
    sent.current = null;
  }, [shown, field]);
  const dropped = useRef(false);
  const commit = (): void => {
    setProblem(null);
    // Esc leaves the field before the dropped text is replaced.
    if (text === shown || text === sent.current || dropped.current) return;
    const isEmpty = text.trim() === '' && emptyMeans !== undefined;
    const next = isEmpty ? undefined : format.read(text);
    if (next === null) {
      setProblem(`Write ${format.expected}.`);
      return;
    }
    sent.current = text;
    void change(props, next, (error) => {
      sent.current = null;
      setProblem(error.message);
    });
  };
  const common = {
    label,
    size: 'xs',
    value: text,
    placeholder: emptyMeans,
    description: hint,
    error: problem,
    // Marks the field for takeOverTyped(), which keys that act on the document call.
    'data-typed': true,
    onBlur: commit,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => {
      dropped.current = false;
      setText(event.currentTarget.value);
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Enter' && lines === undefined) commit();
      if (event.key === 'Escape') {
        dropped.current = true;
        setText(shown);
        setProblem(null);
      }
    },
  } as const;
  return lines === undefined ? (
    <TextInput {...common} {...(typeof value === 'number' ? { rightSection: <SweepButton {...props} /> } : {})} />
  ) : (
    <Textarea {...common} autosize minRows={lines} maxRows={12} />
  );
}

/** The text in a field, until it is committed. */
function useTyped(path: OperationPath, shown: string) {
  const place = `${useApp(pageDocumentKey)} ${fieldPath(path)}`;
  const [text, setText] = useState(shown);
  const [at, setAt] = useState({ place, shown });
  // The value has changed, or the component now shows another field.
  if (at.place !== place || at.shown !== shown) {
    setAt({ place, shown });
    setText(shown);
  }
  return { text, setText };
}

/** A button that Tab skips, so that Tab goes from field to field. The palette has the same command. */
function SweepButton({ label, path }: FieldProps) {
  return (
    <ActionIcon
      size="sm"
      tabIndex={-1}
      aria-label="Sweep…"
      title={`Sweep over ${inSentence(label)}…`}
      onClick={() => sweepCurrent(path)}
    >
      <IconChartDots size={14} />
    </ActionIcon>
  );
}

function change<Value>(
  { label, path, change: own }: ValueFieldProps<Value>,
  value: Value | undefined,
  onRefused: (error: ErrorInfo) => void,
): Promise<boolean> {
  return edit(
    `Change ${inSentence(label)}`,
    (experiment) => (own === undefined ? setField(experiment, path, value) : own(experiment, value)),
    onRefused,
  );
}

interface ChoiceProps extends FieldProps {
  /** The chosen value, if the path leads to something else. */
  readonly value?: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly change?: (experiment: Experiment, value: string) => Edited;
}

/**
 * Returns the value to show: the chosen one until the document has it too, in one of the next frames, then the
 * document's. `choose` takes the edit that writes it.
 */
export function useChosen<Value>(
  value: Value,
): [shown: Value, choose: (next: Value, edited: Promise<boolean>) => void] {
  const [chosen, setChosen] = useState<{ readonly next: Value } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the document has spoken, whatever it says.
  useEffect(() => setChosen(null), [value]);
  const choose = (next: Value, edited: Promise<boolean>): void => {
    setChosen({ next });
    void edited.finally(() => afterFrame(() => setChosen(null)));
  };
  return [chosen === null ? value : chosen.next, choose];
}

/** A choice of a few values; the empty one removes the field. */
export function ChoiceField({ label, path, value, choices, change: make }: ChoiceProps) {
  const own = useValueAt(path);
  const [shown, choose] = useChosen(value ?? String(own ?? ''));
  const set = (next: string): Promise<boolean> =>
    edit(`Change ${inSentence(label)}`, (experiment) =>
      make === undefined ? setField(experiment, path, next === '' ? undefined : next) : make(experiment, next),
    );
  return (
    <NativeSelect
      label={label}
      size="xs"
      data={[...choices]}
      value={shown}
      onChange={({ currentTarget: { value: next } }) => choose(next, set(next))}
    />
  );
}

export const named = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

interface SwitchProps extends FieldProps {
  /** The value of a field that is left out. */
  readonly fallback?: boolean;
  readonly hint?: string;
  readonly change?: (experiment: Experiment, value: boolean) => Edited;
}

export function SwitchField({ label, path, fallback = false, hint, change: own }: SwitchProps) {
  const id = useId();
  const value = useValueAt(path);
  const [shown, choose] = useChosen(typeof value === 'boolean' ? value : fallback);
  const set = (next: boolean): Promise<boolean> =>
    edit(`Change ${inSentence(label)}`, (experiment) =>
      own === undefined ? setField(experiment, path, next) : own(experiment, next),
    );
  return (
    <Switch
      id={id}
      label={label}
      description={hint}
      size="xs"
      checked={shown}
      onChange={({ currentTarget: { checked: next } }) => choose(next, set(next))}
    />
  );
}

const newOne = ' new';

interface ReferenceProps extends FieldProps {
  readonly kind: DeclarationKind;
  /** Meaning of an empty field, if it may be empty. */
  readonly emptyMeans?: string;
  /** Declares a new item and returns its name; left out, the kind's usual one is declared. */
  readonly declareNew?: (draft: Experiment) => string;
  /** Sets the field to a declared item. */
  readonly choose?: (current: Experiment, id: string | undefined) => Edited;
}

/** A choice of a declared item, or of a new one. */
export function ReferenceField({
  kind,
  label,
  path,
  emptyMeans,
  declareNew = (draft) => declare(draft, kind),
  choose = (current, id) => setField(current, path, id),
}: ReferenceProps) {
  const experiment = useApp(currentExperiment);
  const value = useValueAt(path);
  if (experiment === null) return null;
  const { environment } = experiment;
  // `default` is the legacy or the per-thread one; only a stream that names this one itself is listed apart.
  const always = kind === 'streams' ? reservedStreams : [];
  const defaults = always.filter((id) => id !== environment.defaultStream || id === value);
  const choices = [
    ...(emptyMeans === undefined ? [] : [{ value: '', label: emptyMeans }]),
    ...defaults.map((id) => ({ value: id, label: streamTitle(id, environment) })),
    ...named(experiment[kind].map(({ id }) => id)),
    { value: newOne, label: `New ${declarationNames[kind]}…` },
  ];
  const set = (current: Experiment, next: string): Edited => {
    if (next !== newOne) return choose(current, next === '' ? undefined : next);
    const draft = structuredClone(current);
    const id = declareNew(draft);
    return setField(requireExperiment(draft), path, id);
  };
  return <ChoiceField label={label} path={path} choices={choices} change={set} />;
}
