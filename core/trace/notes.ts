/**
 * A person's notes and marks on a run. They are stored in a small JSON file next to the run file, which its engine
 * wrote once, so unreadable notes never make the run unreadable.
 */
import { z } from 'zod';
import { CopyscopeError } from '../errors.ts';
import { checkShape } from '../shape/checkShape.ts';
import { parseJson } from '../shape/parseJson.ts';
import { fieldPath } from '../shape/path.ts';

const notesFormat = 'copyscope/notes';
const notesVersion = 1;
export const mostNotes = 500;
export const mostNoteCharacters = 2000;
/** A note of 2,000 characters has at most 12,000 bytes as JSON. */
export const maxNotesBytes = 8 * 1024 * 1024;

const runNoteSchema = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9-]{1,40}$/, 'is not an id of a note'),
    iteration: z.number().int().min(0),
    /** Nanoseconds from the iteration's start; both are equal for a moment. */
    startNs: z.number().min(0),
    endNs: z.number().min(0),
    /** Row of the activity that the note is attached to; null if it is attached to a time. */
    row: z.number().int().min(0).nullable(),
    /** Empty for a mark without text. */
    text: z.string().max(mostNoteCharacters),
  })
  .refine(({ startNs, endNs }) => endNs >= startNs, { path: ['endNs'], message: 'ends before it starts' });

export const runNotesSchema = z.strictObject({
  format: z.literal(notesFormat),
  version: z.literal(notesVersion),
  notes: z
    .array(runNoteSchema)
    .max(mostNotes)
    .refine((notes) => new Set(notes.map(({ id }) => id)).size === notes.length, 'two notes have the same id'),
});

export type RunNote = z.infer<typeof runNoteSchema>;
export type RunNotes = z.infer<typeof runNotesSchema>;

export const runNotes = (notes: readonly RunNote[] = []): RunNotes => ({
  format: notesFormat,
  version: notesVersion,
  notes: [...notes],
});

/** Returns whether both lists contain the same notes, in any order. */
export function sameNotes(a: readonly RunNote[], b: readonly RunNote[]): boolean {
  const others = byId(b);
  return a.length === b.length && a.every((note) => isSame(note, others.get(note.id)));
}

const byId = (notes: readonly RunNote[]): Map<string, RunNote> => new Map(notes.map((note) => [note.id, note]));

const isSame = (a: RunNote | undefined, b: RunNote | undefined): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    a.iteration === b.iteration &&
    a.startNs === b.startNs &&
    a.endNs === b.endNs &&
    a.row === b.row &&
    a.text === b.text);

/** Parses a notes file. Throws a CopyscopeError `notes.invalid` with the field. */
export function parseRunNotes(text: string): RunNotes {
  const parsed = parseJson(text);
  if (!parsed.ok) throw invalid('', parsed.message);
  const shape = checkShape(runNotesSchema, parsed.json);
  if (shape.ok) return shape.value;
  const [{ path, message }] = shape.problems;
  throw invalid(fieldPath(path), message);
}

const invalid = (field: string, message: string): CopyscopeError =>
  new CopyscopeError({
    code: 'notes.invalid',
    field: field === '' ? 'notes' : field,
    message,
    remedy: 'The run itself is not affected. The first new note sets the damaged file aside.',
  });
