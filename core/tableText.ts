/** Tables as text for other programs: spreadsheets take tabs, reports take Markdown. */

export interface TextTable {
  readonly titles: readonly string[];
  /** Columns from the left that hold words; the others hold numbers, and are set to the right. */
  readonly words: number;
  readonly rows: readonly (readonly string[])[];
}

/** A cell never breaks a row. */
const flat = (cell: string): string => cell.replace(/\s+/g, ' ');

export const asTsv = ({ titles, rows }: TextTable): string =>
  [titles, ...rows].map((row) => row.map(flat).join('\t')).join('\n');

export function asMarkdown({ titles, words, rows }: TextTable): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => flat(cell).replace(/[\\|]/g, '\\$&')).join(' | ')} |`;
  const rule = titles.map((_, column) => (column < words ? '---' : '---:'));
  return [line(titles), line(rule), ...rows.map(line)].join('\n');
}
