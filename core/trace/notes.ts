/**
 * What a person has marked and written on a run. It is kept beside the run's file, which its engine wrote once, as a
 * small JSON file of its own: notes that can't be read never cost the run.
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
    /** Nanoseconds from the iteration's start; the same twice for a moment. */
    startNs: z.number().min(0),
    endNs: z.number().min(0),
    /** The activity that it was put on, as a row of the run's trace; null where it was put on a time. */
    row: z.number().int().min(0).nullable(),
    /** Empty for a mark without words. */
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

/** Whether both hold the same notes, in whatever order. */
export function sameNotes(a: readonly RunNote[], b: readonly RunNote[]): boolean {
  const others = byId(b);
  return a.length === b.length && a.every((note) => isSame(note, others.get(note.id)));
}

/**
 * Two lists that were made from the same one, put together: what either has added, changed or deleted. A note that one has
 * changed and the other deleted stays. One that both have changed is there twice: theirs under its id, mine under another
 * that is made from it, so that whoever puts the same lists together gets the same.
 */
export function mergeNotes(base: readonly RunNote[], mine: readonly RunNote[], theirs: readonly RunNote[]): RunNote[] {
  const [before, own, others] = [byId(base), byId(mine), byId(theirs)];
  const ids = new Set([...others.keys(), ...own.keys()]);
  return [...ids].flatMap((id) => {
    const [old, m, t] = [before.get(id), own.get(id), others.get(id)];
    if (isSame(m, t) || isSame(old, m)) return t ?? [];
    if (isSame(old, t) || t === undefined) return m ?? [];
    return m === undefined ? [t] : [t, { ...m, id: copyId(id, ids) }];
  });
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

function copyId(id: string, taken: Set<string>): string {
  let number = 2;
  const made = (): string => `${id.slice(0, 36)}-${number}`;
  while (taken.has(made())) number += 1;
  taken.add(made());
  return made();
}

/** Notes from a file's text. Throws a CopyscopeError `notes.invalid` with the field. */
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
