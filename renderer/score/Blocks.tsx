/** The blocks: select, drag, and draw an event edge from the handle. */
import { useDraggable } from '@dnd-kit/core';
import { type CSSProperties, type MouseEvent, memo } from 'react';
import { canResize } from '../../core/experiment/edit/resize.ts';
import type { OperationName } from '../../core/experiment/operations.ts';
import type { Hazard } from '../../core/hazards/hazard.ts';
import { formatShare } from '../../core/units.ts';
import type { Verdict } from '../../core/verdicts/verdict.ts';
import { usePaints } from '../common/usePaints.ts';
import { VerdictIcon } from '../common/VerdictIcon.tsx';
import { useHazardsByOp } from '../predict/hazards/useHazards.ts';
import { select, state, useApp } from '../store/store.ts';
import type { Cell } from '../store/types.ts';
import { useBlockKeys } from './blockKeys.ts';
import { edgeTo, toggleFold } from './commands.ts';
import { setCursor } from './cursor.ts';
import { editor, setEditor, useEditor } from './editor.ts';
import { HazardMark, hazardWords } from './HazardMark.tsx';
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
  const ops = useApp((all) => selectedOps(all, sheet.experiment).join());
  const selected = ops === '' ? [] : ops.split(',').map(Number);
  const single = new Set(selected);
  const cursor = useApp((all) => all.cursor);
  const edgeFrom = useEditor((all) => all.edgeFrom);
  const verdicts = useVerdictsByOp();
  const hazards = useHazardsByOp();
  const paints = usePaints();
  const { blocks, rows } = sheet.layout;
  const keys = useBlockKeys(blocks);
  return (
    <ul className={classes['blocks']} aria-label="Operations">
      {drawn(blocks, first, last, cursor).map(([index, block]) => {
        const { op, lastOp, row, column } = block;
        const { left, top, right } = boxOf(sheet, block);
        return (
          <Block
            key={keys[index]}
            dragKey={keys[index] ?? op}
            op={op}
            row={row}
            column={column}
            label={block.label}
            detail={block.detail}
            fill={paints(block.paint).fill}
            ink={paints(block.paint).text}
            kind={block.operation.op}
            left={left}
            top={top}
            width={right - left}
            position={index + 1}
            count={blocks.length}
            rowName={rows[row]?.name ?? ''}
            isInStream={rows[row]?.kind === 'stream'}
            selected={single.has(op) || (lastOp > op && selected.some((one) => one > op && one <= lastOp))}
            folded={lastOp > op}
            atCursor={isAt(block, cursor)}
            edgeBegins={edgeFrom === op}
            verdict={verdicts.get(op)}
            hazards={hazards.get(op)}
          />
        );
      })}
    </ul>
  );
}

/**
 * Those of some columns, each with its place among all. The one at the cursor is drawn wherever it is: keys go to it, and
 * it takes the focus before the score has been scrolled to it.
 */
function drawn(
  blocks: readonly ScoreBlock[],
  first: number,
  last: number,
  cursor: Cell,
): [index: number, block: ScoreBlock][] {
  const found: [number, ScoreBlock][] = [];
  blocks.forEach((block, index) => {
    const isSeen = block.column >= first && block.column <= last;
    if (isSeen || isAt(block, cursor)) found.push([index, block]);
  });
  return found;
}

const isAt = ({ row, column }: ScoreBlock, cursor: Cell): boolean => column === cursor.column && row === cursor.row;

/** Plain values, so that an edit draws only the blocks that it changes. */
interface BlockProps extends Pick<ScoreBlock, 'op' | 'row' | 'column' | 'label' | 'detail'> {
  /** Who it is for the drag layer: the same as long as the block is there. */
  readonly dragKey: number;
  readonly fill: string;
  readonly ink: string;
  readonly kind: OperationName;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  /** Only those on screen are drawn: which of how many this is. */
  readonly position: number;
  readonly count: number;
  readonly rowName: string;
  readonly isInStream: boolean;
  /** It stands for all that a range holds. */
  readonly folded: boolean;
  readonly selected: boolean;
  readonly atCursor: boolean;
  readonly edgeBegins: boolean;
  readonly verdict: Verdict | undefined;
  readonly hazards: readonly Hazard[] | undefined;
}

