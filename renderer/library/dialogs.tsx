/** The library's dialogs, one of each: what is renamed, and what is deleted for good. */
import { Button, Group, Modal, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { runTitle } from '../../core/service/service.ts';
import { renameExperiment } from '../app/store/editing.ts';
import { countItems } from '../app/store/files.ts';
import { closeDeleteQuestion, deleteForGood, renameRun, useDeleteQuestion } from '../app/store/libraryActions.ts';
import { useApp } from '../app/store/store.ts';
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
  const before = useApp(({ experiments, runs }) => {
    const run = runs[item.id];
    if (item.kind === 'run') return run === undefined ? '' : runTitle(run);
    return experiments.find(({ id }) => id === item.id)?.name ?? '';
  });
  const [text, setText] = useState(before);
  const close = (): void => useLibrary.setState({ renaming: null });
  const rename = (name: string): void => {
    if (item.kind === 'run') void renameRun(item.id, name);
    else if (name !== '') void renameExperiment(item.id, name);
  };
  return (
    <Modal opened onClose={close} title="Rename" centered size="sm" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          close();
          if (text !== before) rename(text.trim());
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
          <Button type="submit">Rename</Button>
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
