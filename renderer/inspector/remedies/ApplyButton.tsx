import { Button } from '@mantine/core';
import { IconWand } from '@tabler/icons-react';
import { useState } from 'react';
import { applyChange, type Change } from '../../../core/experiment/change.ts';
import { operationPathOf } from '../../../core/experiment/edit/paths.ts';
import { keepFocus } from '../../common/keepPlace.ts';
import { edit } from '../../store/editing/edit.ts';
import { useApp, whenSettled } from '../../store/store.ts';

/** `step` names it in the undo history. The operation with this id stays selected if it still exists. */
function applyInDocument(step: string, change: Pick<Change, 'patches'>, id: string | null): Promise<boolean> {
  return edit(step, (experiment) => {
    const changed = applyChange(experiment, change);
    const path = id === null ? undefined : operationPathOf(changed, id);
    return { experiment: changed, selected: path === undefined ? [] : [path], isRemedy: true };
  });
}

interface Props {
  /** Name of the step in the undo history. */
  readonly step: string;
  readonly change: Pick<Change, 'patches'>;
  /** The operation that stays selected. */
  readonly id: string | null;
  /** Description of the change for screen readers. */
  readonly label: string;
}

/** Changes the experiment, after copying it if it isn't the user's own. In a lesson the learner makes the change. */
export function ApplyButton({ step, change, id, label }: Props) {
  const kind = useApp(({ page }) => page.kind);
  const isOwn = kind === 'experiment';
  const [busy, setBusy] = useState(false);
  const apply = (): void => {
    // The button disappears with the repaired problem.
    const giveBack = keepFocus();
    setBusy(true);
    void applyInDocument(step, change, id).finally(() => {
      setBusy(false);
      whenSettled(giveBack);
    });
  };
  if (kind === 'lesson') return null;
  return (
    <Button
      size="compact-sm"
      variant="light"
      mt={8}
      leftSection={<IconWand size={14} aria-hidden />}
      loading={busy}
      onClick={apply}
      aria-label={`${isOwn ? 'Apply' : 'Apply in a copy'}: ${label}`}
    >
      {isOwn ? 'Apply' : 'Apply in a copy'}
    </Button>
  );
}
