/** What a profiler adds to the host's time, taken off so that predictions are of the program without it. */
import { groupBy } from '../groupBy.ts';
import { lowerMedian, median } from '../statistics.ts';
import type { ImportedFrom, RunInfo } from '../trace/run.ts';
import { type Item, mapItems, type Recorded, type Script, type WorkItem } from './script.ts';

/** Nanoseconds that each recorded thing adds to the thread that does it. */
export interface ProfilerCost {
  readonly operatorNs: number;
  readonly frameNs: number;
  /** A CUDA call that gives the device nothing to do: next to nothing of it is the program's. */
  readonly trivialCallNs: number;
  readonly launchNs: number;
  readonly copyNs: number;
  readonly otherCallNs: number;
  /** Recorded duration of a kernel launch on hosts on which the above was measured; not measured if left out. */
  readonly recordedLaunchNs?: number;
}

/**
 * torch.profiler with CUPTI. A frame is a call and its return: with 1.1 us each, the steps of four programs with stacks that
 * the host holds come out 7 % longer to 0.1 % shorter than they were measured without the profiler (PyTorch 2.11, H200).
 */
const torchProfiler: ProfilerCost = {
  operatorNs: 1400,
  frameNs: 1100,
  trivialCallNs: 1400,
  launchNs: 3500,
  copyNs: 3500,
  otherCallNs: 1400,
  recordedLaunchNs: 5900,
};

/**
 * Nsight Systems. It records calls through CUPTI as torch.profiler does, and what that adds to a call is taken to be the
 * same; what it adds to a range of NVTX is not known, and nothing is taken off for it.
 */
const nsightSystems: ProfilerCost = { ...torchProfiler, operatorNs: 0, frameNs: 0 };

/**
 * copyscope record: callbacks stand around the calls that it records, CUPTI takes a record of each kernel on the launching
 * thread, and a frame is a whole stack, taken before the call that it is of. Measured on one H200 (PyTorch 2.11, CUPTI 13.0)
 * by bench/gpu/record_cost.py, as what single calls in loops take longer while they are recorded: a launch 1.2 us, a copy
 * 1.3 us without its stack, an event's record or a stream's wait for one 0.5 to 0.9 us, a wait with nothing to wait for
 * 0.5 us, a range of NVTX 0.16 us. A stack took 0.2 to 1.0 us in ten programs, and 0.4 us in the middle.
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

/** What a trace's recorder adds. */
export const profilerOf = ({ imported }: Pick<RunInfo, 'imported'>): ProfilerCost =>
  imported === undefined ? torchProfiler : costOf[imported.format];

/** What a step of `stepNs` takes without the recorder, where the recording has timed steps with and without it. */
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

/** Fewer launches don't tell the host's rate. */
const fewestLaunches = 8;
/** Launches that wait for a full queue take longer, and hosts are not that much slower or faster. */
const [leastRate, mostRate] = [0.6, 1.8];

/**
 * How many times slower the host was than those on which the recorder's cost was measured. Program and recorder run on one
 * host, and what a launch takes while it is recorded tells of both.
 */
export function hostRate({ steps }: Script, { recordedLaunchNs }: ProfilerCost): number {
  const calls = steps.flatMap(({ items }) =>
    items.flatMap((item) => (item.kind === 'launch' && item.nodes === 1 && item.callNs > 0 ? [item.callNs] : [])),
  );
  if (recordedLaunchNs === undefined || calls.length < fewestLaunches) return 1;
  return Math.min(mostRate, Math.max(leastRate, median(calls) / recordedLaunchNs));
}

/** A part of what was recorded stays in any case: no call and no stretch of work costs nothing. */
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
 * The script without interruptions: stretches that count as the program's own in fewer than half of the steps, of steps that
 * are alike, take what they take in the others.
 */
export function uninterrupted(script: Script): Script {
  const alike = groupBy(script.steps, ({ items }) => items.map(({ kind }) => kind).join());
  const usual = new Map<Item, Item>();
  for (const group of alike.values()) {
    for (const place of (group[0]?.items ?? []).keys()) noteUsual(usual, group, place);
  }
  return usual.size === 0 ? script : mapItems(script, (items) => items.map((item) => usual.get(item) ?? item));
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
