/** Dragging into and within the score: operations from the palette, blocks, and event edges. */
import { DndContext, DragOverlay, PointerSensor, useSensor, useSensors } from '@dnd-kit/core';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type { OperationName } from '../../core/experiment/operations.ts';
import { templates } from '../../core/experiment/templates/templates.ts';
import type { Cell } from '../store/types.ts';
import { setEditor, wishFocus } from './editor.ts';
import { addAt, edgeTo, insertTemplate, moveTo } from './edits.ts';
import classes from './Score.module.css';
import { cellAtPoint } from './sheet.ts';

/** The dragged item, and its label under the pointer. */
type Dragged =
  | { readonly kind: 'operation'; readonly label: string; readonly name: OperationName }
  | { readonly kind: 'template'; readonly label: string; readonly id: string }
  | { readonly kind: 'block' | 'edge'; readonly label: string; readonly block: string };

/** The edit that a drop makes announces itself, with names instead of ids. */
const nothing = (): undefined => undefined;
const announcements = { onDragStart: nothing, onDragOver: nothing, onDragEnd: nothing, onDragCancel: nothing };

/** Pixels, more than a hand moves during a click. */
const startDistance = 5;

export function DragLayer({ children }: { readonly children: ReactNode }) {
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const pointer = usePointer();
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: startDistance } }));
  const end = (): void => {
    setDragged(null);
    setEditor({ dropCell: null });
  };
  return (
    <DndContext
      sensors={sensors}
      accessibility={{ screenReaderInstructions: { draggable: '' }, announcements }}
      onDragStart={({ active }) => setDragged(active.data.current as Dragged)}
      onDragMove={() => setEditor({ dropCell: cellUnder(pointer.current) })}
      onDragCancel={end}
      onDragEnd={({ active }) => {
        const cell = cellUnder(pointer.current);
        if (cell !== null) drop(active.data.current as Dragged, cell);
        end();
      }}
    >
      {children}
      <DragOverlay dropAnimation={null}>
        {dragged === null ? null : <div className={classes['dragged']}>{dragged.label}</div>}
      </DragOverlay>
    </DndContext>
  );
}

type Pointer = Pick<PointerEvent, 'clientX' | 'clientY'> | null;

/** Returns the pointer's position. dnd-kit reports the position at the last drawing of the page. */
function usePointer(): RefObject<Pointer> {
  const pointer = useRef<Pointer>(null);
  useEffect(() => {
    // Stores no event, which would keep its target alive.
    const note = ({ clientX, clientY }: PointerEvent): void => {
      pointer.current = { clientX, clientY };
    };
    const kinds = ['pointerdown', 'pointermove', 'pointerup'] as const;
    for (const kind of kinds) window.addEventListener(kind, note, true);
    return () => {
      for (const kind of kinds) window.removeEventListener(kind, note, true);
    };
  }, []);
  return pointer;
}

const cellUnder = (pointer: Pointer): Cell | null =>
  pointer === null ? null : cellAtPoint(pointer.clientX, pointer.clientY);

function drop(dragged: Dragged, cell: Cell): void {
  wishFocus();
  if (dragged.kind === 'operation') void addAt(dragged.name, cell);
  else if (dragged.kind === 'block') void moveTo(dragged.block, cell);
  else if (dragged.kind === 'edge') void edgeTo(dragged.block, cell);
  else if (dragged.kind === 'template') {
    const template = templates.find(({ id }) => id === dragged.id);
    if (template !== undefined) void insertTemplate(template, cell);
  }
}