const Block = memo(function Block(props: BlockProps) {
  const { op, label, detail, kind, fill, ink, selected, atCursor, verdict, hazards } = props;
  const drag = useDraggable({ id: `block:${props.dragKey}`, data: { kind: 'block', op, label } });
  return (
    <li
      style={{ left: props.left, top: props.top }}
      aria-posinset={props.position}
      aria-setsize={props.count}
      data-dragging={drag.isDragging || undefined}
    >
      <button
        ref={drag.setNodeRef}
        {...drag.listeners}
        type="button"
        className={classes['block']}
        data-op={op}
        data-cursor={atCursor || undefined}
        data-selected={selected || undefined}
        data-edge={props.edgeBegins || undefined}
        data-hazard={hazards !== undefined || undefined}
        data-folded={props.folded || undefined}
        aria-pressed={selected}
        aria-label={spokenName(props)}
        tabIndex={atCursor ? 0 : -1}
        title={`${label}${detail === '' ? '' : ` (${detail})`}`}
        style={{ width: props.width, height: rowHeight - 6, ...paintVariable(fill) }}
        onClick={(event) => pick(props, event)}
        {...(props.folded ? { onDoubleClick: () => void toggleFold(op) } : {})}
      >
        <span className={classes['swatch']} style={{ background: fill, color: ink }}>
          <OperationIcon kind={kind} />
        </span>
        <span className={classes['words']}>
          <span>{label}</span> {detail === '' ? null : <small>{detail}</small>}
        </span>
        {verdict === undefined ? null : (
          <span className={classes['verdict']} title={`${verdict.title}: ${formatShare(verdict.share)}`}>
            <VerdictIcon verdict={verdict} size={15} />
          </span>
        )}
      </button>
      {hazards === undefined ? null : <HazardMark op={op} hazards={hazards} reachable={atCursor} />}
      {canResize(kind) ? <ResizeGrip op={op} /> : null}
      {props.isInStream && !props.folded ? <EdgeHandle op={op} dragKey={props.dragKey} /> : null}
    </li>
  );
});

function spokenName({ label, detail, rowName, column, folded, verdict, hazards }: BlockProps): string {
  return [
    `${label}${detail === '' ? '' : ` ${detail}`}, ${rowName}, column ${column + 1}`,
    ...(folded ? ['folded'] : []),
    ...(verdict === undefined ? [] : [verdict.title]),
    ...(hazards === undefined ? [] : [hazardWords(hazards)]),
  ].join(', ');
}

function EdgeHandle({ op, dragKey }: Pick<BlockProps, 'op' | 'dragKey'>) {
  const edge = useDraggable({ id: `edge:${dragKey}`, data: { kind: 'edge', op, label: 'event edge' } });
  return (
    <span
      ref={edge.setNodeRef}
      {...edge.listeners}
      className={classes['handle']}
      data-testid={`edge-handle-${op}`}
      title="Drag to another block or cell to make it wait for this one (E)"
      aria-hidden
    />
  );
}

/** For the style sheet, which tints borders and grounds with it. */
const paintVariable = (fill: string): CSSProperties => ({ '--paint': fill }) as CSSProperties;

/** Click selects; Ctrl adds or takes away; Shift selects up to here. While an edge is drawn, the click ends it. */
function pick(block: Pick<ScoreBlock, 'op' | 'row' | 'column'>, event: MouseEvent): void {
  const cell: Cell = { row: block.row, column: block.column };
  const { edgeFrom } = editor();
  if (edgeFrom !== null && edgeFrom !== block.op) {
    setEditor({ edgeFrom: null });
    void edgeTo(edgeFrom, cell);
    return;
  }
  setCursor(cell);
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
