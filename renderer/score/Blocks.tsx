/** The blocks: select, drag, and draw an event edge from the handle. */
import { useDraggable } from '@dnd-kit/core';
import { type CSSProperties, type MouseEvent, memo } from 'react';
import type { Hazard } from '../../core/analysis/hazards/hazard.ts';
import type { Verdict } from '../../core/analysis/verdicts/verdict.ts';
import { canResize } from '../../core/experiment/edit/resize.ts';
import { formatShare } from '../../core/units.ts';
import { select } from '../app/store/actions.ts';
import { state, useApp } from '../app/store/store.ts';
import { usePaints } from '../common/usePaints.ts';
import { VerdictIcon } from '../inspector/VerdictCard.tsx';
import { edgeTo } from './commands.ts';
import { type Cell, editor, setEditor, useEditor } from './editor.ts';
import { HazardMark, hazardWords, useHazardsByOp } from './HazardMark.tsx';
import { OperationIcon } from './OperationIcon.tsx';
import { ResizeGrip } from './ResizeGrip.tsx';
import classes from './Score.module.css';
import type { ScoreBlock } from './scoreLayout.ts';
import { selectedOps, useVerdictsByOp } from './selectedOp.ts';
import { boxOf, rowHeight, type SheetPlaces } from './sheet.ts';

interface Props {
  readonly sheet: SheetPlaces;
  readonly first: number;
  readonly last: number;
}

export function Blocks({ sheet, first, last }: Props) {
  const ops = useApp((all) => selectedOps(all).join());
  const selected = new Set(ops === '' ? [] : ops.split(',').map(Number));
  const cursor = useEditor((all) => all.cursor);
  const edgeFrom = useEditor((all) => all.edgeFrom);
  const verdicts = useVerdictsByOp();
  const hazards = useHazardsByOp();
  const shown = sheet.layout.blocks.filter(({ column }) => column >= first && column <= last);
  const atCursor = (block: ScoreBlock): boolean => block.row === cursor.row && block.column === cursor.column;
  return (
    <ul className={classes['blocks']} aria-label="Operations">
      {shown.map((block) => (
        <Block
          key={block.op}
          block={block}
          sheet={sheet}
          selected={selected.has(block.op)}
          atCursor={atCursor(block)}
          edgeBegins={edgeFrom === block.op}
          verdict={verdicts.get(block.op)}
          hazards={hazards.get(block.op)}
        />
      ))}
    </ul>
  );
}

interface BlockProps {
  readonly block: ScoreBlock;
  readonly sheet: SheetPlaces;
  readonly selected: boolean;
  readonly atCursor: boolean;
  readonly edgeBegins: boolean;
  readonly verdict: Verdict | undefined;
  readonly hazards: readonly Hazard[] | undefined;
}

const Block = memo(function Block({ block, sheet, selected, atCursor, edgeBegins, verdict, hazards }: BlockProps) {
  const paint = usePaints()(block.paint);
  const drag = useDraggable({ id: `block:${block.op}`, data: { kind: 'block', op: block.op, label: block.label } });
  const edge = useDraggable({ id: `edge:${block.op}`, data: { kind: 'edge', op: block.op, label: 'event edge' } });
  const box = boxOf(sheet, block);
  const row = sheet.layout.rows[block.row];
  // Only those on screen are drawn: told how many there are, and which of them this is.
  const position = sheet.layout.blocks.indexOf(block);
  const detail = block.detail === '' ? '' : ` ${block.detail}`;
  return (
    <li
      style={{ left: box.left, top: box.top }}
      aria-posinset={position + 1}
      aria-setsize={sheet.layout.blocks.length}
      data-dragging={drag.isDragging || undefined}
    >
      <button
        ref={drag.setNodeRef}
        {...drag.listeners}
        type="button"
        className={classes['block']}
        data-op={block.op}
        data-cursor={atCursor || undefined}
        data-selected={selected || undefined}
        data-edge={edgeBegins || undefined}
        data-hazard={hazards !== undefined || undefined}
        aria-pressed={selected}
        aria-label={[
          `${block.label}${detail}, ${row?.name}, column ${block.column + 1}`,
          ...(verdict === undefined ? [] : [verdict.title]),
          ...(hazards === undefined ? [] : [hazardWords(hazards)]),
        ].join(', ')}
        tabIndex={atCursor ? 0 : -1}
        title={`${block.label}${block.detail === '' ? '' : ` (${block.detail})`}`}
        style={{ width: box.right - box.left, height: rowHeight - 6, ...paintVariable(paint.fill) }}
        onClick={(event) => pick(block, event)}
      >
        <span className={classes['swatch']} style={{ background: paint.fill, color: paint.text }}>
          <OperationIcon operation={block.operation} />
        </span>
        <span className={classes['words']}>
          <span>{block.label}</span> {block.detail === '' ? null : <small>{block.detail}</small>}
        </span>
        {verdict === undefined ? null : (
          <span className={classes['verdict']} title={`${verdict.title}: ${formatShare(verdict.share)}`}>
            <VerdictIcon verdict={verdict} size={15} />
          </span>
        )}
      </button>
      {hazards === undefined ? null : <HazardMark op={block.op} hazards={hazards} reachable={atCursor} />}
      {canResize(block.operation) ? <ResizeGrip op={block.op} /> : null}
      {row?.kind === 'stream' ? (
        <span
          ref={edge.setNodeRef}
          {...edge.listeners}
          className={classes['handle']}
          data-testid={`edge-handle-${block.op}`}
          title="Drag to another block or cell to make it wait for this one (E)"
          aria-hidden
        />
      ) : null}
    </li>
  );
});

/** For the style sheet, which tints borders and grounds with it. */
const paintVariable = (fill: string): CSSProperties => ({ '--paint': fill }) as CSSProperties;

/** Click selects; Ctrl adds or takes away; Shift selects up to here. While an edge is drawn, the click ends it. */
function pick(block: ScoreBlock, event: MouseEvent): void {
  const cell: Cell = { row: block.row, column: block.column };
  const { edgeFrom } = editor();
  if (edgeFrom !== null && edgeFrom !== block.op) {
    setEditor({ edgeFrom: null });
    void edgeTo(edgeFrom, cell);
    return;
  }
  setEditor({ cursor: cell });
  const before = selectedOps(state());
  const [anchor] = before;
  if ((event.ctrlKey || event.metaKey) && anchor !== undefined) {
    const kept = before.includes(block.op) ? before.filter((op) => op !== block.op) : [block.op, ...before];
    const [op, ...others] = kept;
    select(op === undefined ? null : { kind: 'op', op, others });
  } else if (event.shiftKey && anchor !== undefined) {
    const [low, high] = [Math.min(anchor, block.op), Math.max(anchor, block.op)];
    const range = Array.from({ length: high - low + 1 }, (_, index) => low + index);
    select({ kind: 'op', op: block.op, others: range });
  } else select({ kind: 'op', op: block.op });
}
