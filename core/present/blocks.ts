/**
 * Content of a run, plan, comparison or sweep. Window, report, paper and terminal draw the same blocks: the window and
 * the report with renderer/blocks, the terminal with host/cli/render/blocks.ts. Texts have plain spaces before units.
 */

export type Tone = 'good' | 'warn' | 'bad';

export interface TextBlock {
  readonly kind: 'text';
  readonly text: string;
  /** `answer` stands out, `dim` stands back. */
  readonly look?: 'answer' | 'dim' | undefined;
  readonly tone?: Tone | undefined;
}

export interface Column {
  readonly title: string;
  readonly meaning?: string | undefined;
  /** The column names the row. Default: the first column. */
  readonly isName?: true;
}

export interface Row {
  readonly cells: readonly string[];
  /** Drawn as a bar. */
  readonly share?: number | undefined;
  /** The row belongs to the row above it. */
  readonly isPart?: boolean | undefined;
  readonly isChosen?: boolean | undefined;
}

export interface TableBlock {
  readonly kind: 'table';
  readonly title: string;
  /** Sentence between title and table. */
  readonly about?: string | undefined;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Shown if there are no rows. A table without rows and this text is left out. */
  readonly empty?: string | undefined;
  /** Number of rows that were left out, and where they are. */
  readonly more?: string | undefined;
}

export type Block = TextBlock | TableBlock;

/** Returns no block for an empty text. */
export const text = (words: string | null, look?: TextBlock['look'], tone?: Tone): TextBlock[] =>
  words === null || words === '' ? [] : [{ kind: 'text', text: words, look, tone }];

/** Returns the indices of the columns that have a cell with text. */
export const filledColumns = ({ columns: all, rows }: Pick<TableBlock, 'columns' | 'rows'>): number[] =>
  [...all.keys()].filter((at) => rows.length === 0 || rows.some(({ cells }) => (cells[at] ?? '') !== ''));

/** Returns the index of the column that names the rows. */
export const nameColumn = ({ columns: all }: Pick<TableBlock, 'columns'>): number =>
  Math.max(
    0,
    all.findIndex(({ isName }) => isName),
  );

export const columns = (...titles: readonly string[]): Column[] => titles.map((title) => ({ title }));
