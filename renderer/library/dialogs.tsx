/** The dialog that renames an item of the library. */
import { Button, Group, Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLast } from '../common/hooks.ts';
import { type LibraryItem, nameOfItem, renameItem } from '../store/libraryActions.ts';
import { itemKey, useLibrary } from './libraryView.ts';

const closeRename = (): void => useLibrary.setState({ renaming: null });

/** Stays mounted when closed, so that it can return the focus. */
export function RenameDialog() {
  const renaming = useLibrary((state) => state.renaming);
  const shown = useLast(renaming);
  return (
    <Modal opened={renaming !== null} onClose={closeRename} title="Rename">
      {shown === null ? null : <RenameForm item={shown} key={itemKey(shown)} />}
    </Modal>
  );
}

function RenameForm({ item }: { readonly item: LibraryItem }) {
  const [before] = useState(() => nameOfItem(item));
  const [text, setText] = useState(before);
  const isMissing = item.kind !== 'run' && text.trim() === '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isMissing) return;
        closeRename();
        if (text.trim() !== before) void renameItem(item, text.trim());
      }}
    >
      <TextInput
        label="Name"
        value={text}
        maxLength={200}
        data-autofocus
        {...(item.kind === 'run'
          ? { description: 'In this library only. Leave it empty to use the name of its experiment.' }
          : {})}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group gap="xs" justify="flex-end" mt="md">
        <Button variant="default" onClick={closeRename}>
          Cancel
        </Button>
        <Button type="submit" disabled={isMissing}>
          Rename
        </Button>
      </Group>
    </form>
  );
}
