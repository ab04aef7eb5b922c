/** The blocks: select, drag, and draw an event edge from the handle. */
import { useDraggable } from '@dnd-kit/core';
import { type CSSProperties, type MouseEvent, memo } from 'react';
import { operationsOf } from '../../core/experiment/edit/paths.ts';
import { canResize } from '../../core/experiment/edit/resize.ts';
import type { OperationName } from '../../core/experiment/operations.ts';
import type { Hazard } from '../../core/explain/hazards/hazard.ts';
import type { Verdict } from '../../core/explain/verdicts/verdict.ts';
import { formatShare } from '../../core/units.ts';
import { usePaints } from '../common/hooks.ts';
import { VerdictIcon } from '../common/marks.tsx';
import { useHazardsById } from '../predict/hazards/useHazards.ts';
import { currentExperiment } from '../store/select.ts';
import { select, state, useApp } from '../store/store.ts';
import type { Cell } from '../store/types.ts';
import { setCursor } from './cursor.ts';
import { editor, setEditor, useEditor } from './editor.ts';
import { edgeTo, toggleFold } from './edits.ts';
import { HazardMark, hazardWords } from './HazardMark.tsx';
import { OperationIcon } from './OperationIcon.tsx';
import { ResizeGrip } from './ResizeGrip.tsx';
import classes from './Score.module.css';
import type { ScoreBlock } from './scoreLayout.ts';
import { selectedIds, selectedOps, useVerdictsById } from './selectedOp.ts';
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
  const verdicts = useVerdictsById();
  const hazards = useHazardsById();
  const paints = usePaints();
  const { blocks, rows } = sheet.layout;
  return (
    <ul className={classes['blocks']} aria-label="Operations">
      {drawn(blocks, first, last, cursor).map(([index, block]) => {
        const { op, lastOp, row, column, operation } = block;
        const { left, top, right } = boxOf(sheet, block);
        return (
          <Block
            key={operation.id}
            id={operation.id}
            op={op}
            row={row}
            column={column}
            label={block.label}
            detail={block.detail}
            fill={paints(block.paint).fill}
            ink={paints(block.paint).text}
            kind={operation.op}
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
            edgeBegins={edgeFrom === operation.id}
            verdict={verdicts.get(operation.id)}
            hazards={hazards.get(operation.id)}
          />
        );
      })}
    </ul>
  );
}

/**
 * Returns the blocks of some columns with their indices. The block at the cursor is always included, since it takes
 * keys and focus before the score scrolls to it.
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

/** Plain values, so that an edit redraws only changed blocks. */
interface BlockProps extends Pick<ScoreBlock, 'op' | 'row' | 'column' | 'label' | 'detail'> {
  /** Id of the operation. */
  readonly id: string;
  readonly fill: string;
  readonly ink: string;
  readonly kind: OperationName;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  /** Position among all blocks, since only those on screen are drawn. */
  readonly position: number;
  readonly count: number;
  readonly rowName: string;
  readonly isInStream: boolean;
  /** True if the block stands for a folded range. */
  readonly folded: boolean;
  readonly selected: boolean;
  readonly atCursor: boolean;
  readonly edgeBegins: boolean;
  readonly verdict: Verdict | undefined;
  readonly hazards: readonly Hazard[] | undefined;
}

const Block = memo(function Block(props: BlockProps) {
  const { id, op, label, detail, kind, fill, ink, selected, atCursor, verdict, hazards } = props;
  const drag = useDraggable({ id: `block:${id}`, data: { kind: 'block', block: id, label } });
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
        {...(props.folded ? { onDoubleClick: () => void toggleFold(id) } : {})}
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
      {hazards === undefined ? null : <HazardMark id={id} hazards={hazards} reachable={atCursor} />}
      {canResize(kind) ? <ResizeGrip id={id} op={op} /> : null}
      {props.isInStream && !props.folded ? <EdgeHandle id={id} op={op} /> : null}
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

function EdgeHandle({ id, op }: Pick<BlockProps, 'id' | 'op'>) {
  const edge = useDraggable({ id: `edge:${id}`, data: { kind: 'edge', block: id, label: 'event edge' } });
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

/** Sets the variable that the style sheet uses to tint borders and backgrounds. */
const paintVariable = (fill: string): CSSProperties => ({ '--paint': fill }) as CSSProperties;

/** Handles a click: it selects, Ctrl adds or removes, Shift selects up to here, and it ends an edge being drawn. */
function pick(block: Pick<BlockProps, 'id' | 'op' | 'row' | 'column'>, event: MouseEvent): void {
  const cell: Cell = { row: block.row, column: block.column };
  const { id } = block;
  const { edgeFrom } = editor();
  if (edgeFrom !== null && edgeFrom !== id) {
    setEditor({ edgeFrom: null });
    void edgeTo(edgeFrom, cell);
    return;
  }
  setCursor(cell);
  const experiment = currentExperiment(state());
  const [anchor] = selectedOps(state());
  if ((event.ctrlKey || event.metaKey) && anchor !== undefined) {
    const before = selectedIds(state());
    const [first, ...others] = before.includes(id) ? before.filter((one) => one !== id) : [id, ...before];
    select(first === undefined ? null : { kind: 'op', id: first, others });
  } else if (event.shiftKey && anchor !== undefined && experiment !== null) {
    const [low, high] = [Math.min(anchor, block.op), Math.max(anchor, block.op)];
    const others = operationsOf(experiment).slice(low, high + 1);
    select({ kind: 'op', id, others: others.map((operation) => operation.id) });
  } else select({ kind: 'op', id });
}
