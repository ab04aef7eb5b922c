/** Answers in pages, since assistants read a few thousand tokens at a time. */
import { CopyscopeError } from '../../core/errors.ts';

/** Under 4,000 tokens: a token of JSON with names and numbers has at least 3 characters. */
export const mostCharacters = 11_000;

export type Item = Readonly<Record<string, unknown>>;

export interface Page extends Item {
  /** Give it to the same tool, with the same arguments, for the rest; left out on the last page. */
  readonly nextCursor?: string;
}

/** Returns the page at `cursor`: the head, which only the first page has, and as many items as fit. Throws `usage.cursor`. */
export function pageOf(head: Item, name: string, items: readonly unknown[], cursor: string | undefined): Page {
  const first = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(first) || first < 0 || (cursor !== undefined && (first === 0 || first >= items.length))) {
    throw new CopyscopeError({
      code: 'usage.cursor',
      field: 'cursor',
      message: `${cursor} is no cursor of this answer.`,
      remedy: 'Give nextCursor of the page before, with the same arguments.',
    });
  }
  const shown = first === 0 ? head : {};
  let characters = JSON.stringify(shown).length;
  let end = first;
  while (end < items.length) {
    characters += JSON.stringify(items[end]).length + 1;
    // A page always goes on by one item.
    if (characters > mostCharacters && end > first) break;
    end += 1;
  }
  return { ...shown, [name]: items.slice(first, end), ...(end < items.length ? { nextCursor: String(end) } : {}) };
}

/** Returns text in pieces that fit on a page. */
export const piecesOf = (text: string): string[] => text.match(/[\s\S]{1,8000}(?:\n|$)|[\s\S]{1,8000}/g) ?? [];
