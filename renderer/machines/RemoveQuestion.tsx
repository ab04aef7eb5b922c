/** Asks before what was put on a machine is deleted. */
import { Button, Group, Modal, Text } from '@mantine/core';
import { ErrorText } from '../common/ErrorText.tsx';
import { useLast } from '../common/useLast.ts';
import { closeRemoval, removeMachine, useRemoval } from './actions.ts';

export function RemoveQuestion() {
  const { machine, error, asking } = useRemoval();
  const shown = useLast(machine);
  return (
    <Modal opened={machine !== null} onClose={closeRemoval} title={`Remove ${shown?.name ?? ''}?`}>
      {shown === null ? null : (
        <>
          {error === null ? (
            <Text size="sm" mb="md">
              {shown.version === null
                ? 'It was never set up: it is only taken off this list.'
                : '~/.local/share/copyscope-host of your user there will be deleted. Results that came stay in your library.'}
            </Text>
          ) : (
            <div role="alert">
              <ErrorText error={error} />
            </div>
          )}
          <Group gap="xs" justify="flex-end" mt="md">
            <Button variant="default" onClick={closeRemoval} data-autofocus>
              Keep it
            </Button>
            {shown.version === null ? null : (
              <Button
                variant="default"
                disabled={asking}
                onClick={() => void removeMachine(shown.name, { discard: false, forget: true })}
              >
                Only forget it here
              </Button>
            )}
            <Button
              color="red"
              loading={asking}
              onClick={() =>
                void removeMachine(shown.name, { discard: error?.code === 'host.unfetched', forget: false })
              }
            >
              {error?.code === 'host.unfetched' ? 'Delete those too' : 'Remove'}
            </Button>
          </Group>
        </>
      )}
    </Modal>
  );
}
