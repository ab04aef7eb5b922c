/** Where each lane is drawn: order, height, and what stands in the gutter beside it. */
import type { LaneCounter } from '../../core/analysis/laneCounters.ts';
import type { Counter } from '../../core/trace/counter.ts';
import type { LaneIndex } from '../../core/trace/laneIndex.ts';
import type { Lane, LaneKind } from '../../core/trace/trace.ts';
import { formatBytes, formatRate } from '../../core/units.ts';
import type { IterationView } from '../app/loadedRun.ts';
import { type Arrangement, inOrder, naturalArrangement } from './arrangement.ts';
import type { Bandwidth } from './bandwidth.ts';

interface Place {
  /** From the top of all tracks; a pinned one stays there while the others scroll. */
  readonly top: number;
  readonly height: number;
  /** Air above and below what is drawn. */
  readonly padding: number;
  readonly pinned: boolean;
  /** Whether a line is drawn below it. */
  readonly edge: boolean;
}

interface Named {
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
}

export interface CounterTrack extends Place, Named {
  readonly kind: 'counter';
  readonly of: LaneCounter;
  readonly counter: Counter;
}

export type Track = LaneTrack | BandwidthTrack | CounterTrack;

/** Lanes of one kind, which fold together. */
export interface TrackGroup {
  readonly id: string;
  readonly name: string;
  /** Of the lanes that are not hidden. */
  readonly count: number;
}

/** What stands in the gutter: a lane, or a folded group of them. */
export interface TrackRow extends Named {
  readonly top: number;
  readonly height: number;
  readonly pinned: boolean;
  readonly tracks: readonly Track[];
  readonly group: TrackGroup;
  readonly folded: boolean;
  /** Whether it is the first of a group that can be folded. */
  readonly leads: boolean;
}

export interface Layout {
  readonly tracks: readonly Track[];
  /** From the top: pinned ones first. */
  readonly rows: readonly TrackRow[];
  readonly pinnedHeight: number;
  readonly height: number;
  readonly hidden: readonly Named[];
  readonly groups: readonly TrackGroup[];
  /** Ids of all lanes, hidden ones too, in the order they are shown. */
  readonly order: readonly string[];
}

export interface TrackOptions {
  /** Space there is; lanes grow into it, within reason. */
  readonly height: number;
  /** Leaves out streams, bandwidth and counters, for comparisons. */
  readonly compact?: boolean;
  readonly attainable?: Readonly<Record<'h2d' | 'd2h', number | null>>;
  readonly arrangement?: Arrangement;
}

const padding = 4;
const markHeight = 10;
const bandwidthHeight = 46;
const counterHeight = 30;
/** A lane that was made thin, and the lanes of a folded group, which share a row. */
const thinHeight = 15;
const foldedHeight = 7;
const leastFoldHeight = 26;
const order: readonly LaneKind[] = ['host-thread', 'stream', 'copy-engine', 'compute'];
const details: Readonly<Record<LaneKind, string>> = {
  'host-thread': 'host thread',
  stream: 'stream',
  'copy-engine': 'copy engine',
  compute: 'kernels',
};

/** A lane that can be shown. */
interface Candidate extends Named {
  readonly group: Omit<TrackGroup, 'count'>;
  /** Its height when lanes are drawn this much larger than natural. */
  readonly heightAt: (scale: number) => number;
  /** Whether it takes what the others leave of the space there is. */
  readonly takesRest: boolean;
  place(place: Place, as: 'full' | 'strip', scale: number): Track;
}

/** A row of the gutter before it has a place. */
interface Plan {
  readonly members: readonly Candidate[];
  readonly as: 'full' | 'thin' | 'folded';
  readonly pinned: boolean;
}

/** Lanes by kind, in the order in which the trace declares them, then links, queues and memory; or as arranged. */
export function layoutTracks(view: IterationView, options: TrackOptions): Layout {
  const arrangement = options.arrangement ?? naturalArrangement;
  const candidates = candidatesOf(view, options);
  const byId = new Map(candidates.map((one) => [one.id, one]));
  const ids = inOrder([...byId.keys()], arrangement);
  const all = ids.flatMap((id) => byId.get(id) ?? []);
  const isHidden = ({ id }: Candidate): boolean => arrangement.hidden.includes(id);
  const shown = all.filter((one) => !isHidden(one));
  const groups = groupsOf(all, shown);
  const plans = plan(shown, arrangement);
  return { ...placeAll(plans, groups, options), hidden: all.filter(isHidden), groups, order: ids };
}

/** Whether two layouts name the same lanes at the same places, so that the same can be done with them. */
export function namesAlike(a: Layout, b: Layout): boolean {
  return (
    a.pinnedHeight === b.pinnedHeight &&
    alike(a.order, b.order, (one, other) => one === other) &&
    alike(a.hidden, b.hidden, (one, other) => one.id === other.id) &&
    alike(a.groups, b.groups, sameGroup) &&
    alike(a.rows, b.rows, sameRow)
  );
}

