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
  /** Stands in smaller letters below the name. */
  readonly detail?: string | undefined;
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

/** A verdict, a hazard or a remedy. */
export interface Item {
  readonly title: string;
  /** The name in the command line; the terminal shows it in place of the title. */
  readonly word?: string | undefined;
  /** The kind of finding, in a word or two. */
  readonly mark?: { readonly text: string; readonly tone: Tone | 'neutral' } | undefined;
  /** The operations that it is about. */
  readonly subject?: string | undefined;
  readonly figure?: { readonly text: string; readonly tone?: Tone } | undefined;
  readonly texts: readonly string[];
  /** Places and rules, which stand back. */
  readonly remarks?: readonly string[] | undefined;
  readonly code?: string | undefined;
}

export interface ItemsBlock {
  readonly kind: 'items';
  readonly title: string;
  readonly items: readonly Item[];
  /** Alternatives, which are unfolded on demand. The terminal shows only their titles and figures. */
  readonly isFolded?: boolean | undefined;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
  /** Range or rate next to the value, in smaller letters. */
  readonly more?: string | undefined;
  /** Drawn as a bar. */
  readonly share?: number | undefined;
  /** Meaning of the figure, or how it was obtained. */
  readonly meaning?: string | undefined;
  /** The fact is a part of the one above it. */
  readonly isPart?: boolean | undefined;
}

export interface FactsBlock {
  readonly kind: 'facts';
  readonly title: string;
  readonly about?: TextBlock | undefined;
  readonly facts: readonly Fact[];
}

export type Block = TextBlock | TableBlock | ItemsBlock | FactsBlock;

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
