/** The profiler's cost in host time, which is removed so that predictions are for the program without it. */
import { groupBy } from '../groupBy.ts';
import { lowerMedian, median } from '../statistics.ts';
import type { ImportedFrom, RunInfo } from '../trace/run.ts';
import { type Item, mapItems, type Recorded, type Script, type WorkItem } from './script.ts';

/** Nanoseconds that each recorded event adds to its thread. */
export interface ProfilerCost {
  readonly operatorNs: number;
  readonly frameNs: number;
  /** For a CUDA call that issues no work: hardly any of it is the program's own time. */
  readonly trivialCallNs: number;
  readonly launchNs: number;
  readonly copyNs: number;
  readonly otherCallNs: number;
  /** Recorded duration of a kernel launch on the hosts where the costs were measured; undefined if not measured. */
  readonly recordedLaunchNs?: number;
}

/**
 * torch.profiler with CUPTI. A frame is a call and its return. With 1.1 us each, the steps of four host-bound programs
 * with stacks are predicted 7 % longer to 0.1 % shorter than measured without the profiler (PyTorch 2.11, H200).
 */
export const torchProfiler: ProfilerCost = {
  operatorNs: 1400,
  frameNs: 1100,
  trivialCallNs: 1400,
  launchNs: 3500,
  copyNs: 3500,
  otherCallNs: 1400,
  recordedLaunchNs: 5900,
};

/**
 * Nsight Systems. It records calls through CUPTI like torch.profiler, so a call is assumed to cost the same. The cost
 * of an NVTX range is unknown, so nothing is removed for it.
 */
const nsightSystems: ProfilerCost = { ...torchProfiler, operatorNs: 0, frameNs: 0 };

/**
 * copyscope record: callbacks surround the recorded calls, CUPTI takes a record of each kernel on the launching thread,
 * and a frame is a whole stack, taken before its call. Measured on one H200 (PyTorch 2.11, CUPTI 13.0) by
 * bench/gpu/record_cost.py, as the extra time of single calls in loops: a launch 1.2 us, a copy 1.3 us without its
 * stack, an event's record or a stream's wait for one 0.5 to 0.9 us, a wait with nothing to wait for 0.5 us, an NVTX
 * range 0.16 us. A stack took 0.2 to 1.0 us in ten programs, with a median of 0.4 us.
 */
const copyscopeRecord: ProfilerCost = {
  operatorNs: 160,
  frameNs: 400,
  trivialCallNs: 480,
  launchNs: 1200,
  copyNs: 1300,
  otherCallNs: 600,
};

const costOf: Readonly<Record<ImportedFrom['format'], ProfilerCost>> = {
  'pytorch-profiler': torchProfiler,
  'nsight-systems': nsightSystems,
  'copyscope-record': copyscopeRecord,
};

/** Returns the cost of a trace's recorder. */
export const profilerOf = ({ imported }: Pick<RunInfo, 'imported'>): ProfilerCost =>
  imported === undefined ? torchProfiler : costOf[imported.format];

/** Returns the step without the recorder, if the recording has timed steps with and without it. */
export function plainStepNs({ imported }: Pick<RunInfo, 'imported'>, stepNs: number): number | undefined {
  const times = imported?.stepTimes;
  return times === undefined ? undefined : stepNs * Math.min(1, times.plainNs / times.recordedNs);
}

export const scaledCost = (cost: ProfilerCost, by: number): ProfilerCost => ({
  operatorNs: cost.operatorNs * by,
  frameNs: cost.frameNs * by,
  trivialCallNs: cost.trivialCallNs * by,
  launchNs: cost.launchNs * by,
  copyNs: cost.copyNs * by,
  otherCallNs: cost.otherCallNs * by,
});

/** With fewer launches the host's rate is unknown. */
const fewestLaunches = 8;
/** Limits, because launches that wait for a full queue take longer, and hosts don't differ more than this. */
const [leastRate, mostRate] = [0.6, 1.8];

/**
 * Returns how many times slower the host was than those on which the recorder's cost was measured, from the time of a
 * recorded launch: program and recorder run on one host.
 */
export function hostRate({ steps }: Script, { recordedLaunchNs }: ProfilerCost): number {
  const calls = steps.flatMap(({ items }) =>
    items.flatMap((item) => (item.kind === 'launch' && item.nodes === 1 && item.callNs > 0 ? [item.callNs] : [])),
  );
  if (recordedLaunchNs === undefined || calls.length < fewestLaunches) return 1;
  return Math.min(mostRate, Math.max(leastRate, median(calls) / recordedLaunchNs));
}

/** Smallest share of a recorded time that remains, because no call or work is free. */
const leastPart = 0.2;

export function withoutProfiler(script: Script, cost: ProfilerCost): Script {
  return mapItems(script, (items) => items.map((item) => lighter(item, cost)));
}

function lighter(item: Item, cost: ProfilerCost): Item {
  switch (item.kind) {
    case 'work':
      return { ...item, ns: less(item.ns, addedNs(item.recorded, cost)) };
    case 'launch':
      return { ...item, callNs: less(item.callNs, cost.launchNs) };
    case 'copy':
      return { ...item, callNs: less(item.callNs, cost.copyNs) };
    case 'record':
    case 'wait':
    case 'sync':
      return { ...item, callNs: less(item.callNs, cost.otherCallNs) };
    default:
      return item;
  }
}

const addedNs = ({ operators, calls, frames }: Recorded, cost: ProfilerCost): number =>
  operators * cost.operatorNs + calls * cost.trivialCallNs + frames * cost.frameNs;

const less = (ns: number, by: number): number => Math.max(leastPart * ns, ns - by);

/**
 * Largest share of the steps that interruptions take. Longer ones are no accidents: a thread that waits for the
 * interpreter's lock does so at another place in each step.
 */
const mostInterrupted = 0.1;

/**
 * Returns the script without interruptions: in steps that are alike, a span that is the program's own work in fewer
 * than half of them gets its time in the others.
 */
export function uninterrupted(script: Script): Script {
  const alike = groupBy(script.steps, ({ items }) => items.map(({ kind }) => kind).join());
  const usual = new Map<Item, Item>();
  for (const group of alike.values()) {
    for (const place of (group[0]?.items ?? []).keys()) noteUsual(usual, group, place);
  }
  const hostNs = (items: Iterable<Item>): number =>
    [...items].reduce((sum, item) => sum + ('ns' in item ? item.ns : 'callNs' in item ? item.callNs : 0), 0);
  const savedNs = hostNs(usual.keys()) - hostNs(usual.values());
  if (usual.size === 0 || savedNs > mostInterrupted * hostNs(script.steps.flatMap(({ items }) => items))) return script;
  return mapItems(script, (items) => items.map((item) => usual.get(item) ?? item));
}

function noteUsual(usual: Map<Item, Item>, group: Script['steps'], place: number): void {
  if (group[0]?.items[place]?.kind !== 'work') return;
  const work = group.map(({ items }) => items[place]).filter((item): item is WorkItem => item?.kind === 'work');
  const own = work.filter(({ isOwn }) => isOwn);
  if (own.length === 0 || 2 * own.length >= work.length) return;
  const others = work.filter(({ isOwn }) => !isOwn);
  const ns = lowerMedian(others.map((item) => item.ns));
  for (const item of own) usual.set(item, { ...item, ns: Math.min(item.ns, ns), isOwn: false, part: 'issuing' });
}
