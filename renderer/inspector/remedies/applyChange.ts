/** Applies a suggested change to the open document as one undoable step. */
import { applyChange, type Change } from '../../../core/experiment/change.ts';
import { operationPathOf } from '../../../core/experiment/edit/paths.ts';
import { edit } from '../../store/editing/edit.ts';

/** `step` names it in the undo history. The operation with this id stays selected if it still exists. */
export function applyInDocument(step: string, change: Pick<Change, 'patches'>, id: string | null): Promise<boolean> {
  return edit(step, (experiment) => {
    const changed = applyChange(experiment, change);
    const path = id === null ? undefined : operationPathOf(changed, id);
    return { experiment: changed, selected: path === undefined ? [] : [path], isRemedy: true };
  });
}
