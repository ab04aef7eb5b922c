/** The fields of the form: the program and its folder, the recorded activities, and the time. */
import { SegmentedControl, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { FieldCard } from '../common/Page.tsx';
import { type Problems, type ReadDraft, type RecordDraft, setRecordDraft } from './draft.ts';
import classes from './Record.module.css';
import type { SplitCommand } from './words.ts';

interface CommandProps {
  readonly draft: RecordDraft;
  readonly read: ReadDraft;
  /** Problem with the folder that the host reported. */
  readonly folderProblem: string | undefined;
}

export function CommandFields({ draft, read: { split, problems }, folderProblem }: CommandProps) {
  const isEmpty = draft.command.trim() === '';
  return (
    <FieldCard legend="Program to run">
      <Textarea
        label="Command"
        description="Type it as in a terminal. It is split into words; no shell runs it."
        placeholder="python train.py --epochs 1"
        autosize
        minRows={1}
        maxRows={6}
        maxLength={100_000}
        spellCheck={false}
        data-autofocus
        classNames={{ input: classes['code'] ?? '' }}
        value={draft.command}
        error={isEmpty ? null : problems.command}
        onChange={({ currentTarget: { value } }) => setRecordDraft({ command: value })}
      />
      {isEmpty ? null : <Words split={split} />}
      <TextInput
        label="Folder"
        description="The program starts here; your home folder if empty."
        placeholder="~/project"
        spellCheck={false}
        maxLength={4096}
        classNames={{ input: classes['code'] ?? '' }}
        value={draft.folder}
        error={folderProblem}
        onChange={({ currentTarget: { value } }) => setRecordDraft({ folder: value })}
      />
      <Textarea
        label="More environment variables"
        description="NAME=value, one a line, in addition to those that Copyscope has. They are not kept for the next visit. With PYTHONUNBUFFERED=1 what Python prints is shown at once."
        placeholder="CUDA_VISIBLE_DEVICES=0"
        autosize
        minRows={1}
        maxRows={8}
        maxLength={1_000_000}
        spellCheck={false}
        classNames={{ input: classes['code'] ?? '' }}
        value={draft.environment}
        error={problems.environment}
        onChange={({ currentTarget: { value } }) => setRecordDraft({ environment: value })}
      />
    </FieldCard>
  );
}

/** The words of the command line, each in a box. */
function Words({ split }: { readonly split: SplitCommand }) {
  if (!split.ok) return null;
  const variables = Object.entries(split.variables);
  return (
    <div>
      <ol className={classes['words']} aria-label="The words of the command">
        {variables.map(([name, value]) => (
          <li key={name} className={classes['variable']}>
            {name}={value}
          </li>
        ))}
        {split.words.map((word, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a word is known by its place.
          <li key={place}>{word === '' ? <em>empty</em> : word}</li>
        ))}
      </ol>
      {split.notes.map((note) => (
        <p key={note} className={classes['note']}>
          {note}
        </p>
      ))}
    </div>
  );
}

export function ModeFields({ draft }: { readonly draft: RecordDraft }) {
  return (
    <FieldCard legend="Recorded activities">
      <SegmentedControl
        aria-label="Mode"
        className={classes['choice'] ?? ''}
        value={draft.light ? 'light' : 'full'}
        onChange={(value) => setRecordDraft({ light: value === 'light' })}
        data={[
          { value: 'full', label: 'Full' },
          { value: 'light', label: 'Light' },
        ]}
      />
      <p className={classes['hint']}>
        {draft.light
          ? 'Copies, waits and memory, without kernels, which cost a program of many launches the most. The recording then can’t say if a copy overlapped a kernel.'
          : 'Copies, kernels, waits, memory and NVTX ranges: all that is needed to say what overlapped, and why not.'}
      </p>
      <Switch
        label="Lines of Python"
        description="The stack of each copy and wait, which took 0.2 to 1 µs a call where it was measured."
        checked={draft.lines}
        onChange={({ currentTarget: { checked } }) => setRecordDraft({ lines: checked })}
      />
    </FieldCard>
  );
}

interface WhenProps {
  readonly draft: RecordDraft;
  readonly problems: Problems;
}

export function WhenFields({ draft, problems }: WhenProps) {
  const field = (name: 'delay' | 'duration' | 'from' | 'to' | 'range', label: string, placeholder: string) => (
    <TextInput
      label={label}
      size="xs"
      placeholder={placeholder}
      value={draft[name]}
      maxLength={200}
      error={problems[name]}
      onChange={({ currentTarget: { value } }) => setRecordDraft({ [name]: value })}
    />
  );
  return (
    <FieldCard legend="When">
      <SegmentedControl
        aria-label="When"
        className={classes['choice'] ?? ''}
        value={draft.when}
        onChange={(value) => setRecordDraft({ when: value as RecordDraft['when'] })}
        data={[
          { value: 'all', label: 'From start to end' },
          { value: 'time', label: 'For a time' },
          { value: 'steps', label: 'Some steps' },
        ]}
      />
      {draft.when === 'time' ? (
        <div className={classes['fields']}>
          {field('delay', 'Begin after (seconds)', 'at once')}
          {field('duration', 'For (seconds)', 'to the end')}
        </div>
      ) : null}
      {draft.when === 'steps' ? (
        <div className={classes['fields']}>
          {field('from', 'First step', '20')}
          {field('to', 'Last step', '25')}
          {field('range', 'NVTX range that is a step', 'the outermost')}
        </div>
      ) : null}
      <Text className={classes['hint'] ?? ''} component="p">
        {hints[draft.when]}
      </Text>
    </FieldCard>
  );
}

const hints: Readonly<Record<RecordDraft['when'], string>> = {
  all: 'A run of some steps says as much as a long one. Stop ends it, and what was recorded is kept.',
  time: 'Counted from when the program initialises CUDA.',
  steps:
    'Counted from 1. A step is an outermost NVTX range of the default domain. If the program has none, 10 s are recorded.',
};