const alike = <Item>(a: readonly Item[], b: readonly Item[], same: (one: Item, other: Item) => boolean): boolean =>
  a.length === b.length && a.every((one, index) => same(one, b[index] as Item));

const sameGroup = (a: TrackGroup, b: TrackGroup): boolean => a.id === b.id && a.name === b.name && a.count === b.count;

const rowFields = ['top', 'height', 'pinned', 'id', 'name', 'detail', 'folded', 'leads'] as const;

const sameRow = (a: TrackRow, b: TrackRow): boolean =>
  rowFields.every((field) => a[field] === b[field]) && sameGroup(a.group, b.group);

/** Pinned lanes first; the lanes of a folded group stand where the first of them does. */
function plan(shown: readonly Candidate[], { pinned, thin, folded }: Arrangement): Plan[] {
  const as = ({ id }: Candidate): 'thin' | 'full' => (thin.includes(id) ? 'thin' : 'full');
  const top = shown.filter(({ id }) => pinned.includes(id));
  const rest = shown.filter(({ id }) => !pinned.includes(id));
  return [
    ...top.map((one): Plan => ({ members: [one], as: as(one), pinned: true })),
    ...rest.flatMap((one): Plan[] => {
      if (!folded.includes(one.group.id)) return [{ members: [one], as: as(one), pinned: false }];
      const members = rest.filter(({ group }) => group.id === one.group.id);
      return members[0] === one ? [{ members, as: 'folded', pinned: false }] : [];
    }),
  ];
}

function groupsOf(all: readonly Candidate[], shown: readonly Candidate[]): TrackGroup[] {
  const groups = new Map(all.map(({ group }) => [group.id, group]));
  return [...groups.values()].map((group) => ({
    ...group,
    count: shown.filter((one) => one.group.id === group.id).length,
  }));
}

function placeAll(
  plans: readonly Plan[],
  groups: readonly TrackGroup[],
  options: TrackOptions,
): Pick<Layout, 'tracks' | 'rows' | 'pinnedHeight' | 'height'> {
  const { scale, rest } = growth(plans, options);
  const tracks: Track[] = [];
  const rows: TrackRow[] = [];
  const led = new Set<string>();
  let top = 0;
  let pinnedHeight = 0;
  for (const { members, as, pinned } of plans) {
    const [first] = members;
    const group = groups.find(({ id }) => id === first?.group.id);
    if (first === undefined || group === undefined) continue;
    const own: Track[] = [];
    const rowTop = top;
    for (const [index, member] of members.entries()) {
      const edge = index === members.length - 1;
      const height = as === 'full' ? fullHeight(member, scale, rest) : stripHeight(as, members.length);
      const place = { top, height, padding: as === 'full' ? padding : 1, pinned, edge };
      const track = member.place(place, as === 'full' ? 'full' : 'strip', scale);
      own.push(track);
      top += track.height;
    }
    const folded = as === 'folded';
    const leads = !pinned && group.count > 1 && !led.has(group.id);
    if (leads) led.add(group.id);
    const { id, name, detail } = folded ? foldName(group, members) : first;
    rows.push({ id, name, detail, top: rowTop, height: top - rowTop, pinned, tracks: own, group, folded, leads });
    tracks.push(...own);
    if (pinned) pinnedHeight = top;
  }
  return { tracks, rows, pinnedHeight, height: top };
}

const foldName = (group: TrackGroup, members: readonly Candidate[]): Named => ({
  id: `fold:${group.id}`,
  name: group.name,
  detail: `${members.length} folded`,
});

const fullHeight = (one: Candidate, scale: number, rest: number): number =>
  one.takesRest ? rest : one.heightAt(scale);

const stripHeight = (as: 'thin' | 'folded', members: number): number =>
  as === 'thin' ? thinHeight : Math.max(foldedHeight, Math.ceil(leastFoldHeight / members));

