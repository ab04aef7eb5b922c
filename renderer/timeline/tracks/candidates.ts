/** The lanes, links, queues and memory that a timeline can show of a run, their heights, and their gutter texts. */
import type { LaneCounter } from '../../../core/explain/figures/laneCounters.ts';
import type { Counter } from '../../../core/trace/counter.ts';
import type { LaneIndex } from '../../../core/trace/laneIndex.ts';
import type { Lane, LaneKind } from '../../../core/trace/trace.ts';
import { formatBytes, formatRate } from '../../../core/units.ts';
import type { Link } from '../../store/opened/bandwidth.ts';
import type { IterationView } from '../../store/opened/loadedRun.ts';
import type { Named, Place, Track } from './tracks.ts';

/** Space above and below the content. */
export const padding = 4;
export const bandwidthHeight = 46;
const markHeight = 10;
const counterHeight = 30;
const order: readonly LaneKind[] = ['host-thread', 'stream', 'copy-engine', 'compute'];
const details: Readonly<Record<LaneKind, string>> = {
  'host-thread': 'host thread',
  stream: 'stream',
  'copy-engine': 'copy engine',
  compute: 'kernels',
};

/** Lanes of one kind, which fold together. */
export interface LaneGroup {
  readonly id: string;
  readonly name: string;
}

/** A lane that can be shown. */
export interface Candidate extends Named {
  readonly group: LaneGroup;
  /** Returns its height at a scale relative to natural. */
  readonly heightAt: (scale: number) => number;
  /** True if it takes the space that others leave. */
  readonly takesRest: boolean;
  /** True for the lane of kernels. */
  readonly isCompute: boolean;
  place(place: Place, as: 'full' | 'strip', scale: number): Track;
}

export interface CandidateOptions {
  /** Leaves out streams, bandwidth and counters, for comparisons. */
  readonly compact?: boolean;
  /** Maximum rate of this run's copies; null without a profile. */
  readonly attainable?: Readonly<Record<'h2d' | 'd2h', number | null>>;
  /** Returns the link's maximum rate in one direction, or null without a profile. */
  readonly linkLimit?: (direction: 'h2d' | 'd2h') => number | null;
}

/** Returns the candidates in their natural order. */
export function candidatesOf(
  view: IterationView,
  { compact = false, attainable, linkLimit = noLimit }: CandidateOptions,
): Candidate[] {
  const lanes = laneCandidates(view, compact);
  if (compact) return lanes;
  const all = [
    ...lanes,
    ...view.links.map((link) => linkCandidate(link, attainable?.[link.direction] ?? null, linkLimit(link.direction))),
    ...view.counters.map(({ of, counter }) => counterCandidate(view, of, counter)),
  ];
  return view.run.info.experiment === null ? devicesFirst(all) : all;
}

/** Puts devices first, since a real program's threads are as high as its calls are deep and would hide the devices. */
function devicesFirst(all: readonly Candidate[]): Candidate[] {
  const isThread = ({ group }: Candidate): boolean => group.id === 'host' || group.id.startsWith('host:');
  return [...all.filter((one) => !isThread(one)), ...all.filter(isThread)];
}

function laneCandidates(view: IterationView, compact: boolean): Candidate[] {
  const { lanes } = view.run.trace;
  const several: Several = {
    devices: new Set(lanes.flatMap(({ device }) => (device === '' ? [] : [device]))).size > 1,
    processes: new Set(lanes.flatMap((lane) => processOf(lane) ?? [])).size > 1,
  };
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

function laneCandidate(lane: Lane, number: number, index: LaneIndex, several: Several): Candidate {
  const depths = Math.max(index.depths, 1);
  const natural = depths === 1 ? 22 : 17;
  const marks = index.markDepths > 0 ? markHeight : 0;
  const named = { id: lane.id, name: lane.name, detail: details[lane.kind] };
  return {
    ...named,
    group: laneGroup(lane, several),
    heightAt: (scale) => depths * Math.round(natural * scale) + marks + 2 * padding,
    takesRest: false,
    isCompute: lane.kind === 'compute',
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

/** Kinds of track that a run has more than once. */
interface Several {
  readonly devices: boolean;
  readonly processes: boolean;
}

/** Returns the process of a trace's lane, if its id or its name gives it. */
function processOf({ kind, id, name }: Lane): string | null {
  if (kind === 'host-thread') return /^thread:(\d+):/.exec(id)?.[1] ?? null;
  return kind === 'stream' ? (/:p(\d+)(?:\.\d+)?$/.exec(id)?.[1] ?? /process (\d+)\)?$/.exec(name)?.[1] ?? null) : null;
}

function laneGroup(lane: Lane, several: Several): LaneGroup {
  const { kind, device } = lane;
  const process = several.processes ? processOf(lane) : null;
  const of = several.devices ? ` of ${device}` : '';
  if (kind === 'host-thread') {
    return process === null
      ? { id: 'host', name: 'Host threads' }
      : { id: `host:${process}`, name: `Threads of process ${process}` };
  }
  if (kind !== 'stream') return { id: `engines:${device}`, name: `Engines${of}` };
  return process === null
    ? { id: `streams:${device}`, name: `Streams${of}` }
    : { id: `streams:${device}:${process}`, name: `Streams${of}, process ${process}` };
}

const noLimit = (): null => null;

function linkCandidate(
  { direction, device, bandwidth }: Link,
  attainable: number | null,
  limit: number | null,
): Candidate {
  const named = {
    id: device === null ? `link:${direction}` : `link:${direction}:${device}`,
    name: `${direction.toUpperCase()} link${device === null ? '' : ` ${device}`}`,
    detail: linkDetail(bandwidth.peak, attainable, limit),
  };
  return {
    ...named,
    group: { id: 'links', name: 'Links' },
    heightAt: () => bandwidthHeight,
    takesRest: true,
    isCompute: false,
    place: (place) => ({ kind: 'bandwidth', ...named, ...place, direction, bandwidth, attainable, limit }),
  };
}

/** Returns "13.5 GB/s attainable here, of 55.4 GB/s" with the axis' limit last, unless the run exceeds the profile. */
function linkDetail(peak: number, attainable: number | null, limit: number | null): string {
  if (attainable === null) return limit === null ? 'bandwidth' : `axis to ${formatRate(limit)}`;
  const [reached, known] = [formatRate(peak), formatRate(attainable)];
  if (peak > attainable && reached !== known) return `${reached} reached, ${known} by the profile`;
  const isLess = limit !== null && attainable < 0.98 * limit;
  return isLess ? `${known} attainable here, of ${formatRate(limit)}` : `${known} attainable at these sizes`;
}

function counterCandidate(view: IterationView, of: LaneCounter, counter: Counter): Candidate {
  const named = counterName(view, of, counter.peak);
  return {
    ...named,
    group: of.kind === 'queue' ? { id: 'queues', name: 'Queues' } : { id: 'memory', name: 'Memory' },
    heightAt: (scale) => Math.round(counterHeight * scale),
    takesRest: false,
    isCompute: false,
    place: (place) => ({ kind: 'counter', ...named, ...place, of, counter }),
  };
}

function counterName({ run }: IterationView, of: LaneCounter, peak: number): Named {
  if (of.kind === 'memory') {
    const { id, name } = of;
    return { id, name, detail: `most ${formatBytes(peak)}` };
  }
  const lane = run.trace.lanes[of.lane];
  return { id: `queue:${lane?.id ?? ''}`, name: `${lane?.name ?? ''} queue`, detail: `depth, most ${peak}` };
}
