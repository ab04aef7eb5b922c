/** Actions on a row of the gutter, for its menu and its keys. */

import { announce } from '../../store/notify.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { type Arrangement, moveIds, naturalArrangement, withIds } from './arrangement.ts';
import type { Layout, TrackRow } from './layout.ts';
import { arrange, arrangementOf } from './useArrangement.ts';

/** Keys on a lane's name, by the action's id; its menu names an action for the lane at hand. */
export const laneKeys = {
  pin: { name: 'Pin to the top, or unpin', keys: ['P'] },
  'pin-group': { name: 'Pin its whole group', keys: ['shift P'] },
  hide: { name: 'Hide; Lanes in the toolbar shows it again', keys: ['H'] },
  'hide-group': { name: 'Hide its whole group', keys: ['shift H'] },
  thin: { name: 'Collapse to a strip, or expand', keys: ['C'] },
  fold: { name: 'Collapse its whole group, or expand', keys: ['G'] },
  up: { name: 'Move up; or drag it', keys: ['alt ArrowUp'] },
  down: { name: 'Move down', keys: ['alt ArrowDown'] },
} as const;

export interface LaneAction {
  readonly id: keyof typeof laneKeys;
  readonly label: string;
  readonly next: Arrangement;
  /** Announcement for screen readers. */
  readonly done: string;
}

/** Returns the available actions of this row. */
export function laneActions(row: TrackRow, layout: Layout, arrangement: Arrangement): LaneAction[] {
  const ids = row.tracks.map(({ id }) => id);
  const { name, group } = row;
  const actions: (LaneAction | null)[] = [
    row.folded ? null : pinAction(row, arrangement),
    {
      id: 'hide',
      label: 'Hide',
      next: withIds(arrangement, 'hidden', ids, true),
      done: `${name} is hidden. Lanes, in the toolbar, shows it again.`,
    },
    row.folded ? null : thinAction(row, arrangement),
    group.count < 2 || row.pinned ? null : foldAction(row, arrangement),
    ...groupActions(row, layout, arrangement),
    moveAction(row, layout, arrangement, 'up'),
    moveAction(row, layout, arrangement, 'down'),
  ];
  return actions.filter((action) => action !== null);
}

function pinAction({ tracks, name, pinned }: TrackRow, arrangement: Arrangement): LaneAction {
  const ids = tracks.map(({ id }) => id);
  return {
    id: 'pin',
    label: pinned ? 'Unpin' : 'Pin to the top',
    next: withIds(arrangement, 'pinned', ids, !pinned),
    done: pinned ? `${name} is no longer pinned.` : `${name} is pinned to the top.`,
  };
}

function thinAction({ tracks, name }: TrackRow, arrangement: Arrangement): LaneAction {
  const ids = tracks.map(({ id }) => id);
  const isThin = ids.every((id) => arrangement.thin.includes(id));
  return {
    id: 'thin',
    label: isThin ? 'Expand' : 'Collapse to a strip',
    next: withIds(arrangement, 'thin', ids, !isThin),
    done: isThin ? `${name} is expanded.` : `${name} is collapsed.`,
  };
}

function foldAction({ group, folded }: TrackRow, arrangement: Arrangement): LaneAction {
  const name = group.name.toLowerCase();
  return {
    id: 'fold',
    label: folded ? `Expand ${name}` : `Collapse ${name}`,
    next: withIds(arrangement, 'folded', [group.id], !folded),
    done: folded ? `${group.name} are expanded.` : `${group.name} are collapsed into one row.`,
  };
}

/** Returns actions on all shown lanes of the row's group, such as the threads of a process. */
function groupActions({ group, folded }: TrackRow, { rows }: Layout, arrangement: Arrangement): LaneAction[] {
  if (group.count < 2) return [];
  const own = rows.filter((row) => row.group.id === group.id).flatMap(({ tracks }) => tracks);
  const ids = own.map(({ id }) => id);
  const isPinned = own.every(({ pinned }) => pinned);
  const name = group.name.toLowerCase();
  const pin: LaneAction = {
    id: 'pin-group',
    label: isPinned ? `Unpin ${name}` : `Pin ${name} to the top`,
    next: withIds(arrangement, 'pinned', ids, !isPinned),
    done: isPinned ? `${group.name} are no longer pinned.` : `${group.name} are pinned to the top.`,
  };
  // The action on a folded row hides the whole group already.
  if (folded) return [pin];
  const done = `${group.name} are hidden. Lanes, in the toolbar, shows them again.`;
  return [pin, { id: 'hide-group', label: `Hide ${name}`, next: withIds(arrangement, 'hidden', ids, true), done }];
}

function moveAction(row: TrackRow, layout: Layout, arrangement: Arrangement, way: 'up' | 'down'): LaneAction | null {
  const section = sectionOf(layout, row.pinned);
  const at = section.findIndex(({ id }) => id === row.id);
  const to = way === 'up' ? at - 1 : at + 2;
  if (to < 0 || to > section.length) return null;
  return {
    id: way,
    label: way === 'up' ? 'Move up' : 'Move down',
    next: movedTo(row, layout, arrangement, { pinned: row.pinned, index: to }),
    done: `${row.name} is ${way === 'up' ? 'above' : 'below'} ${section[way === 'up' ? to : at + 1]?.name ?? ''}.`,
  };
}

const sectionOf = ({ rows }: Layout, pinned: boolean): TrackRow[] => rows.filter((row) => row.pinned === pinned);

/** A gap between two rows of the pinned ones or of the others: before the row at `index`. */
export interface Slot {
  readonly pinned: boolean;
  readonly index: number;
}

/** Returns the arrangement with a row moved; moving it among the pinned ones pins it, and moving it out unpins it. */
export function movedTo(row: TrackRow, layout: Layout, arrangement: Arrangement, { pinned, index }: Slot): Arrangement {
  const ids = row.tracks.map(({ id }) => id);
  const section = sectionOf(layout, pinned);
  const last = section.at(-1)?.tracks.at(-1)?.id ?? null;
  const behind = last === null ? [] : layout.order.slice(layout.order.indexOf(last) + 1);
  const behindLast = behind.find((id) => !ids.includes(id)) ?? null;
  const before = section[index]?.tracks[0]?.id ?? behindLast;
  const moved = before !== null && ids.includes(before) ? arrangement : moveIds(arrangement, layout.order, ids, before);
  return row.pinned === pinned ? moved : withIds(moved, 'pinned', ids, pinned);
}

export function take(run: LoadedRun, { next, done }: Pick<LaneAction, 'next' | 'done'>): void {
  arrange(run, next);
  announce(done);
}

/** Shows hidden lanes again. */
export function showLanes(run: LoadedRun, ids: readonly string[]): void {
  const done = ids.length === 1 ? 'The lane is shown again.' : `${ids.length} lanes are shown again.`;
  // The filter may hide them.
  take(run, { next: { ...withIds(arrangementOf(run), 'hidden', ids, false), filter: '' }, done });
}

export const resetLanes = (run: LoadedRun): void =>
  take(run, { next: naturalArrangement, done: 'The lanes are as they were at first.' });
