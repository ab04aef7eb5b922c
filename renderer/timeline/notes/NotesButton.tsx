import { ActionIcon, Indicator, Tooltip } from '@mantine/core';
import { IconNote } from '@tabler/icons-react';
import { useEffect } from 'react';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { useApp } from '../../store/store.ts';
import { ensureNotes } from './noteReads.ts';
import { useRunNotes } from './noteState.ts';
import { openNotes, useNotesOpen } from './notesPanelState.ts';

/** The toolbar's button that opens the list of notes and shows their number. */
export function NotesButton({ run: { id } }: { readonly run: LoadedRun }) {
  const { notes } = useRunNotes(id);
  const open = useNotesOpen();
  const connected = useApp((state) => state.connection.status === 'open');
  useEffect(() => {
    if (connected) void ensureNotes(id);
  }, [id, connected]);
  const label = notes.length === 0 ? 'Notes' : `Notes, ${notes.length}`;
  return (
    <Tooltip label={label}>
      <Indicator label={notes.length} size={13} offset={3} fz={9} disabled={notes.length === 0} color="azure">
        <ActionIcon aria-label={label} aria-expanded={open} onClick={() => openNotes(!open)}>
          <IconNote size={16} />
        </ActionIcon>
      </Indicator>
    </Tooltip>
  );
}
