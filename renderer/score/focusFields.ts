import { whenSettled } from '../store/store.ts';
import { dropFocusWish } from './editor.ts';

/** Long enough for a dialog to give its focus back first. */
const afterDialogMs = 60;

/** Gives the focus to the first field in the inspector, once it is drawn. */
export function focusFields(): void {
  dropFocusWish();
  setTimeout(() => whenSettled(focusFirst), afterDialogMs);
}

const focusFirst = (): void =>
  document.querySelector<HTMLElement>('[data-fields] input, [data-fields] select, [data-fields] textarea')?.focus();
