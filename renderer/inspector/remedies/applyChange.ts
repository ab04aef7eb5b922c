/** Makes a change that was proposed in the open document, as one step that can be undone. */
import { applyChange, type Change } from '../../../core/experiment/change.ts';
import { operationPathOf } from '../../../core/experiment/edit/paths.ts';
import { edit } from '../../store/editing/edit.ts';

/** `step` names it in the history. The operation of this id stays selected if it is still there. */
export function applyInDocument(step: string, change: Pick<Change, 'patches'>, id: string | null): Promise<boolean> {
  return edit(step, (experiment) => {
    const changed = applyChange(experiment, change);
    const path = id === null ? undefined : operationPathOf(changed, id);
    return { experiment: changed, selected: path === undefined ? [] : [path], isRemedy: true };
  });
}
