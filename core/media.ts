/**
 * Text from documents as a part of another medium: one function for each. None of them lets a text end its line, its
 * literal or its cell, or send a command. Each is tested with hostile text against the readers of its medium.
 */

/**
 * Characters that end a line or that a terminal obeys: controls but the tab, Unicode's separators of lines and paragraphs,
 * and the controls that reorder text (UAX #9); and those that UTF-8 can't hold, or that aren't for interchange.
 */
const unshown = /[^\P{Cc}\t]|[\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

/** Returns the text with a visible sign in place of each character that would end its line or that a terminal obeys. */
export const oneLine = (text: string): string => text.replace(unshown, signOf);

/** Unicode's pictures of control characters and line ends; the sign for what can't be shown for all others. */
function signOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return code === 0x85 || code === 0x2028 || code === 0x2029 ? '\u2424' : '\ufffd';
}

/** The first line of a Python file: it fixes the encoding, which any comment on the next line could change (PEP 263). */
export const pythonEncoding = '# coding: utf-8';

export const pythonComment = (text: string): string => `# ${oneLine(text)}`;

/** A backslash or the trigraph for one would carry the comment on to the next line. */
export const cppComment = (text: string): string =>
  `// ${oneLine(text).replaceAll('\\', '/').replaceAll('??/', '? ?/')}`;

/** A string literal in ASCII. Lone surrogates, which Python can't print, become U+FFFD. */
export function pythonString(text: string): string {
  const plain = JSON.stringify(text.replace(/\p{Cs}/gu, '\ufffd'));
  return plain.replace(/[\u007f-\u{10ffff}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hexadecimal(code, 8)}` : `\\u${hexadecimal(code, 4)}`;
  });
}

const hexadecimal = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** The globals of Node and browsers: core knows the type libraries of neither. */
const platform = globalThis as unknown as { readonly TextEncoder: new () => { encode(text: string): Uint8Array } };

/** A string literal of UTF-8 bytes in ASCII; a question mark could begin a trigraph. */
export function cppString(text: string): string {
  const bytes = [...new platform.TextEncoder().encode(text)].map((byte) => {
    if (byte === 0x22 || byte === 0x5c || byte === 0x3f) return `\\${String.fromCharCode(byte)}`;
    return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `"${bytes.join('')}"`;
}

/** One word of a POSIX shell. A word can't hold NUL. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll('\0', '\u2400').replaceAll("'", "'\\''")}'`;
}

const entities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;' },
  ...{ '"': '&quot;', "'": '&#39;' },
};

/** Text or an attribute of XML, SVG or HTML. */
export const xmlText = (text: string): string => oneLine(text).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);

/** A message in SARIF. Its readers make a link of "[text](target)". */
export const sarifText = (text: string): string => oneLine(text).replaceAll('](', '] (');

/** The message of a workflow command of GitHub Actions. */
export const githubMessage = (text: string): string => oneLine(text).replaceAll('%', '%25');

/** A property of a workflow command of GitHub Actions. */
export const githubProperty = (text: string): string =>
  githubMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** A cell of comma-separated values (RFC 4180). A spreadsheet would run a text that begins as a formula does. */
export function csvCell(text: string): string {
  const shown = oneLine(text);
  const plain = /^[=+\-@\t\uff1d\uff0b\uff0d\uff20]/.test(shown) ? `'${shown}` : shown;
  return /[",]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/**
 * One line for a terminal or a log. Services that run builds obey lines that begin with "::" or hold "##[", so these get
 * a space.
 */
export const terminalLine = (text: string): string =>
  oneLine(text)
    .replace(/^(\s*):(?=:)/, '$1: ')
    .replace(/##(?=\w*\[)/g, '# #');

/** JSON whose texts hold nothing that a terminal obeys: such characters become escapes. Line ends between values stay. */
export const jsonText = (json: string): string =>
  json.replace(unshown, (character) =>
    character === '\n' ? character : character.replace(/./gs, (unit) => `\\u${hexadecimal(unit.charCodeAt(0), 4)}`),
  );
