/** Copies a link to the shown lanes: page, time range, iteration and selection. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconLink } from '@tabler/icons-react';
import { pageHash } from '../../store/page.ts';
import { placeQuery } from '../../store/place.ts';
import { state } from '../../store/store.ts';
import type { FollowingProps } from '../followedRun.ts';

export function LinkTool({ time }: Pick<FollowingProps, 'time'>) {
  const clipboard = useClipboard({ timeout: 1500 });
  const label = clipboard.copied ? 'The link is copied' : 'Copy a link to this view';
  const copy = (): void => {
    const { page, iteration, selection } = state();
    const [hash = ''] = pageHash(page).split('?');
    clipboard.copy(
      `${location.origin}${location.pathname}${hash}${placeQuery({ view: time.view, iteration, selection })}`,
    );
  };
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={copy}>
        {clipboard.copied ? <IconCheck size={16} /> : <IconLink size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}
