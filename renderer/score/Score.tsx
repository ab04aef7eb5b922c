/** The experiment's operations, read-only: host threads and streams as rows, issue order as columns. */
import { useElementSize } from '@mantine/hooks';
import { type CSSProperties, type KeyboardEvent, useMemo, useRef, useState } from 'react';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { formatShare } from '../../core/units.ts';
import { select } from '../app/store/actions.ts';
import { usePaints } from '../common/usePaints.ts';
import { VerdictIcon } from '../inspector/VerdictCard.tsx';
import { type ColumnPlaces, placeColumns } from './columns.ts';
import { OperationIcon } from './OperationIcon.tsx';
import classes from './Score.module.css';
import { type ScoreBlock, type ScoreLayout, scoreLayout } from './scoreLayout.ts';
import { useSelectedOp, useVerdictsByOp } from './selectedOp.ts';

const rowHeight = 34;
const headHeight = 22;
const gutterWidth = 148;
const groupHeight = 18;
const scrollBarHeight = 13;
/** Columns drawn beyond what is visible, so that scrolling shows no gap. */
const overscan = 4;
const blockGap = 6;

/** Top of the first row: below the column numbers and the brackets of repeats and ranges. */
const blocksTop = ({ groups }: ScoreLayout): number =>
  headHeight + groups.reduce((most, group) => Math.max(most, group.depth + 1), 0) * groupHeight;

/** Pixels it takes to show every row, with a scroll bar below. */
export function scoreHeight(experiment: Experiment): number {
  const layout = scoreLayout(experiment);
  return blocksTop(layout) + layout.rows.length * rowHeight + scrollBarHeight;
}

export function Score({ experiment }: { readonly experiment: Experiment }) {
  const layout = useMemo(() => scoreLayout(experiment), [experiment]);
  const { ref: sizeRef, width } = useElementSize();
  const [left, setLeft] = useState(0);
  const columns = useMemo(() => placeColumns(layout), [layout]);
  const first = columns.at(left) - overscan;
  const last = columns.at(left + width) + overscan;
  const shown = layout.blocks.filter(({ column }) => column >= first && column <= last);
  const top = blocksTop(layout);
  const style = { width: gutterWidth + columns.total, height: top + layout.rows.length * rowHeight };
  return (
    <section className={classes['score']} aria-label="Score" ref={sizeRef}>
      <div className={classes['scroll']} tabIndex={-1} onScroll={(event) => setLeft(event.currentTarget.scrollLeft)}>
        <div className={classes['sheet']} style={style}>
          <Columns first={first} last={last} layout={layout} columns={columns} />
          {layout.rows.map((row, index) => (
            <div
              key={`${row.kind}:${row.name}`}
              className={classes['row']}
              data-kind={row.kind}
              style={{ top: top + index * rowHeight, height: rowHeight }}
            >
              <div className={classes['gutter']} style={{ width: gutterWidth }} title={`${row.name}, ${row.detail}`}>
                <span>{row.name}</span>
                <small>{row.detail}</small>
              </div>
            </div>
          ))}
          <Groups layout={layout} columns={columns} />
          <Edges layout={layout} top={top} columns={columns} />
          <Blocks blocks={shown} layout={layout} top={top} columns={columns} />
          {layout.blocks.length === 0 ? <p className={classes['none']}>This experiment has no operations.</p> : null}
        </div>
      </div>
    </section>
  );
}

interface ColumnsProps {
  readonly first: number;
  readonly last: number;
  readonly layout: ScoreLayout;
  readonly columns: ColumnPlaces;
}

function Columns({ first, last, layout, columns }: ColumnsProps) {
  const from = Math.max(first, 0);
  const count = Math.max(0, Math.min(last, layout.columns - 1) - from + 1);
  return (
    <div className={classes['head']} style={{ height: headHeight }} aria-hidden>
      <span className={classes['corner']} style={{ width: gutterWidth }}>
        Issue order
      </span>
      {Array.from({ length: count }, (_, index) => from + index).map((column) => (
        <span
          key={column}
          className={`${classes['number']} tabular`}
          style={{ left: gutterWidth + columns.left(column), width: columns.width(column) }}
        >
          {column + 1}
        </span>
      ))}
    </div>
  );
}

function Groups({ layout, columns }: { readonly layout: ScoreLayout; readonly columns: ColumnPlaces }) {
  return layout.groups.map((group) => (
    <button
      key={group.op}
      type="button"
      className={classes['group']}
      style={{
        top: headHeight + group.depth * groupHeight,
        left: gutterWidth + columns.left(group.firstColumn),
        width: columns.left(group.lastColumn + 1) - columns.left(group.firstColumn) - blockGap,
      }}
      onClick={() => select({ kind: 'op', op: group.op })}
    >
      {group.label}
    </button>
  ));
}

