/** Places the lanes: order, height, and texts in the gutter. */
import type { IterationView } from '../../store/opened/loadedRun.ts';
import { type Arrangement, inOrder, naturalArrangement, withIds } from './arrangement.ts';
import {
  bandwidthHeight,
  type Candidate,
  type CandidateOptions,
  candidatesOf,
  type LaneGroup,
  padding,
} from './candidates.ts';
import { laneFilter } from './laneFilter.ts';
import type { Named, Track } from './tracks.ts';

export interface TrackGroup extends LaneGroup {
  /** Number of lanes that are not hidden. */
  readonly count: number;
}

/** A row of the gutter: a lane, or a folded group of lanes. */
export interface TrackRow extends Named {
  readonly top: number;
  readonly height: number;
  readonly pinned: boolean;
  readonly tracks: readonly Track[];
  readonly group: TrackGroup;
  readonly folded: boolean;
  /** True for the first row of a group that can be folded. */
  readonly leads: boolean;
}

export interface Layout {
  readonly tracks: readonly Track[];
  /** Rows from the top, pinned ones first. */
  readonly rows: readonly TrackRow[];
  readonly pinnedHeight: number;
  readonly height: number;
  readonly hidden: readonly Named[];
  readonly groups: readonly TrackGroup[];
  /** Ids of all lanes, hidden ones too, in display order. */
  readonly order: readonly string[];
}

export interface TrackOptions extends CandidateOptions {
  /** Available space; lanes grow into it within limits. */
  readonly height: number;
  readonly arrangement?: Arrangement;
  /** Pins the lane of kernels, so that the order is the same at every height. Folds the host's threads if not all fit. */
  readonly keepsCompute?: boolean;
}

/** Heights of a thin lane, and of the lanes in a folded group, which share a row. */
const thinHeight = 15;
const foldedHeight = 7;
const leastFoldHeight = 26;

/** A row of the gutter before it is placed. */
interface Plan {
  readonly members: readonly Candidate[];
  readonly as: 'full' | 'thin' | 'folded';
  readonly pinned: boolean;
}

/** Places lanes by kind in the order of the trace, then links, queues and memory; or as arranged. */
export function layoutTracks(view: IterationView, options: TrackOptions): Layout {
  const arrangement = options.arrangement ?? naturalArrangement;
  const candidates = candidatesOf(view, options);
  const byId = new Map(candidates.map((one) => [one.id, one]));
  const ids = inOrder([...byId.keys()], arrangement);
  const all = ids.flatMap((id) => byId.get(id) ?? []);
  const isHidden = ({ id }: Candidate): boolean => arrangement.hidden.includes(id);
  const hasText = laneFilter(view, arrangement.filter);
  const shown = all.filter((one) => !isHidden(one) && hasText(one));
  const groups = groupsOf(all, shown);
  const placed = arrangements(shown, arrangement, options).reduce<ReturnType<typeof placeAll> | null>((found, one) => {
    const fits = found !== null && found.height <= options.height;
    return fits ? found : placeAll(plan(shown, one), groups, options);
  }, null);
  const laidOut = placed ?? placeAll([], groups, options);
  return { ...laidOut, hidden: all.filter(isHidden), groups, order: ids };
}

/** Returns the arrangement, and replacements to try if not all lanes fit. */
function arrangements(shown: readonly Candidate[], own: Arrangement, options: TrackOptions): readonly Arrangement[] {
  if (options.keepsCompute !== true) return [own];
  const compute = shown.filter(({ isCompute }) => isCompute).map(({ id }) => id);
  const pinned = withIds(own, 'pinned', compute, true);
  return options.compact === true ? [pinned, withIds(pinned, 'folded', ['host'], true)] : [pinned];
}

/** Returns true if two layouts have the same names at the same places, and so the same actions. */
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

/** Puts pinned lanes first; the lanes of a folded group stand where the first of them does. */
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

/** Returns the scale of lanes relative to natural that uses the available space without looking inflated. */
function growth(plans: readonly Plan[], { height, compact = false }: TrackOptions): { scale: number; rest: number } {
  const full = plans.flatMap(({ members, as }) => (as === 'full' ? members : []));
  const strips = sum(
    plans.map(({ members, as }) => (as === 'full' ? 0 : members.length * stripHeight(as, members.length))),
  );
  const natural = sum(full.map((one) => one.heightAt(1)));
  const [least, most] = compact ? [0.7, 2.3] : [1, 2];
  const scale = natural === 0 ? 1 : Math.min(Math.max((height - strips) / natural, least), most);
  // Curves gain more from height than bars, so they take what lanes leave, up to a limit.
  const curves = full.filter(({ takesRest }) => takesRest);
  const lanes = sum(full.map((one) => (one.takesRest ? 0 : one.heightAt(scale))));
  const spare = (height - strips - lanes) / Math.max(curves.length, 1);
  return { scale, rest: Math.round(Math.min(Math.max(spare, bandwidthHeight), 3 * bandwidthHeight)) };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
