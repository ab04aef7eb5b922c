import type { NotesChange } from '../../../../core/service/service.ts';
import { type RunNote, runNotes } from '../../../../core/trace/notes.ts';

/** The change that a window with these notes sends. */
export const notesChange = (notes: readonly RunNote[]): NotesChange => ({
  notes: runNotes(notes),
  by: '6f1c1f0e-6a5b-4f3c-8a9e-0d1c2b3a4f5e',
});
