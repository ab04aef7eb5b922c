/** The library's dialogs, one of each: what is renamed, and what is deleted for good. */
import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { countItems } from '../app/store/files.ts';
import {
  closeDeleteQuestion,
  deleteForGood,
  nameOfItem,
  renameItem,
  useDeleteQuestion,
} from '../app/store/libraryActions.ts';
import { ErrorText } from '../common/ErrorText.tsx';
import { type LibraryItem, useLibrary } from './libraryView.ts';

export function LibraryDialogs() {
  const renaming = useLibrary((state) => state.renaming);
  return (
    <>
      {renaming === null ? null : <RenameDialog item={renaming} key={renaming.id} />}
      <DeleteQuestion />
    </>
  );
}

function RenameDialog({ item }: { readonly item: LibraryItem }) {
  const [before] = useState(() => nameOfItem(item));
  const [text, setText] = useState(before);
  const close = (): void => useLibrary.setState({ renaming: null });
  const isMissing = item.kind !== 'run' && text.trim() === '';
  return (
    <Modal opened onClose={close} title="Rename" centered size="sm" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isMissing) return;
          close();
          if (text.trim() !== before) void renameItem(item, text.trim());
        }}
      >
        <TextInput
          label="Name"
          value={text}
          maxLength={200}
          data-autofocus
          {...(item.kind === 'run'
            ? { description: 'In this library only. Left empty, it is called as its experiment again.' }
            : {})}
          onFocus={(event) => event.currentTarget.select()}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Group gap="xs" justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" disabled={isMissing}>
            Rename
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

function DeleteQuestion() {
  const { question } = useDeleteQuestion();
  return (
    <Modal
      opened={question !== null}
      onClose={closeDeleteQuestion}
      title="Delete for good?"
      centered
      size="sm"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {question === null ? null : (
        <>
          {question.why === null ? (
            <Text mb="md">
              This system offers Copyscope no bin. You can undo it for five minutes; after that{' '}
              {countItems(question.items)} will be gone.
            </Text>
          ) : (
            <ErrorText error={question.why} />
          )}
          <Group gap="xs" justify="flex-end">
            <Button variant="default" onClick={closeDeleteQuestion} data-autofocus>
              Keep
            </Button>
            <Button color="red" onClick={() => void deleteForGood(question.items)}>
              Delete for good
            </Button>
          </Group>
        </>
      )}
    </Modal>
  );
}
