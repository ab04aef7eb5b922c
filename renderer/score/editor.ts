/** What the editor itself is at: clipboard, an edge being drawn, what is dragged. None of it belongs to a document. */
import { create } from 'zustand';
import type { Clipboard } from '../../core/experiment/edit/clipboard.ts';
import type { Cell } from '../store/types.ts';

/** What the experiment is shown as. */
export const scoreViews = ['score', 'json', 'code'] as const;
export type ScoreView = (typeof scoreViews)[number];

interface EditorState {
  /** Number of the operation that an event edge is being drawn from; null where none is. */
  readonly edgeFrom: number | null;
  /** The cell under what is being dragged. */
  readonly dropCell: Cell | null;
  /** Null before anything was copied. It outlives the document that it comes from. */
  readonly clipboard: Clipboard | null;
  /** The block whose edge is being dragged, and the value that it would get. */
  readonly resizing: { readonly op: number; readonly text: string } | null;
  readonly pickerOpen: boolean;
  readonly view: ScoreView;
  readonly side: 'library' | 'build';
}

export const useEditor = create<EditorState>()(() => ({
  edgeFrom: null,
  dropCell: null,
  clipboard: null,
  resizing: null,
  pickerOpen: false,
  view: 'score',
  side: 'library',
}));

export const editor = (): EditorState => useEditor.getState();
export const setEditor = (fields: Partial<EditorState>): void => useEditor.setState(fields);

/** Until when the score takes the focus whenever it was drawn anew. */
let focusWishedUntil = 0;
/** An edit of an example waits for the host to copy it first. */
const focusWishMs = 600;

/** Gives the focus to the cursor's cell, now and as soon as what was just done is drawn. */
export function wishFocus(): void {
  focusWishedUntil = performance.now() + focusWishMs;
  // Asking for what is there already would lay the page out, and looking for it take longer than most edits.
  if (document.activeElement?.hasAttribute('data-cursor') === true) return;
  document.querySelector<HTMLElement>('[data-cursor]')?.focus();
}

export function dropFocusWish(): void {
  focusWishedUntil = 0;
}

export const isFocusWished = (): boolean => performance.now() < focusWishedUntil;
