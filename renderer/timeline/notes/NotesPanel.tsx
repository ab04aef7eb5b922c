/** The list of a run's marks and notes: go to one, edit its text, delete it. */
import { ActionIcon, Textarea, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconPencil, IconPlus, IconTrash, IconX } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { mostNoteCharacters, type RunNote } from '../../../core/trace/notes.ts';
import { ErrorText } from '../../common/Page.tsx';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { operationLabels, rowTitle } from '../rows/describeRow.ts';
import classes from './Notes.module.css';
import { whenOf } from './noteSteps.ts';
import { deleteNote, editNote, goToNote, keepsNotes, openNotes, typeNote, useRunNotes, writeNote } from './notes.ts';

interface Props {
  readonly run: LoadedRun;
  /** Begins a note on the selection. */
  readonly onAdd: () => void;
}

export function NotesPanel({ run, onAdd }: Props) {
  const { notes, problem } = useRunNotes(run.id);
  const keeps = keepsNotes(run.id);
  return (
    <aside className={classes['panel']} aria-label="Notes">
      <header>
        <h3>Notes</h3>
        <Tooltip label="Add a note (N)">
          <ActionIcon aria-label="Add a note (N)" onClick={onAdd} disabled={!keeps}>
            <IconPlus size={15} />
          </ActionIcon>
        </Tooltip>
        <ActionIcon aria-label="Close the notes" onClick={() => openNotes(false)}>
          <IconX size={15} />
        </ActionIcon>
      </header>
      {problem === null ? null : (
        <div className={classes['problem']} role="alert">
          <IconAlertTriangle size={15} aria-hidden />
          <ErrorText error={problem} />
        </div>
      )}
      {notes.length === 0 ? (
        <p className={classes['empty']}>
          {keeps
            ? 'No notes yet. Select an activity or drag over a stretch: M marks it, N writes a note on it.'
            : 'A prediction keeps no notes, since each edit makes it anew. Run it first.'}
        </p>
      ) : (
        <ul>
          {notes.map((note) => (
            <Note key={note.id} run={run} note={note} />
          ))}
        </ul>
      )}
    </aside>
  );
}

function Note({ run, note }: { readonly run: LoadedRun; readonly note: RunNote }) {
  const { editing, active } = useRunNotes(run.id);
  const item = useRef<HTMLLIElement>(null);
  const isActive = active?.id === note.id;
  useEffect(() => {
    if (isActive) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isActive]);
  const when = whenOf(note);
  const iteration = run.iterations.length > 1 ? `iteration ${note.iteration + 1}` : '';
  const on = titleOf(run, note);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Delete' || event.target instanceof HTMLTextAreaElement) return;
    event.preventDefault();
    event.stopPropagation();
    deleteNote(run.id, note.id);
  };
  return (
    <li ref={item} data-active={isActive || undefined} onKeyDown={onKeyDown}>
      <div className={classes['head']}>
        <button type="button" className={classes['go']} onClick={() => goToNote(run.id, note.id)}>
          <span className="tabular">{when}</span>
          <small>{[on, iteration].filter(Boolean).join(', ')}</small>
        </button>
        <ActionIcon size="sm" aria-label={`Edit the note at ${when}`} onClick={() => editNote(run.id, note.id)}>
          <IconPencil size={14} />
        </ActionIcon>
        <ActionIcon size="sm" aria-label={`Delete the note at ${when}`} onClick={() => deleteNote(run.id, note.id)}>
          <IconTrash size={14} />
        </ActionIcon>
      </div>
      {editing === note.id ? <Words run={run} note={note} /> : <p className={classes['words']}>{note.text}</p>}
    </li>
  );
}

/** Returns the title of the note's row; empty for a time, or if the file names a missing row. */
function titleOf({ run }: LoadedRun, { row }: RunNote): string {
  if (row === null || row >= run.trace.count) return '';
  return rowTitle(run.trace, row, operationLabels(run.info.experiment));
}

function Words({ run, note }: { readonly run: LoadedRun; readonly note: RunNote }) {
  const [before] = useState(note);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <>
      <Textarea
        aria-label={`Note at ${whenOf(note)}`}
        size="xs"
        autosize
        minRows={2}
        maxRows={8}
        ref={field}
        data-typed
        maxLength={mostNoteCharacters}
        value={note.text}
        onChange={({ currentTarget: { value } }) => typeNote(run.id, note.id, value)}
        onBlur={() => writeNote(run.id, before, note.text)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            typeNote(run.id, note.id, before.text);
            editNote(run.id, null);
          } else if (event.key === 'Enter' && !event.shiftKey) writeNote(run.id, before, note.text);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <small className={classes['hint']}>Enter keeps it, Esc leaves it as it was.</small>
    </>
  );
}
