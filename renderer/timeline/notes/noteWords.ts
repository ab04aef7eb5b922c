/** The note being edited. Its text is saved whenever the typing pauses, all in one step. */
import { debounced } from '../../common/scheduling.ts';
import { amend, change, withdraw } from './noteChanges.ts';
import { editNote, notesOf } from './noteState.ts';

interface Words {
  readonly run: string;
  readonly id: string;
  readonly text: string;
  /** True if the step exists. */
  readonly begun: boolean;
  /** True if the field has more text than the note. */
  readonly ahead: boolean;
}

let words: Words | null = null;
const pauseMs = 250;
const flushSoon = debounced(flushWords, pauseMs);

/** Returns whether a note is being edited. */
export const isWriting = (): boolean => words !== null;

/** Forgets the text. */
export function dropWords(): void {
  flushSoon.cancel();
  words = null;
}

/** Takes the current text of the field. */
export function typeWords(run: string, id: string, text: string): void {
  if (words?.run !== run || words.id !== id) flushWords();
  const begun = words?.run === run && words.id === id && words.begun;
  words = { run, id, text, begun, ahead: true };
  flushSoon();
}

/** Ends the editing; `keep` false restores the old note. */
export function endWords(run: string, keep: boolean): void {
  if (words?.run === run) {
    if (keep) flushWords();
    else if (words.begun) withdraw(run);
    flushSoon.cancel();
    words = null;
  }
  editNote(run, null);
}

/** Writes the text of the field into the note. */
export function flushWords(): void {
  flushSoon.cancel();
  if (words?.ahead !== true) return;
  const { run, id, text, begun } = words;
  words = { ...words, ahead: false };
  const { notes } = notesOf(run);
  if ((notes.find((one) => one.id === id)?.text ?? text) === text) return;
  const written = notes.map((one) => (one.id === id ? { ...one, text } : one));
  words = { ...words, begun: true };
  if (begun) amend(run, written);
  else change(run, 'Write a note', written);
}
