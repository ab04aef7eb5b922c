/** Parses a document's text as JSON, with messages that fit any document. */
import { jsonExcess } from './jsonBounds.ts';
import type { Wording } from './messages.ts';

export type ParsedJson = { readonly ok: true; readonly json: unknown } | ({ readonly ok: false } & Wording);

/** Never throws. Rejects a text that would take too much memory, or has an object of more than `mostFields` fields. */
export function parseJson(text: string, mostFields?: number): ParsedJson {
  const excess = jsonExcess(text, mostFields);
  if (excess !== null)
    return { ok: false, ...(noText(text) ?? { message: `${excess}.`, remedy: 'Check the program that wrote it.' }) };
  try {
    return { ok: true, json: JSON.parse(text) };
  } catch (error) {
    return { ok: false, ...(noText(text) ?? notJson((error as Error).message)) };
  }
}

function noText(text: string): Wording | null {
  const remedy = 'Check that it is the file you mean.';
  if (text.trim() === '') return { message: 'the file is empty.', remedy };
  // The parser's own message would show binary data on the screen.
  return text.includes('\0') || text.includes('\ufffd') ? { message: 'this is no text.', remedy } : null;
}

const notJson = (reason: string): Wording => ({
  message: `this is not valid JSON: ${reason}.`,
  remedy: 'Check for a truncated file, a missing comma or quote.',
});
