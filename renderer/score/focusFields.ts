import { whenSettled } from '../store/store.ts';
import { dropFocusWish } from './editor.ts';

/** Time for a dialog to return its focus first. */
const afterDialogMs = 60;

/** Focuses the first field in the inspector when it is drawn. */
export function focusFields(): void {
  dropFocusWish();
  setTimeout(() => whenSettled(focusFirst), afterDialogMs);
}

const focusFirst = (): void =>
  document.querySelector<HTMLElement>('[data-fields] input, [data-fields] select, [data-fields] textarea')?.focus();
