/** Tables as text for other programs: tab-separated for spreadsheets, Markdown for reports. */

export interface TextTable {
  readonly titles: readonly string[];
  /** Number of leading columns with words. The other columns hold numbers and are right-aligned. */
  readonly words: number;
  readonly rows: readonly (readonly string[])[];
}

/** A line break in a cell would break its row. */
const flat = (cell: string): string => cell.replace(/\s+/g, ' ');

export const asTsv = ({ titles, rows }: TextTable): string =>
  [titles, ...rows].map((row) => row.map(flat).join('\t')).join('\n');

export function asMarkdown({ titles, words, rows }: TextTable): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => flat(cell).replace(/[\\|]/g, '\\$&')).join(' | ')} |`;
  const rule = titles.map((_, column) => (column < words ? '---' : '---:'));
  return [line(titles), line(rule), ...rows.map(line)].join('\n');
}
