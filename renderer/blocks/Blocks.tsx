/** Draws the blocks of core/present in the window, in reports and on paper. */
import {
  type Block,
  type FactsBlock,
  filledColumns,
  type Item,
  type ItemsBlock,
  nameColumn,
  type TableBlock,
  type TextBlock,
} from '../../core/present/blocks.ts';
import { unbroken } from '../../core/units.ts';
import { ToneIcon } from '../common/marks.tsx';
import { Fact, Facts, ShareBar, Block as Titled } from '../inspector/Facts.tsx';
import classes from './Blocks.module.css';

interface Props {
  readonly blocks: readonly Block[];
  /** Level of the titles. */
  readonly level?: 2 | 3;
  /** Unfolds everything, since paper can't. */
  readonly unfolded?: boolean;
}

export const Blocks = ({ blocks, level = 3, unfolded = false }: Props) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: a block is known by its place.
  blocks.map((block, index) => <One key={index} block={block} level={level} unfolded={unfolded} />);

function One({ block, level, unfolded }: Required<Omit<Props, 'blocks'>> & { readonly block: Block }) {
  if (block.kind === 'text') return <Text block={block} />;
  if (block.kind === 'facts') return <FactList block={block} />;
  return block.kind === 'table' ? (
    <Table block={block} level={level} />
  ) : (
    <Items block={block} level={level} unfolded={unfolded} />
  );
}

const Text = ({ block: { text, look, tone } }: { readonly block: TextBlock }) => (
  <p className={classes['text']} data-look={look} data-tone={tone}>
    {tone === 'good' || tone === 'bad' ? <ToneIcon tone={tone} size={16} /> : null}
    {unbroken(text)}
  </p>
);

function FactList({ block: { title, about, facts } }: { readonly block: FactsBlock }) {
  return (
    <Titled title={title}>
      {about === undefined ? null : <Text block={about} />}
      {facts.length === 0 ? null : (
        <Facts>
          {facts.map(({ name, value, more, share, meaning, isPart = false }) => (
            <Fact key={name} name={isPart ? `– ${name}` : name} {...(meaning === undefined ? {} : { title: meaning })}>
              {share === undefined ? null : <ShareBar share={share} />}
              {unbroken(value)}
              {more === undefined ? null : <small>{unbroken(more)}</small>}
            </Fact>
          ))}
        </Facts>
      )}
    </Titled>
  );
}

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
          {block.rows.map(({ cells, share, detail, isPart = false, isChosen = false }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place.
            <tr key={index} data-part={isPart || undefined} data-chosen={isChosen || undefined}>
              {filled.map((at) => {
                const isBarred = share !== undefined && at === filled[0];
                const Cell = at === name ? 'th' : 'td';
                return (
                  <Cell key={at} {...(at === name ? { scope: 'row' } : {})} data-barred={isBarred || undefined}>
                    {isBarred ? <ShareBar share={share} /> : null}
                    {unbroken(cells[at] ?? '')}
                    {at === name && detail !== undefined ? <small>{unbroken(detail)}</small> : null}
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

function Items({ block, level, unfolded }: Required<Omit<Props, 'blocks'>> & { readonly block: ItemsBlock }) {
  const Heading = `h${level}` as const;
  const { title, items, isFolded = false } = block;
  if (items.length === 0) return null;
  const list = (
    <ol className={classes['items']} aria-label={title} data-marked={items[0]?.mark !== undefined || undefined}>
      {items.map((item) => (
        <ItemLine key={`${item.title} ${item.subject ?? ''}`} item={item} unfolded={unfolded} />
      ))}
    </ol>
  );
  // Verdicts stand below the heading of their section.
  const heading = items[0]?.mark === undefined ? <Heading>{title}</Heading> : null;
  if (!isFolded) {
    return (
      <>
        {heading}
        {list}
      </>
    );
  }
  return (
    <details open={unfolded}>
      <summary>{title}</summary>
      {list}
    </details>
  );
}

function ItemLine({ item, unfolded }: { readonly item: Item; readonly unfolded: boolean }) {
  const { title, mark, subject, figure, texts, remarks = [], code } = item;
  return (
    <li>
      <p>
        {mark === undefined ? null : <ToneIcon tone={mark.tone} size={16} />}
        <strong>{title}</strong>
        {figure === undefined ? null : (
          <span className="tabular" data-tone={figure.tone}>
            {unbroken(figure.text)}
          </span>
        )}
      </p>
      {subject === undefined ? null : <p className={classes['aside']}>{subject}</p>}
      {texts.map((text) => (
        <p key={text}>{unbroken(text)}</p>
      ))}
      {remarks.map((text) => (
        <p key={text} className={classes['aside']}>
          {text}
        </p>
      ))}
      {code === undefined ? null : (
        <details open={unfolded}>
          <summary>Code to write</summary>
          <pre>{code}</pre>
        </details>
      )}
    </li>
  );
}
