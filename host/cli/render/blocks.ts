/** Draws blocks as plain text. */
import {
  type Block,
  filledColumns,
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
    const lines = drawBlock(block, screen);
    return index > 0 && lines.length > 0 && isApart(block) ? ['', ...lines] : lines;
  });

const isApart = (block: Block): boolean => block.kind !== 'text' || block.look !== undefined;

function drawBlock(block: Block, screen: Screen): string[] {
  return block.kind === 'text' ? drawText(block, screen) : drawTable(block, screen);
}

function drawText({ text, look, tone }: TextBlock, { columns, colors }: Screen): string[] {
  const lines = wrap(text, columns, '');
  if (look === 'answer') return lines.map((line) => colors.bold(line));
  if (look === 'dim') return lines.map((line) => colors.dim(line));
  return tone === undefined ? lines : lines.map((line) => toneColors(colors)[tone](line));
}

export const toneColors = (colors: Screen['colors']) => ({
  good: colors.green,
  warn: colors.yellow,
  bad: colors.red,
});

function drawTable(block: TableBlock, { columns, colors }: Screen): string[] {
  const { title, about, columns: titles, rows, empty, more } = block;
  if (rows.length === 0 && empty === undefined) return [];
  const [filled, name] = [filledColumns(block), nameColumn(block)];
  const body = rows.map(({ cells, isPart = false }) =>
    filled.map((at) => `${isPart && at === name ? '  ' : ''}${cells[at] ?? ''}`),
  );
  return [
    ...(title === '' ? [] : [colors.bold(title)]),
    ...(about === undefined ? [] : wrap(about, columns, '')),
    ...(rows.length === 0
      ? wrap(empty ?? '', columns, '')
      : table([filled.map((at) => titles[at]?.title ?? ''), ...body])),
    ...(more === undefined ? [] : wrap(more, columns, '')),
  ];
}
