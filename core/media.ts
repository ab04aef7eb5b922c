/**
 * Functions that escape text from documents for another medium, one per medium. The escaped text can't end its line,
 * literal or cell, or send a command. Each function is tested with hostile text against readers of its medium.
 */

/**
 * Characters that end a line or that terminals obey: control characters except the tab, Unicode's line and paragraph
 * separators and the characters that reorder text (UAX #9). Also lone surrogates, which UTF-8 can't encode, and
 * noncharacters.
 */
const unshown = /[^\P{Cc}\t]|[\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

/** Returns the text with a visible sign in place of each character that would end its line or that a terminal obeys. */
export const oneLine = (text: string): string => text.replace(unshown, signOf);

/** Returns Unicode's picture of a control character or line end, or the replacement character for others. */
function signOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return code === 0x85 || code === 0x2028 || code === 0x2029 ? '\u2424' : '\ufffd';
}

/** First line of a Python file. It fixes the encoding, which a comment on line 2 could otherwise change (PEP 263). */
export const pythonEncoding = '# coding: utf-8';

export const pythonComment = (text: string): string => `# ${oneLine(text)}`;

/** A trailing backslash, or the trigraph for one, would continue the comment on the next line. */
export const cppComment = (text: string): string =>
  `// ${oneLine(text).replaceAll('\\', '/').replaceAll('??/', '? ?/')}`;

/** Returns a string literal in ASCII. Lone surrogates, which Python can't print, become U+FFFD. */
export function pythonString(text: string): string {
  const plain = JSON.stringify(text.replace(/\p{Cs}/gu, '\ufffd'));
  return plain.replace(/[\u007f-\u{10ffff}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hexadecimal(code, 8)}` : `\\u${hexadecimal(code, 4)}`;
  });
}

const hexadecimal = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** Core includes neither Node's nor the browser's type library, so this declares the global that it uses. */
const platform = globalThis as unknown as { readonly TextEncoder: new () => { encode(text: string): Uint8Array } };

/** Returns a string literal of UTF-8 bytes in ASCII. It escapes question marks, since they could begin a trigraph. */
export function cppString(text: string): string {
  const bytes = [...new platform.TextEncoder().encode(text)].map((byte) => {
    if (byte === 0x22 || byte === 0x5c || byte === 0x3f) return `\\${String.fromCharCode(byte)}`;
    return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `"${bytes.join('')}"`;
}

/** Quotes one word for a POSIX shell. NUL, which a word can't contain, becomes a visible sign. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll('\0', '\u2400').replaceAll("'", "'\\''")}'`;
}

const entities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;' },
  ...{ '"': '&quot;', "'": '&#39;' },
};

/** Escapes text or an attribute for XML, SVG and HTML. */
export const xmlText = (text: string): string => oneLine(text).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);

/** Escapes a SARIF message. SARIF readers turn "[text](target)" into a link. */
export const sarifText = (text: string): string => oneLine(text).replaceAll('](', '] (');

/** Escapes the message of a GitHub Actions workflow command. */
export const githubMessage = (text: string): string => oneLine(text).replaceAll('%', '%25');

/** Escapes a property of a GitHub Actions workflow command. */
export const githubProperty = (text: string): string =>
  githubMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Quotes a cell of comma-separated values (RFC 4180). A spreadsheet would run a cell that begins like a formula. */
export function csvCell(text: string): string {
  const shown = oneLine(text);
  const plain = /^[=+\-@\t\uff1d\uff0b\uff0d\uff20]/.test(shown) ? `'${shown}` : shown;
  return /[",]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** Returns one line for a terminal or a log. Breaks "::" at its begin and "##[", which CI services obey. */
export const terminalLine = (text: string): string =>
  oneLine(text)
    .replace(/^(\s*):(?=:)/, '$1: ')
    .replace(/##(?=\w*\[)/g, '# #');

/** Escapes the characters of a JSON text that a terminal would obey. Line ends between values stay. */
export const jsonText = (json: string): string =>
  json.replace(unshown, (character) =>
    character === '\n' ? character : character.replace(/./gs, (unit) => `\\u${hexadecimal(unit.charCodeAt(0), 4)}`),
  );
