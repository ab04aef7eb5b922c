/**
 * Parts of a step: each moment belongs to one. A running kernel comes first, then communication, then a copy, then host
 * activity. So copies count only while no kernel runs, and host activity only while the device is idle.
 */
import { readableName } from '../explain/figures/kernelName.ts';
import { rowDirection, rowKind } from '../trace/iteration.ts';
import { isHostMemory, memoryKinds, type RowIndex, type Trace } from '../trace/trace.ts';
import { isCommunication } from './classes.ts';

export const stepParts = [
  'kernels',
  'communication',
  'exposed-copy-pageable',
  'exposed-copy-pinned',
  'exposed-copy-device',
  'loading-data',
  'host-operators',
  'issuing',
  'waiting',
  'allocation',
  'initialisation',
  'own-host-work',
  'gaps',
] as const;
export type StepPart = (typeof stepParts)[number];

/** If several apply at one moment, the first counts: one thread's work comes before another thread's wait. */
const precedence: readonly StepPart[] = [
  'initialisation',
  'kernels',
  'communication',
  'exposed-copy-pageable',
  'exposed-copy-pinned',
  'exposed-copy-device',
  'allocation',
  'loading-data',
  'host-operators',
  'issuing',
  'waiting',
  'own-host-work',
  'gaps',
];

export const partWords: Readonly<Record<StepPart, string>> = {
  kernels: 'kernels',
  communication: 'communication between devices that no kernel overlaps',
  'exposed-copy-pageable': 'copies of pageable memory that no kernel overlaps',
  'exposed-copy-pinned': 'copies of page-locked memory that no kernel overlaps',
  'exposed-copy-device': 'copies within the device that no kernel overlaps',
  'loading-data': 'the host loading data, the device idle',
  'host-operators': 'operators on the host, the device idle',
  issuing: 'the host issuing work, the device idle',
  waiting: 'the host in waiting calls, the device idle',
  allocation: 'allocating and freeing memory, the device idle',
  initialisation: 'initialisation',
  'own-host-work': "the program's own host work, the device idle",
  gaps: 'gaps',
};

export interface NamedTime {
  readonly name: string;
  readonly ns: number;
}

export interface PartTime {
  readonly part: StepPart;
  /** Its name in words. */
  readonly title: string;
  readonly ns: number;
  /** Share of the step. */
  readonly share: number;
  /** Largest contributions, at most three. */
  readonly names: readonly NamedTime[];
}

/** A span of host time. */
export interface HostSpan {
  readonly startNs: number;
  readonly endNs: number;
  /** Null if it only names the activity of another span. */
  readonly part: StepPart | null;
  /** Name of the innermost activity; empty if nothing was recorded. */
  readonly name?: string;
}

/** Limit of names; more are less useful. */
const mostNames = 3;

interface Edge {
  readonly ns: number;
  /** Index into precedence; a higher number for spans that only give names. */
  readonly at: number;
  readonly by: 1 | -1;
  readonly name: string;
}

/** Splits the time from `fromNs` to `toNs`. The parts add up to it, minus initialisation, which no step repeats. */
export function splitTime(
  trace: Trace,
  rows: readonly RowIndex[],
  host: readonly HostSpan[],
  fromNs: number,
  toNs: number,
): PartTime[] {
  const edges: Edge[] = [];
  const add = (startNs: number, endNs: number, part: StepPart | null, name: string): void => {
    const [start, end] = [Math.max(fromNs, startNs), Math.min(toNs, endNs)];
    if (!(end > start)) return;
    const at = part === null ? precedence.length : precedence.indexOf(part);
    edges.push({ ns: start, at, by: 1, name }, { ns: end, at, by: -1, name });
  };
  const partOf = devicePartOf(trace);
  for (const row of rows) {
    const start = trace.columns.startNs[row] ?? 0;
    const name = readableName(trace.names[trace.columns.name[row] ?? -1] ?? '');
    add(start, start + (trace.columns.durationNs[row] ?? 0), partOf(row), name);
  }
  for (const { startNs, endNs, part, name = '' } of host) add(startNs, endNs, part, name);
  return timesOf(sweep(edges, fromNs, toNs));
}

/** Time of each part by name. */
type Spent = ReadonlyMap<StepPart, ReadonlyMap<string, number>>;

function sweep(edges: Edge[], fromNs: number, toNs: number): Spent {
  edges.sort((a, b) => a.ns - b.ns);
  const active = Array.from({ length: precedence.length + 1 }, () => new Map<string, number>());
  const spent = new Map<StepPart, Map<string, number>>();
  let at = fromNs;
  const firstOf = (index: number): string => {
    for (const name of active[index]?.keys() ?? []) if (name !== '') return name;
    return '';
  };
  const spend = (untilNs: number): void => {
    const first = active.findIndex((names, index) => index < precedence.length && names.size > 0);
    const part = precedence[first] ?? 'gaps';
    const name = firstOf(first) || (onHost.has(part) ? firstOf(precedence.length) : '');
    const times = spent.get(part) ?? new Map<string, number>();
    spent.set(part, times.set(name, (times.get(name) ?? 0) + untilNs - at));
    at = untilNs;
  };
  for (const { ns, at: index, by, name } of edges) {
    if (ns > at) spend(ns);
    const names = active[index] as Map<string, number>;
    const count = (names.get(name) ?? 0) + by;
    if (count === 0) names.delete(name);
    else names.set(name, count);
  }
  if (toNs > at) spend(toNs);
  return spent;
}

/** Parts for which a span may provide the name. */
const onHost: ReadonlySet<StepPart> = new Set(['issuing', 'own-host-work']);

function timesOf(spent: Spent): PartTime[] {
  const nsOf = (part: StepPart): number => [...(spent.get(part)?.values() ?? [])].reduce((sum, ns) => sum + ns, 0);
  const told = stepParts.filter((part) => part !== 'initialisation');
  const total = told.reduce((sum, part) => sum + nsOf(part), 0);
  return stepParts.map((part) => {
    const ns = part === 'initialisation' ? 0 : nsOf(part);
    const share = total > 0 ? ns / total : 0;
    return { part, title: partWords[part], ns, share, names: ns > 0 ? namesOf(spent.get(part)) : [] };
  });
}

export function namesOf(times: ReadonlyMap<string, number> = new Map()): NamedTime[] {
  const named = [...times].filter(([name, ns]) => name !== '' && ns > 0).sort((a, b) => b[1] - a[1]);
  return named.slice(0, mostNames).map(([name, ns]) => ({ name, ns }));
}

/** Returns a function that caches, per name, whether it is communication. */
function devicePartOf(trace: Trace): (row: RowIndex) => StepPart {
  const communicates = new Map<number, boolean>();
  return (row) => {
    if (rowKind(trace, row) === 'copy') return copyPart(trace, row);
    const name = trace.columns.name[row] ?? -1;
    const known = communicates.get(name) ?? isCommunication(trace.names[name] ?? '');
    communicates.set(name, known);
    return known ? 'communication' : 'kernels';
  };
}

function copyPart(trace: Trace, row: RowIndex): StepPart {
  const direction = rowDirection(trace, row);
  if (direction !== 'h2d' && direction !== 'd2h') return 'exposed-copy-device';
  const { srcMemory, dstMemory } = trace.columns;
  const host = memoryKinds[(direction === 'h2d' ? srcMemory[row] : dstMemory[row]) ?? 0] ?? 'unknown';
  return isHostMemory(host) && host !== 'pageable' ? 'exposed-copy-pinned' : 'exposed-copy-pageable';
}
