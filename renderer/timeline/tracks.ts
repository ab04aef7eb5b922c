/** Where each lane is drawn: order, height, and what stands in the gutter beside it. */
import type { LaneIndex } from '../../core/trace/laneIndex.ts';
import type { Lane, LaneKind } from '../../core/trace/trace.ts';
import { formatRate } from '../../core/units.ts';
import type { IterationView } from '../app/loadedRun.ts';
import type { Bandwidth } from './bandwidth.ts';

export interface LaneTrack {
  readonly kind: 'lane';
  readonly id: string;
  readonly name: string;
  readonly detail: string;
  readonly lane: Lane;
  /** Position in trace.lanes. */
  readonly number: number;
  readonly index: LaneIndex;
  readonly top: number;
  readonly height: number;
  /** Height of the strip above the bars in which marks are drawn; 0 where the lane has none. */
  readonly markStrip: number;
  readonly barHeight: number;
}

export interface BandwidthTrack {
  readonly kind: 'bandwidth';
  readonly id: string;
  readonly name: string;
  readonly detail: string;
  readonly direction: 'h2d' | 'd2h';
  readonly bandwidth: Bandwidth;
  /** What the link attains for copies like these, alone; null where no profile tells. */
  readonly attainable: number | null;
  readonly top: number;
  readonly height: number;
}

export type Track = LaneTrack | BandwidthTrack;

export interface TrackOptions {
  /** Space there is; lanes grow into it, within reason. */
  readonly height: number;
  /** Leaves out streams and bandwidth, for comparisons. */
  readonly compact?: boolean;
  readonly attainable?: Readonly<Record<'h2d' | 'd2h', number | null>>;
}

export const trackPadding = 4;
const markHeight = 10;
const bandwidthHeight = 46;
const order: readonly LaneKind[] = ['host-thread', 'stream', 'copy-engine', 'compute'];
const details: Readonly<Record<LaneKind, string>> = {
  'host-thread': 'host thread',
  stream: 'stream',
  'copy-engine': 'copy engine',
  compute: 'kernels',
};

/** Lanes by kind, in the order in which the trace declares them, then the link. */
export function layoutTracks(view: IterationView, options: TrackOptions): Track[] {
  const chosen = chosenLanes(view, options.compact === true);
  const directions =
    options.compact === true ? [] : (['h2d', 'd2h'] as const).filter((d) => view.bandwidth[d].peak > 0);
  const scale = growth(chosen, directions.length, options);
  const tracks: Track[] = [];
  let top = 0;
  for (const { lane, number, index } of chosen) {
    const track = laneTrack(lane, number, index, top, scale);
    tracks.push(track);
    top += track.height;
  }
  // A curve gains more from height than a bar does, so it takes what the lanes leave, up to a point.
  const spare = (options.height - top) / Math.max(directions.length, 1);
  const height = Math.round(Math.min(Math.max(spare, bandwidthHeight), 3 * bandwidthHeight));
  for (const direction of directions) {
    tracks.push(bandwidthTrack(view, direction, options.attainable?.[direction] ?? null, top, height));
    top += height;
  }
  return tracks;
}

export const tracksHeight = (tracks: readonly Track[]): number =>
  tracks.reduce((most, track) => Math.max(most, track.top + track.height), 0);

export function trackAt(tracks: readonly Track[], y: number): Track | null {
  return tracks.find((track) => y >= track.top && y < track.top + track.height) ?? null;
}

/** Top of a bar of this depth, from the top of all tracks. */
export const barTop = (track: LaneTrack, depth: number): number =>
  track.top + trackPadding + track.markStrip + depth * track.barHeight;

/** Depth whose bar lies at this height; the nearest one outside of the bars. */
export function depthAt(track: LaneTrack, y: number): number {
  const depth = Math.floor((y - barTop(track, 0)) / track.barHeight);
  return Math.min(Math.max(depth, 0), Math.max(0, track.index.depths - 1));
}

interface Chosen {
  readonly lane: Lane;
  readonly number: number;
  readonly index: LaneIndex;
}

function chosenLanes(view: IterationView, compact: boolean): Chosen[] {
  const all = view.run.trace.lanes.flatMap((lane, number): Chosen[] => {
    const index = view.lanes[number];
    return index === undefined ? [] : [{ lane, number, index }];
  });
  const idle = ({ index }: Chosen): boolean => index.depths === 0 && index.markDepths === 0;
  const kept = compact ? all.filter((one) => one.lane.kind !== 'stream' && !idle(one)) : all;
  return kept.sort((a, b) => order.indexOf(a.lane.kind) - order.indexOf(b.lane.kind));
}

/** How much larger than natural lanes are drawn, to use the space there is without looking swollen. */
function growth(chosen: readonly Chosen[], bandwidths: number, options: TrackOptions): number {
  const all = naturalHeight(chosen) + bandwidths * bandwidthHeight;
  const [least, most] = options.compact === true ? [0.7, 2.3] : [1, 2];
  return all === 0 ? 1 : Math.min(Math.max(options.height / all, least), most);
}

const naturalHeight = (chosen: readonly Chosen[]): number =>
  chosen.reduce((sum, { lane, number, index }) => sum + laneTrack(lane, number, index, 0, 1).height, 0);

function laneTrack(lane: Lane, number: number, index: LaneIndex, top: number, scale: number): LaneTrack {
  const depths = Math.max(index.depths, 1);
  const barHeight = Math.round((depths === 1 ? 22 : 17) * scale);
  const markStrip = index.markDepths > 0 ? markHeight : 0;
  return {
    kind: 'lane',
    id: lane.id,
    name: lane.name,
    detail: details[lane.kind],
    lane,
    number,
    index,
    top,
    height: depths * barHeight + markStrip + 2 * trackPadding,
    markStrip,
    barHeight,
  };
}

function bandwidthTrack(
  view: IterationView,
  direction: 'h2d' | 'd2h',
  attainable: number | null,
  top: number,
  height: number,
): BandwidthTrack {
  return {
    kind: 'bandwidth',
    id: `link:${direction}`,
    name: `${direction.toUpperCase()} link`,
    detail: attainable === null ? 'bandwidth' : `attainable ${formatRate(attainable)}`,
    direction,
    bandwidth: view.bandwidth[direction],
    attainable,
    top,
    height,
  };
}
