/** A note whose words are being written: they are saved whenever the typing pauses, all of them as one step. */
import { debounced } from '../../common/debounced.ts';
import { amend, change, withdraw } from './noteChanges.ts';
import { editNote, notesOf, set } from './noteState.ts';

interface Words {
  readonly run: string;
  readonly id: string;
  readonly text: string;
  /** Whether the step has been made. */
  readonly begun: boolean;
  /** Whether there is more in the field than in the note. */
  readonly ahead: boolean;
}

let words: Words | null = null;
const pauseMs = 250;
const flushSoon = debounced(flushWords, pauseMs);

/** The note, and what stands in its field; null while none is written. */
export const writtenWords = (): Pick<Words, 'id' | 'text'> | null => words;

/** The note is gone. */
export function dropWords(): void {
  words = null;
}

/** What stands in the field now. */
export function typeWords(run: string, id: string, text: string): void {
  if (words?.run !== run || words.id !== id) flushWords();
  const begun = words?.run === run && words.id === id && words.begun;
  words = { run, id, text, begun, ahead: true };
  flushSoon();
}

/** Ends the writing; `keep` false leaves the note as it was before. */
export function endWords(run: string, keep: boolean): void {
  if (words?.run === run) {
    if (keep) flushWords();
    else if (words.begun) withdraw(run);
    flushSoon.cancel();
    words = null;
  }
  editNote(run, null);
}

/** Puts what stands in the field into the note. */
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

/** The words that are being written have become those of another note. */
export function moveWords(id: string): void {
  if (words === null) return;
  words = { ...words, id };
  set(words.run, { editing: id });
}
