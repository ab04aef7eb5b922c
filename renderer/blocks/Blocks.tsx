/** Draws the blocks of core/present in the window, in reports and on paper. */
import { type Block, filledColumns, nameColumn, type TableBlock, type TextBlock } from '../../core/present/blocks.ts';
import { unbroken } from '../../core/units.ts';
import { ShareBar } from '../inspector/Facts.tsx';
import classes from './Blocks.module.css';

interface Props {
  readonly blocks: readonly Block[];
  /** Level of the titles. */
  readonly level?: 2 | 3;
}

export const Blocks = ({ blocks, level = 3 }: Props) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: a block is known by its place.
  blocks.map((block, index) => <One key={index} block={block} level={level} />);

function One({ block, level }: { readonly block: Block; readonly level: 2 | 3 }) {
  return block.kind === 'text' ? <Text block={block} /> : <Table block={block} level={level} />;
}

const Text = ({ block: { text, look, tone } }: { readonly block: TextBlock }) => (
  <p className={classes['text']} data-look={look} data-tone={tone}>
    {unbroken(text)}
  </p>
);

function Table({ block, level }: { readonly block: TableBlock; readonly level: 2 | 3 }) {
  const { title, about, columns, rows, empty, more } = block;
  if (rows.length === 0 && empty === undefined) return null;
  const Heading = `h${level}` as const;
  return (
    <>
      {title === '' ? null : <Heading>{title}</Heading>}
      {about === undefined ? null : <p className={classes['text']}>{unbroken(about)}</p>}
      {rows.length === 0 ? <p className={classes['text']}>{empty}</p> : <Cells block={block} columns={columns} />}
      {more === undefined ? null : <p className={classes['text']}>{more}</p>}
    </>
  );
}

function Cells({ block, columns }: { readonly block: TableBlock; readonly columns: TableBlock['columns'] }) {
  const [filled, name] = [filledColumns(block), nameColumn(block)];
  return (
    <div className={classes['wide']}>
      <table className={`${classes['table']} tabular`} aria-label={block.title}>
        <thead>
          <tr>
            {filled.map((at) => (
              <th key={at} scope="col" title={columns[at]?.meaning}>
                {columns[at]?.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map(({ cells, share, isPart = false, isChosen = false }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place.
            <tr key={index} data-part={isPart || undefined} data-chosen={isChosen || undefined}>
              {filled.map((at) => {
                const bar = share === undefined || at !== filled[0] ? null : <ShareBar share={share} />;
                const Cell = at === name ? 'th' : 'td';
                return (
                  <Cell key={at} {...(at === name ? { scope: 'row' } : {})}>
                    {bar} {unbroken(cells[at] ?? '')}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
