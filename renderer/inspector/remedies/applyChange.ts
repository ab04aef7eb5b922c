/** Makes a change that was proposed in the open document, as one step that can be undone. */
import { applyChange, type Change, movedPath } from '../../../core/experiment/change.ts';
import { operationPathOf } from '../../../core/experiment/edit/paths.ts';
import { edit } from '../../store/editing/edit.ts';

/** `step` names it in the history. The operation of number `op` stays selected where it is still there. */
export function applyInDocument(step: string, change: Pick<Change, 'patches'>, op: number): Promise<boolean> {
  return edit(step, (experiment) => {
    const path = movedPath(operationPathOf(experiment, op) ?? [], change.patches);
    const isThere = path !== null && path.length > 0;
    return { experiment: applyChange(experiment, change), selected: isThere ? [path] : [], isRemedy: true };
  });
}
