/** The corner that makes a block longer or shorter, and shows the new value at the pointer. */
import { type PointerEvent, useRef } from 'react';
import { stepped } from '../../core/experiment/edit/resize.ts';
import { setEditor, useEditor } from './editor.ts';
import { extentAt, resizeTo } from './edits.ts';
import classes from './Score.module.css';

/** Pixels between round values. */
const stepWidth = 14;

interface Drag {
  readonly from: number;
  readonly extent: NonNullable<ReturnType<typeof extentAt>>;
  value: number;
}

export function ResizeGrip({ id, op }: { readonly id: string; readonly op: number }) {
  const text = useEditor((state) => (state.resizing?.id === id ? state.resizing.text : null));
  const drag = useRef<Drag | null>(null);
  const end = (): void => {
    drag.current = null;
    setEditor({ resizing: null });
    window.removeEventListener('keydown', onKey, { capture: true });
  };
  // One function during the block's life, so that it can be removed as a listener.
  const { current: onKey } = useRef((event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    end();
  });
  const begin = (event: PointerEvent<HTMLElement>): void => {
    const extent = extentAt(id);
    if (event.button !== 0 || extent === null) return;
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { from: event.clientX, extent, value: extent.value };
    setEditor({ resizing: { id, text: extent.text(extent.value) } });
    window.addEventListener('keydown', onKey, { capture: true });
  };
  const move = (event: PointerEvent): void => {
    const dragged = drag.current;
    if (dragged === null) return;
    dragged.value = stepped(dragged.extent, Math.round((event.clientX - dragged.from) / stepWidth));
    setEditor({ resizing: { id, text: dragged.extent.text(dragged.value) } });
  };
  const finish = (): void => {
    const dragged = drag.current;
    end();
    if (dragged !== null) void resizeTo(id, dragged.value);
  };
  return (
    <>
      <span
        className={classes['grip']}
        data-testid={`resize-${op}`}
        title="Drag to change how long it takes, or how much it moves (+ and −)"
        aria-hidden
        onPointerDown={begin}
        onPointerMove={move}
        onPointerUp={finish}
        onPointerCancel={end}
      />
      {text === null ? null : (
        <output className={`${classes['value']} tabular`} data-testid="resize-value">
          {text}
        </output>
      )}
    </>
  );
}
