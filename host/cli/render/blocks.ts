/** Draws blocks as plain text. */
import {
  type Block,
  type FactsBlock,
  filledColumns,
  type Item,
  type ItemsBlock,
  nameColumn,
  type TableBlock,
  type TextBlock,
} from '../../../core/present/blocks.ts';
import type { Terminal } from '../io.ts';
import { table, wrap } from './text.ts';

type Screen = Pick<Terminal, 'columns' | 'colors'>;

/** Returns the blocks' lines, with an empty line before each titled block. */
export const drawBlocks = (blocks: readonly Block[], screen: Screen): string[] =>
  blocks.flatMap((block, index) => {
    const lines = drawBlock(block, screen).map((line) => line.replaceAll('\u00a0', ' '));
    return index > 0 && lines.length > 0 && (isApart(block) || isAnswer(blocks[index - 1])) ? ['', ...lines] : lines;
  });

/** Returns whether a block has a title or stands out. The remarks after a table belong to it. */
const isApart = (block: Block): boolean => block.kind !== 'text' || block.look !== undefined;
const isAnswer = (block: Block | undefined): boolean => block?.kind === 'text' && block.look === 'answer';

function drawBlock(block: Block, screen: Screen): string[] {
  if (block.kind === 'text') return drawText(block, screen);
  if (block.kind === 'facts') return drawFacts(block, screen);
  return block.kind === 'table' ? drawTable(block, screen) : drawItems(block, screen);
}

function drawText({ text, look, tone }: TextBlock, { columns, colors }: Screen): string[] {
  const lines = wrap(text, columns, '');
  if (look === 'answer') return lines.map((line) => colors.bold(line));
  if (look === 'dim') return lines.map((line) => colors.dim(line));
  return tone === undefined ? lines : lines.map((line) => toneColors(colors)[tone](line));
}

const toneColors = (colors: Screen['colors']) => ({
  good: colors.green,
  warn: colors.yellow,
  neutral: colors.yellow,
  bad: colors.red,
});

function drawTable(block: TableBlock, { columns, colors }: Screen): string[] {
  const { title, about, columns: titles, rows, empty, more } = block;
  if (rows.length === 0 && empty === undefined) return [];
  const [filled, name] = [filledColumns(block), nameColumn(block)];
  const body = rows.map(({ cells, isPart = false, isChosen = false }) =>
    filled.map((at) =>
      at === name ? `${isPart ? '  ' : ''}${cells[at] ?? ''}${isChosen ? ' *' : ''}` : (cells[at] ?? ''),
    ),
  );
  const [head = '', ...lines] = table([filled.map((at) => titles[at]?.title ?? ''), ...body]);
  return [
    ...(title === '' ? [] : [colors.bold(title)]),
    ...(about === undefined ? [] : wrap(about, columns, '')),
    ...(rows.length === 0 ? wrap(empty ?? '', columns, '') : [colors.dim(head)]),
    ...lines.flatMap((line, at) => [
      line,
      ...wrap(rows[at]?.detail ?? '', columns, detailIndent).map((words) => colors.dim(words)),
    ]),
    ...(more === undefined ? [] : wrap(more, columns, '')),
  ];
}

function drawFacts({ title, about, facts }: FactsBlock, screen: Screen): string[] {
  const head =
    about === undefined ? [screen.colors.bold(title)] : drawText({ ...about, text: `${title}: ${about.text}` }, screen);
  const rows = facts.map(({ name, value, more = '', isPart = false }) => [
    `  ${isPart ? '  ' : ''}${name}`,
    value,
    more,
  ]);
  return [...head, ...table(rows)];
}

const detailIndent = '    ';
const mostFolded = 5;

function drawItems({ title, items, isFolded = false }: ItemsBlock, screen: Screen): string[] {
  if (items.length === 0) return [];
  const shown = isFolded ? items.slice(0, mostFolded).map((item) => ({ ...item, texts: [] })) : items;
  return [
    ...(title === '' ? [] : [screen.colors.bold(title)]),
    ...shown.flatMap((item) => drawItem(item, screen)),
    ...(shown.length === items.length ? [] : [`  and ${items.length - shown.length} more (--json has all)`]),
  ];
}

function drawItem(item: Item, { columns, colors }: Screen): string[] {
  const { title, word = title, mark, subject, figure, texts, remarks = [] } = item;
  const name = subject ?? word;
  const sign = mark === undefined ? '  ' : `[${mark.text}] `;
  const ends = [...(subject === undefined ? [] : [title]), ...(figure === undefined ? [] : [figure.text])];
  const [first = '', ...rest] = wrap([name, ...ends].join(': '), columns, sign);
  const indent = mark === undefined ? '    ' : '  ';
  return [
    first
      .replace(name, () => colors.bold(name))
      .replace(sign, (text) => (mark === undefined ? text : toneColors(colors)[mark.tone](text))),
    ...rest.map((line) => `${indent}${line.slice(sign.length)}`),
    ...texts.flatMap((words) => wrap(words, columns, indent)),
    ...remarks.flatMap((words) => wrap(words, columns, indent)).map((line) => colors.dim(line)),
  ];
}