interface EdgesProps {
  readonly layout: ScoreLayout;
  readonly top: number;
  readonly columns: ColumnPlaces;
}

interface BlocksProps extends EdgesProps {
  readonly blocks: readonly ScoreBlock[];
}

function Blocks({ blocks, layout, top, columns }: BlocksProps) {
  const selected = useSelectedOp();
  const verdicts = useVerdictsByOp();
  const paints = usePaints();
  const list = useRef<HTMLUListElement>(null);
  const focusable = blocks.some((block) => block.op === selected) ? selected : blocks[0]?.op;
  const move = (event: KeyboardEvent<HTMLElement>, block: ScoreBlock): void => {
    const next = neighbour(layout, block, event.key);
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    select({ kind: 'op', op: next.op });
    list.current?.querySelector<HTMLElement>(`[data-op="${next.op}"]`)?.focus();
  };
  return (
    <ul className={classes['blocks']} ref={list} aria-label="Operations">
      {blocks.map((block) => {
        const verdict = verdicts.get(block.op);
        const paint = paints(block.paint);
        return (
          <li
            key={block.op}
            style={{ left: gutterWidth + columns.left(block.column), top: top + block.row * rowHeight }}
          >
            <button
              type="button"
              className={classes['block']}
              data-op={block.op}
              data-selected={block.op === selected || undefined}
              aria-pressed={block.op === selected}
              tabIndex={block.op === focusable ? 0 : -1}
              title={`${block.label}${block.detail === '' ? '' : ` (${block.detail})`}`}
              style={{
                width: columns.width(block.column) - blockGap,
                height: rowHeight - 6,
                ...paintVariable(paint.fill),
              }}
              onClick={() => select({ kind: 'op', op: block.op })}
              onKeyDown={(event) => move(event, block)}
            >
              <span className={classes['swatch']} style={{ background: paint.fill, color: paint.text }}>
                <OperationIcon operation={block.operation} />
              </span>
              <span className={classes['words']}>
                <span>{block.label}</span>
                {block.detail === '' ? null : <small>{block.detail}</small>}
              </span>
              {verdict === undefined ? null : (
                <span className={classes['verdict']} title={`${verdict.title}: ${formatShare(verdict.share)}`}>
                  <VerdictIcon verdict={verdict} size={15} />
                </span>
              )}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** For the style sheet, which tints borders and grounds with it. */
const paintVariable = (fill: string): CSSProperties => ({ '--paint': fill }) as CSSProperties;

/** The block that an arrow key leads to: along issue order, or to the nearest one in another row. */
function neighbour(layout: ScoreLayout, block: ScoreBlock, key: string): ScoreBlock | null {
  const { blocks } = layout;
  if (key === 'ArrowRight' || key === 'ArrowLeft') {
    return blocks[blocks.indexOf(block) + (key === 'ArrowRight' ? 1 : -1)] ?? null;
  }
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return null;
  const step = key === 'ArrowDown' ? 1 : -1;
  for (let row = block.row + step; row >= 0 && row < layout.rows.length; row += step) {
    const inRow = blocks.filter((candidate) => candidate.row === row);
    if (inRow.length === 0) continue;
    return inRow.reduce((near, one) =>
      Math.abs(one.column - block.column) < Math.abs(near.column - block.column) ? one : near,
    );
  }
  return null;
}

/** Dashed lines from where an event is recorded to where it is waited for. */
function Edges({ layout, top, columns }: EdgesProps) {
  const selected = useSelectedOp();
  const place = (block: ScoreBlock): { left: number; right: number; y: number } => {
    const left = gutterWidth + columns.left(block.column);
    return {
      left,
      right: left + columns.width(block.column) - blockGap,
      y: top + block.row * rowHeight + rowHeight / 2 - 3,
    };
  };
  return (
    <svg className={classes['edges']} aria-hidden="true">
      {layout.edges.map((edge) => {
        const [from, to] = [layout.blocks[edge.from], layout.blocks[edge.to]];
        if (from === undefined || to === undefined) return null;
        const [start, end] = [place(from), place(to)];
        const bend = Math.max(24, (end.left - start.right) / 2);
        const path = `M${start.right} ${start.y} C${start.right + bend} ${start.y} ${end.left - bend} ${end.y} ${end.left} ${end.y}`;
        const lit = from.op === selected || to.op === selected;
        return <path key={`${edge.from}-${edge.to}`} d={path} data-lit={lit || undefined} />;
      })}
    </svg>
  );
}
