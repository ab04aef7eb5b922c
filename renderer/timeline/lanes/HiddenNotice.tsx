/** Says that the selection, or a row joined with it, lies in hidden lanes, and offers to show them. */
import { Button } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { useApp } from '../../store/store.ts';
import { showLanes } from '../tracks/laneActions.ts';
import type { Track } from '../tracks/tracks.ts';
import classes from './LanesView.module.css';

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly tracks: readonly Track[];
}

export function HiddenNotice({ run, view, tracks }: Props) {
  const row = useApp(({ selection }) => (selection?.kind === 'row' && selection.run === run.id ? selection.row : null));
  const hidden = useMemo(() => (row === null ? null : hiddenOf(view, tracks, row)), [view, tracks, row]);
  if (hidden === null) return null;
  const { own, joined, lanes } = hidden;
  const what = own
    ? 'The selected activity is in a hidden lane'
    : `${joined} of the activities joined with it are hidden`;
  return (
    <div className={classes['notice']} role="status">
      <IconEyeOff size={14} aria-hidden />
      {what}
      <Button size="compact-xs" variant="default" onClick={() => showLanes(run, lanes)}>
        Show {lanes.length === 1 ? 'the lane' : `${lanes.length} lanes`}
      </Button>
    </div>
  );
}

interface Hidden {
  readonly own: boolean;
  /** Number of joined rows that are hidden. */
  readonly joined: number;
  /** Ids of lanes that would show them. */
  readonly lanes: readonly string[];
}

function hiddenOf(view: IterationView, tracks: readonly Track[], row: number): Hidden | null {
  const { lanes, columns } = view.run.trace;
  const drawn = new Set(tracks.flatMap((track) => (track.kind === 'lane' ? [track.number] : [])));
  const isHidden = (one: number): boolean =>
    !drawn.has(columns.lane[one] ?? -1) && !drawn.has(columns.engine[one] ?? -1);
  const rows = [row, ...view.partners(row)].filter(isHidden);
  if (rows.length === 0) return null;
  const own = rows[0] === row;
  const ids = new Set(rows.flatMap((one) => lanes[columns.lane[one] ?? -1]?.id ?? []));
  return { own, joined: rows.length - (own ? 1 : 0), lanes: [...ids] };
}
