/** The tracks of a timeline, each a placed lane, link or counter, and the positions in them. */
import type { LaneCounter } from '../../../core/explain/figures/laneCounters.ts';
import type { Counter } from '../../../core/trace/counter.ts';
import type { LaneIndex } from '../../../core/trace/laneIndex.ts';
import type { Lane } from '../../../core/trace/trace.ts';
import type { Bandwidth } from '../../store/opened/bandwidth.ts';

export interface Place {
  /** Distance from the top of all tracks; a pinned one stays there while the others scroll. */
  readonly top: number;
  readonly height: number;
  /** Space above and below the content. */
  readonly padding: number;
  readonly pinned: boolean;
  /** True if a line is drawn below it. */
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
  /** Height of the strip for marks above the bars; 0 if the lane has no marks, or no room. */
  readonly markStrip: number;
  readonly barHeight: number;
}

export interface BandwidthTrack extends Place, Named {
  readonly kind: 'bandwidth';
  readonly direction: 'h2d' | 'd2h';
  readonly bandwidth: Bandwidth;
  /** Maximum rate of copies of these sizes and memory kinds, alone; null without a profile. */
  readonly attainable: number | null;
  /** Link's maximum rate in one direction, at which the axis ends in every run of a machine; null without a profile. */
  readonly limit: number | null;
}

export interface CounterTrack extends Place, Named {
  readonly kind: 'counter';
  readonly of: LaneCounter;
  readonly counter: Counter;
}

export type Track = LaneTrack | BandwidthTrack | CounterTrack;

/** Returns the top of a track on screen, with tracks that aren't pinned scrolled. */
export const screenTop = (track: Pick<Track, 'top' | 'pinned'>, scrollTop: number): number =>
  track.pinned ? track.top : track.top - scrollTop;

export const pinnedHeightOf = (tracks: readonly Track[]): number =>
  tracks.reduce((most, track) => (track.pinned ? Math.max(most, track.top + track.height) : most), 0);

/** Returns the track at a height on screen. Pinned ones cover the others. */
export function trackAt(tracks: readonly Track[], y: number, scrollTop: number): Track | null {
  const within = (track: Track): boolean => {
    const top = screenTop(track, scrollTop);
    return y >= top && y < top + track.height;
  };
  return tracks.find((track) => track.pinned && within(track)) ?? tracks.find(within) ?? null;
}

/** Returns the top of a bar of this depth, from the top of the track. */
export const barOffset = (track: LaneTrack, depth: number): number =>
  track.padding + track.markStrip + depth * track.barHeight;

/** Returns the depth whose bar is at this height in the track, or the nearest one. */
export function depthAt(track: LaneTrack, y: number): number {
  const depth = Math.floor((y - barOffset(track, 0)) / track.barHeight);
  return Math.min(Math.max(depth, 0), Math.max(0, track.index.depths - 1));
}
