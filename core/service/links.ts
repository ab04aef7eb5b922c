/**
 * Links that open Copyscope from a page or a mail: copyscope://open?example=ID, ?lesson=ID or ?file=PATH. Whoever wrote one is
 * unknown, so that it names what ships with the program or a file on a disk of this machine, and nothing else.
 */
import { CopyscopeError } from '../errors.ts';
import { checkShape } from '../shape/checkShape.ts';
import { idSchema } from './requests.ts';

export const linkScheme = 'copyscope:';

export type Link =
  | { readonly kind: 'example' | 'lesson'; readonly id: string }
  | { readonly kind: 'file'; readonly path: string };

const kinds = ['example', 'lesson', 'file'] as const;
const mostCharacters = 4096;

/** Whether a word of a command line is meant as one. */
export const isLink = (word: string): boolean => /^copyscope:/i.test(word);

/** Throws a CopyscopeError `link.*` that says what is wrong with it. */
export function parseLink(address: string, windows: boolean): Link {
  if (address.length > mostCharacters) throw refused('long', `is longer than ${mostCharacters} characters`);
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== linkScheme) throw refused('scheme', 'is no copyscope:// link');
  if (url.host.toLowerCase() !== 'open' || !/^\/?$/.test(url.pathname) || url.username !== '' || url.hash !== '')
    throw refused('form', 'asks for something else than to open');
  const given = [...url.searchParams];
  const [name, value] = given[0] ?? [];
  const kind = kinds.find((one) => one === name);
  if (kind === undefined || value === undefined || given.length > 1)
    throw refused('form', `must name one ${kinds.join(', ')}`);
  if (kind === 'file') return { kind, path: requirePath(value, windows) };
  if (!checkShape(idSchema, value).ok)
    throw refused('id', `names no ${kind}: only a-z, 0-9, "-", "_" and "/" may be in its id`);
  return { kind, id: value };
}

/** What Copyscope opens, by the ending of its name. */
export const opensFile = (path: string): boolean => /\.(json|gz|arrow|copyscope)$/i.test(path);

function requirePath(path: string, windows: boolean): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused.
  if (/[\u0000-\u001f\u007f]/.test(path)) throw refused('path', 'has control characters in its path');
  if (/^[\\/]{2}/.test(path)) throw refused('network', 'names a file on another machine');
  if (!(windows ? /^[a-z]:[\\/]/i : /^\//).test(path)) throw refused('path', 'does not name a file by its whole path');
  const parts = path.split(windows ? /[\\/]/ : '/').slice(1);
  if (parts.some((part) => part === '..' || part === '.')) throw refused('path', 'goes up in its path');
  // A second stream of a file, or a device.
  if (windows && parts.some((part) => /[:*?"<>|]/.test(part))) throw refused('path', 'names no file');
  if (!opensFile(path)) throw refused('path', 'names a file that Copyscope does not open');
  return path;
}

export const refused = (what: string, words: string): CopyscopeError =>
  new CopyscopeError({
    code: `link.${what}`,
    message: `The link ${words}.`,
    remedy: 'Nothing was opened. Whoever gave you the link can say what it should have been.',
  });
