/** Says that a text leaves only some lanes, since it is remembered from visit to visit. */
import { Button } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import type { Layout } from '../tracks/layout.ts';
import { arrange, useArrangement } from '../tracks/useArrangement.ts';
import classes from './LanesView.module.css';

export function FilterNotice({ run, layout }: { readonly run: LoadedRun; readonly layout: Layout }) {
  const arrangement = useArrangement(run);
  if (arrangement.filter.trim() === '') return null;
  const { tracks, order } = layout;
  return (
    <div className={classes['notice']}>
      <IconFilter size={14} aria-hidden />
      {tracks.length === 0 ? 'No lane has' : `${tracks.length} of ${order.length} lanes have`} “{arrangement.filter}”
      <Button size="compact-xs" variant="default" onClick={() => arrange(run, { ...arrangement, filter: '' })}>
        Show all lanes
      </Button>
    </div>
  );
}