/** How much larger than natural lanes are drawn, to use the space there is without looking swollen. */
function growth(plans: readonly Plan[], { height, compact = false }: TrackOptions): { scale: number; rest: number } {
  const full = plans.flatMap(({ members, as }) => (as === 'full' ? members : []));
  const strips = sum(
    plans.map(({ members, as }) => (as === 'full' ? 0 : members.length * stripHeight(as, members.length))),
  );
  const natural = sum(full.map((one) => one.heightAt(1)));
  const [least, most] = compact ? [0.7, 2.3] : [1, 2];
  const scale = natural === 0 ? 1 : Math.min(Math.max((height - strips) / natural, least), most);
  // A curve gains more from height than a bar does, so it takes what the lanes leave, up to a point.
  const curves = full.filter(({ takesRest }) => takesRest);
  const lanes = sum(full.map((one) => (one.takesRest ? 0 : one.heightAt(scale))));
  const spare = (height - strips - lanes) / Math.max(curves.length, 1);
  return { scale, rest: Math.round(Math.min(Math.max(spare, bandwidthHeight), 3 * bandwidthHeight)) };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

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

function candidatesOf(view: IterationView, options: TrackOptions): Candidate[] {
  const compact = options.compact === true;
  const lanes = laneCandidates(view, compact);
  if (compact) return lanes;
  const directions = (['h2d', 'd2h'] as const).filter((direction) => view.bandwidth[direction].peak > 0);
  return [
    ...lanes,
    ...directions.map((direction) => bandwidthCandidate(view, direction, options.attainable?.[direction] ?? null)),
    ...view.counters.map(({ of, counter }) => counterCandidate(view, of, counter)),
  ];
}

function laneCandidates(view: IterationView, compact: boolean): Candidate[] {
  const { lanes } = view.run.trace;
  const several = new Set(lanes.flatMap(({ device }) => (device === '' ? [] : [device]))).size > 1;
  const all = lanes.flatMap((lane, number) => {
    const index = view.lanes[number];
    return index === undefined ? [] : [{ lane, number, index }];
  });
  const isIdle = (index: LaneIndex): boolean => index.depths === 0 && index.markDepths === 0;
  const kept = compact ? all.filter(({ lane, index }) => lane.kind !== 'stream' && !isIdle(index)) : all;
  return kept
    .sort((a, b) => order.indexOf(a.lane.kind) - order.indexOf(b.lane.kind))
    .map(({ lane, number, index }) => laneCandidate(lane, number, index, several));
}

function laneCandidate(lane: Lane, number: number, index: LaneIndex, several: boolean): Candidate {
  const depths = Math.max(index.depths, 1);
  const natural = depths === 1 ? 22 : 17;
  const marks = index.markDepths > 0 ? markHeight : 0;
  const named = { id: lane.id, name: lane.name, detail: details[lane.kind] };
  return {
    ...named,
    group: laneGroup(lane, several),
    heightAt: (scale) => depths * Math.round(natural * scale) + marks + 2 * padding,
    takesRest: false,
    place: (place, as, scale) => {
      const isStrip = as === 'strip';
      const barHeight = isStrip
        ? Math.max(1, Math.floor((place.height - 2 * place.padding) / depths))
        : Math.round(natural * scale);
      const markStrip = isStrip ? 0 : marks;
      const height = Math.max(isStrip ? place.height : 0, depths * barHeight + markStrip + 2 * place.padding);
      return { kind: 'lane', ...named, ...place, height, lane, number, index, markStrip, barHeight };
    },
  };
}

function laneGroup({ kind, device }: Lane, several: boolean): Omit<TrackGroup, 'count'> {
  const of = several ? ` of ${device}` : '';
  if (kind === 'host-thread') return { id: 'host', name: 'Host threads' };
  return kind === 'stream'
    ? { id: `streams:${device}`, name: `Streams${of}` }
    : { id: `engines:${device}`, name: `Engines${of}` };
}

function bandwidthCandidate(view: IterationView, direction: 'h2d' | 'd2h', attainable: number | null): Candidate {
  const named = {
    id: `link:${direction}`,
    name: `${direction.toUpperCase()} link`,
    detail: attainable === null ? 'bandwidth' : `${formatRate(attainable)} attainable at these sizes`,
  };
  return {
    ...named,
    group: { id: 'links', name: 'Links' },
    heightAt: () => bandwidthHeight,
    takesRest: true,
    place: (place) => ({
      kind: 'bandwidth',
      ...named,
      ...place,
      direction,
      bandwidth: view.bandwidth[direction],
      attainable,
    }),
  };
}

function counterCandidate(view: IterationView, of: LaneCounter, counter: Counter): Candidate {
  const named = counterName(view, of, counter.peak);
  return {
    ...named,
    group: of.kind === 'queue' ? { id: 'queues', name: 'Queues' } : { id: 'memory', name: 'Memory' },
    heightAt: (scale) => Math.round(counterHeight * scale),
    takesRest: false,
    place: (place) => ({ kind: 'counter', ...named, ...place, of, counter }),
  };
}

function counterName({ run }: IterationView, of: LaneCounter, peak: number): Named {
  if (of.kind === 'memory') {
    const name = of.device === '' ? 'Host memory' : `${of.device} memory`;
    return { id: `memory:${of.device}`, name, detail: `most ${formatBytes(peak)}` };
  }
  const lane = run.trace.lanes[of.lane];
  return { id: `queue:${lane?.id ?? ''}`, name: `${lane?.name ?? ''} queue`, detail: `depth, most ${peak}` };
}
