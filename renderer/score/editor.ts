/** What the editor itself is at: clipboard, an edge being drawn, what is dragged. None of it belongs to a document. */
import { create } from 'zustand';
import type { Clipboard } from '../../core/experiment/edit/clipboard.ts';
import { recall, remember } from '../store/settings.ts';
import type { Cell } from '../store/types.ts';

/** What the experiment is shown as. */
export const scoreViews = ['score', 'json', 'code'] as const;
export type ScoreView = (typeof scoreViews)[number];

interface EditorState {
  /** Id of the operation that an event edge is being drawn from; null if no edge is drawn. */
  readonly edgeFrom: string | null;
  /** The cell under what is being dragged. */
  readonly dropCell: Cell | null;
  /** Null before anything was copied. It outlives the document that it comes from. */
  readonly clipboard: Clipboard | null;
  /** The block whose edge is being dragged, and the value that it would get. */
  readonly resizing: { readonly id: string; readonly text: string } | null;
  readonly pickerOpen: boolean;
  readonly view: ScoreView;
  /** The program's code stands beside the score. Kept between visits. */
  readonly codeBeside: boolean;
  readonly side: 'library' | 'build';
}

export const useEditor = create<EditorState>()(() => ({
  edgeFrom: null,
  dropCell: null,
  clipboard: null,
  resizing: null,
  pickerOpen: false,
  view: 'score',
  codeBeside: recall('code-beside') === 'yes',
  side: 'library',
}));

export const editor = (): EditorState => useEditor.getState();
export const setEditor = (fields: Partial<EditorState>): void => useEditor.setState(fields);

export function showCodeBeside(codeBeside: boolean): void {
  remember('code-beside', codeBeside ? 'yes' : 'no');
  setEditor({ codeBeside, ...(codeBeside ? { view: 'score' } : {}) });
}

/** The score takes the focus whenever it is drawn anew. A slow machine draws late, so no clock ends that. */
let focusWished = false;
let isWatching = false;

/** Gives the focus to the cursor's cell, now and whenever it is drawn anew, until the focus is given to something else. */
export function wishFocus(): void {
  watch();
  focusWished = true;
  // Asking for what is there already would lay the page out, and looking for it take longer than most edits.
  if (isCursor(document.activeElement)) return;
  document.querySelector<HTMLElement>('[data-cursor]')?.focus();
}

export function dropFocusWish(): void {
  focusWished = false;
}

export const isFocusWished = (): boolean => focusWished;

const isCursor = (target: unknown): boolean => target instanceof Element && target.hasAttribute('data-cursor');

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  // What is pressed need not take the focus: the timeline leaves it to the page.
  window.addEventListener('pointerdown', dropFocusWish, true);
  window.addEventListener('focusin', ({ target }) => isCursor(target) || dropFocusWish(), true);
}
