/** Plain text in columns. */
import { unbroken } from '../../../core/units.ts';

/** Returns exactly `width` characters: padded with spaces, or cut with '…'. */
export const column = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text.padEnd(width);

/** Returns rows with each column as wide as its longest cell, two spaces apart. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Returns lines of at most `width` characters after `indent`, broken between words but never before a unit. */
export function wrap(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of unbroken(text).split(/[^\S\u00a0]+/)) {
    const word = part.replaceAll('\u00a0', ' ');
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return line === '' ? lines : [...lines, indent + line];
}

const mostLines = 12;

/** Returns the first lines and the number of the rest, so that a run of any size takes one page. */
export const limited = (lines: readonly string[], most = mostLines): string[] =>
  lines.length <= most ? [...lines] : [...lines.slice(0, most), `  and ${lines.length - most} more (--json has all)`];
