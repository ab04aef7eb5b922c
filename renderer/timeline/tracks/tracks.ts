/** The tracks of a timeline, each a lane, a link or a counter at its place, and what lies where in them. */
import type { LaneCounter } from '../../../core/figures/laneCounters.ts';
import type { Counter } from '../../../core/trace/counter.ts';
import type { LaneIndex } from '../../../core/trace/laneIndex.ts';
import type { Lane } from '../../../core/trace/trace.ts';
import type { Bandwidth } from '../../store/opened/bandwidth.ts';

export interface Place {
  /** From the top of all tracks; a pinned one stays there while the others scroll. */
  readonly top: number;
  readonly height: number;
  /** Air above and below what is drawn. */
  readonly padding: number;
  readonly pinned: boolean;
  /** Whether a line is drawn below it. */
  readonly edge: boolean;
}

export interface Named {
  readonly id: string;
  readonly name: string;
  readonly detail: string;
}

export interface LaneTrack extends Place, Named {
  readonly kind: 'lane';
  readonly lane: Lane;
  /** Position in trace.lanes. */
  readonly number: number;
  readonly index: LaneIndex;
  /** Height of the strip above the bars in which marks are drawn; 0 where the lane has none, or no room. */
  readonly markStrip: number;
  readonly barHeight: number;
}

export interface BandwidthTrack extends Place, Named {
  readonly kind: 'bandwidth';
  readonly direction: 'h2d' | 'd2h';
  readonly bandwidth: Bandwidth;
  /** What copies of these sizes and kinds of memory attain at best, alone; null where no profile tells. */
  readonly attainable: number | null;
  /** What the link gives one way, to which the axis goes: the same in every run of a machine; null where no profile tells. */
  readonly limit: number | null;
}

export interface CounterTrack extends Place, Named {
  readonly kind: 'counter';
  readonly of: LaneCounter;
  readonly counter: Counter;
}

export type Track = LaneTrack | BandwidthTrack | CounterTrack;

/** Where a track begins on screen, when what is not pinned is scrolled. */
export const screenTop = (track: Pick<Track, 'top' | 'pinned'>, scrollTop: number): number =>
  track.pinned ? track.top : track.top - scrollTop;

export const pinnedHeightOf = (tracks: readonly Track[]): number =>
  tracks.reduce((most, track) => (track.pinned ? Math.max(most, track.top + track.height) : most), 0);

/** The track at a height on screen. Pinned ones lie over the others. */
export function trackAt(tracks: readonly Track[], y: number, scrollTop: number): Track | null {
  const within = (track: Track): boolean => {
    const top = screenTop(track, scrollTop);
    return y >= top && y < top + track.height;
  };
  return tracks.find((track) => track.pinned && within(track)) ?? tracks.find(within) ?? null;
}

/** Top of a bar of this depth, from the top of the track. */
export const barOffset = (track: LaneTrack, depth: number): number =>
  track.padding + track.markStrip + depth * track.barHeight;

/** Depth whose bar lies at this height in the track; the nearest one outside of the bars. */
export function depthAt(track: LaneTrack, y: number): number {
  const depth = Math.floor((y - barOffset(track, 0)) / track.barHeight);
  return Math.min(Math.max(depth, 0), Math.max(0, track.index.depths - 1));
}
