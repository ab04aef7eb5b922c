/** The menu of a lane at the place where it was opened. */
import { Menu } from '@mantine/core';
import { termOfLane } from '../../../core/explain/glossary/termOf.ts';
import type { TermId } from '../../../core/explain/glossary/terms.ts';
import { shownKeys } from '../../commands/command.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { laneActions, laneKeys, resetLanes, showLanes, take } from '../tracks/laneActions.ts';
import type { Layout, TrackRow } from '../tracks/layout.ts';
import type { Track } from '../tracks/tracks.ts';
import { useArrangement } from '../tracks/useArrangement.ts';
import classes from './Gutter.module.css';

export interface MenuPlace {
  /** Position in the window. */
  readonly x: number;
  readonly y: number;
}

const clicks = ['mousedown', 'touchstart'];

interface Props {
  readonly run: LoadedRun;
  readonly row: TrackRow;
  readonly layout: Layout;
  readonly place: MenuPlace;
  readonly onTerm: ((term: TermId) => void) | undefined;
  readonly onClose: () => void;
}

export function LaneMenu({ run, row, layout, place, onTerm, onClose }: Props) {
  const arrangement = useArrangement(run);
  const { hidden } = layout;
  const [track] = row.tracks;
  const term = track === undefined ? undefined : termOf(track);
  return (
    <Menu
      opened
      onClose={onClose}
      position="bottom-start"
      offset={2}
      width={230}
      // Without keydown, since the key that opens the menu would close it at once.
      clickOutsideEvents={clicks}
      trapFocus
      returnFocus={false}
    >
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          className={classes['target']}
          style={{ left: place.x, top: place.y }}
          aria-label={`Lane ${row.name}`}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label={`Lane ${row.name}`}>
        {laneActions(row, layout, arrangement).map((action) => (
          <Menu.Item
            key={action.id}
            rightSection={<Keys text={shownKeys(laneKeys[action.id].keys[0])} />}
            onClick={() => take(run, action)}
          >
            {action.label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          disabled={hidden.length === 0}
          onClick={() =>
            showLanes(
              run,
              hidden.map(({ id }) => id),
            )
          }
        >
          {hidden.length === 0 ? 'No lane is hidden' : `Show ${hidden.length} hidden`}
        </Menu.Item>
        <Menu.Item onClick={() => resetLanes(run)}>Reset lanes</Menu.Item>
        {term === undefined || onTerm === undefined ? null : (
          <Menu.Item onClick={() => onTerm(term)}>What is this lane?</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function termOf(track: Track): TermId {
  if (track.kind === 'lane') return termOfLane(track.lane);
  if (track.kind === 'bandwidth') return 'link';
  if (track.of.kind === 'queue') return 'launch-queue';
  return track.of.device === '' ? 'host' : 'device-memory';
}

const Keys = ({ text }: { readonly text: string }) => (
  <small className={classes['keys']} aria-hidden>
    {text}
  </small>
);
