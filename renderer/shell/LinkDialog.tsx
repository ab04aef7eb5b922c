import { Button, Group, Modal, Text } from '@mantine/core';
import type { LinkOffer } from '../../core/service/service.ts';
import { formatBytes } from '../../core/units.ts';
import { useLast } from '../common/useLast.ts';
import { answerLink, useLinks } from '../store/links.ts';

/** Asks before anything is opened that a link names: whoever wrote it is unknown. */
export function LinkDialog() {
  const offer = useLinks((state) => state.offer);
  const shown = useLast(offer);
  return (
    <Modal opened={offer !== null} onClose={() => void answerLink(false)} title="A link wants to open something">
      {shown === null ? null : <Asked offer={shown} />}
    </Modal>
  );
}

function Asked({ offer }: { readonly offer: LinkOffer }) {
  return (
    <>
      <Text>{what(offer)}</Text>
      <Text fw={600} my="xs" style={{ overflowWrap: 'anywhere' }}>
        {offer.kind === 'file' ? offer.path : offer.title}
      </Text>
      {offer.kind === 'file' ? (
        <Text c="dimmed">
          It is added to your library, as if you had opened it. Open it only if you know what it is.
        </Text>
      ) : null}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={() => void answerLink(false)} data-autofocus>
          Don’t open
        </Button>
        <Button onClick={() => void answerLink(true)}>Open</Button>
      </Group>
    </>
  );
}

function what(offer: LinkOffer): string {
  if (offer.kind === 'file') return `A file of this computer (${formatBytes(offer.bytes)}):`;
  return offer.kind === 'example' ? 'An example that comes with Copyscope:' : 'A lesson:';
}
