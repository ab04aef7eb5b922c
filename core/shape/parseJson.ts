/** A document's text as JSON, or what is wrong with it in words that hold for any document. */
import type { Wording } from './messages.ts';

export type ParsedJson = { readonly ok: true; readonly json: unknown } | ({ readonly ok: false } & Wording);

export function parseJson(text: string): ParsedJson {
  try {
    return { ok: true, json: JSON.parse(text) };
  } catch (error) {
    return { ok: false, ...whyNot(text, (error as Error).message) };
  }
}

function whyNot(text: string, reason: string): Wording {
  if (text.trim() === '') return { message: 'the file is empty.', remedy: 'Check that it is the file you mean.' };
  // The parser's message would bring its bytes to the screen.
  if (text.includes('\0') || text.includes('\ufffd')) {
    return { message: 'this is no text.', remedy: 'Check that it is the file you mean.' };
  }
  const message = `this is not valid JSON: ${reason}.`;
  return { message, remedy: 'Check for a truncated file, a missing comma or quote.' };
}
