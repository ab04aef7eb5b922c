/**
 * What a terminal is given. Names and texts come from files of others, and a terminal takes some characters for commands:
 * to hide a line, to change its title, to turn the order of a text around. Each is shown by a sign of its own instead.
 */

/** Colours and weights, as picocolors writes them: all that they can do is look odd. */
const look = '\\u001b\\[(?:0|1|2|22|39|3[0-7]|9[0-7])m';
/** C0 and C1 but tab and line feed, and the marks of Unicode that turn text around (UAX #9). */
const commands = '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]';
const either = new RegExp(`${look}|\\r\\n|${commands}`, 'gu');

/** Draws over the line that is there; only at the beginning of what is written. */
export const clearLine = '\r\u001b[K';

export function legible(text: string): string {
  if (text.startsWith(clearLine)) return clearLine + legible(text.slice(clearLine.length));
  return text.replace(either, (match) => (match.length > 1 ? match : signOf(match.charCodeAt(0))));
}

/** Unicode's pictures of control characters; of what has none, the sign for what can't be shown. */
function signOf(code: number): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}
