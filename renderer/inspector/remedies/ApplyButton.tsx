import { Button } from '@mantine/core';
import { IconWand } from '@tabler/icons-react';
import { useState } from 'react';
import type { Change } from '../../../core/experiment/change.ts';
import { keepFocus } from '../../common/keepFocus.ts';
import { useApp, whenSettled } from '../../store/store.ts';
import { applyInDocument } from './applyChange.ts';

interface Props {
  /** What the history calls it. */
  readonly step: string;
  readonly change: Pick<Change, 'patches'>;
  /** The operation that stays selected. */
  readonly id: string | null;
  /** What it changes, for those who hear the button alone. */
  readonly label: string;
}

/** Changes the experiment; what isn't the user's own is copied first. A lesson's experiment is the learner's. */
export function ApplyButton({ step, change, id, label }: Props) {
  const isOwn = useApp(({ page }) => page.kind === 'experiment' || page.kind === 'lesson');
  const [busy, setBusy] = useState(false);
  const apply = (): void => {
    // The button goes with what it has mended.
    const giveBack = keepFocus();
    setBusy(true);
    void applyInDocument(step, change, id).finally(() => {
      setBusy(false);
      whenSettled(giveBack);
    });
  };
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
