/** Lifts a trace: the program's calls, step by step, with the activities of each call. */
import { CopyscopeError, type ErrorInfo } from '../errors.ts';
import { maxBufferBytes, maxDurationNs } from '../experiment/resources.ts';
import { groupBy } from '../groupBy.ts';
import { countWithin, lowerBound } from '../lowerBound.ts';
import { lowerMedian } from '../statistics.ts';
import { coveredLength, union } from '../trace/intervals.ts';
import { rowDevice, rowDirection, rowKind } from '../trace/iteration.ts';
import { rowEndNs } from '../trace/rows.ts';
import { memoryKinds, type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';
import { formatBytes, formatDuration } from '../units.ts';
import type { Call, Calls } from './calls.ts';
import { isCommunication, waitsForWorkers } from './classes.ts';
import { CopySpans, type SpanOfCopy } from './copySpans.ts';
import { deviceOf } from './devices.ts';
import { eventPairs } from './events.ts';
import { HostActivity, leastOwnNs, longInsideNs } from './hostActivity.ts';
import { type HostLine, hostLine } from './hostLine.ts';
import { Initialisation } from './initialisation.ts';
import { slackNs } from './likelyRecord.ts';
import { type HostSpan, type NamedTime, type PartTime, splitTime } from './parts.ts';
import { HostRanges } from './ranges.ts';
import {
  type CopyItem,
  type Item,
  isPageable,
  type LaunchItem,
  nothingRan,
  type Ran,
  type RecordItem,
  type Script,
  type SyncItem,
  type WorkItem,
} from './script.ts';
import { endsAtItsMark, type FoundSteps, findSteps, isAfterGap } from './steps.ts';
import { EndedWork, lastToEnd, type StreamOrder, streamOrder } from './streamOrder.ts';

export interface Lifted {
  readonly script: Script;
  /** Steps that were lifted. */
  readonly found: FoundSteps;
  /** Number of steps in the trace. */
  readonly stepsFound: number;
  /** Duration of each step: from the end of the one before, or its begin, until host and device have finished it. */
  readonly recordedNs: readonly number[];
  /** Parts of the step with the median duration. */
  readonly parts: readonly PartTime[];
  /** Time of that step's kernels on the busiest device, without communication. */
  readonly busiestNs: number;
  /** Null unless some steps take much longer than most. */
  readonly long: LongSteps | null;
  /** Initialisation in the whole trace; left out of all steps. */
  readonly initialisation: { readonly ns: number; readonly names: readonly NamedTime[] };
}

/** Steps that are much longer than most, such as those with an evaluation, a new epoch or a garbage collection. */
export interface LongSteps {
  readonly count: number;
  /** Number of all steps, without the first. */
  readonly of: number;
  readonly longestNs: number;
  readonly typicalNs: number;
  readonly averageNs: number;
  /** Share of all time that the long steps take beyond typical ones. */
  readonly share: number;
  /** Part that is most longer in the longest step, and by how much. */
  readonly part: PartTime;
  readonly moreNs: number;
}

export interface LiftOptions {
  /** First and last step, counted from 1. Default: all, or the middle ones of many. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Why the trace breaks off, if it does: the rest may have what it lacks. */
  readonly error?: ErrorInfo | undefined;
}

/** Number of steps that show as much as more would. */
const mostSteps = 4;

/** Limit over all lifted steps, because each change is simulated, which takes seconds for this many. */
const mostCalls = 20_000;

/** Limit of the framework's own time in an operator that only issues work. */
const mostIssuingNs = 5000;

/** A step is long from this many typical ones on. */
const longFrom = 1.5;
/** Fewer steps don't show which are usual. */
const fewestCompared = 5;
/** Smallest share of all time beyond typical steps that counts. */
const leastLong = 0.1;

/**
 * A framework may run for less than this between operators without a record, as an optimizer does. After a value has
 * come to the host, the program works on it: without such work the next operator came within 90 us (20 programs, H200).
 */
const leastSilentNs = 500_000;

const isItsOwn = (most: Ran | undefined, ns: number): boolean =>
  most !== undefined && most.part === 'issuing' && most.ns >= Math.max(longInsideNs, ns / 2);

/** Calls that free device memory, and wait for the device first. */
const freeing = /^(cuda|cu|hip)(Free|MemFree(_v2)?)$/;

/** A copy that nothing delays begins within this time after its call, or after the work before it. */
const mostStartNs = 50_000;

const kernelCode = rowKinds.indexOf('kernel');

/** Throws `lift.no-host-calls` or similar if the trace lacks what a replay needs. */
export function liftTrace(trace: Trace, name: string, options: LiftOptions = {}): Lifted {
  const line = hostLine(trace);
  requireCalls(trace, line, options.error);
  const all = findSteps(trace, line);
  const lifted = liftSteps(trace, line, name, all, options);
  return isAsked(options) ? lifted : { ...lifted, long: longSteps(all, lifted, longest) };

  function longest(step: number): readonly PartTime[] {
    return liftSteps(trace, line, name, all, { from: step, to: step }).parts;
  }
}

const isAsked = ({ from, to }: LiftOptions): boolean => from !== undefined || to !== undefined;

/**
 * Compares all steps but the first, which fills queues and often allocates, with the one that is described. `partsOf`
 * returns the parts of a step, counted from 1.
 */
function longSteps(
  all: FoundSteps,
  { parts, recordedNs }: Lifted,
  partsOf: (step: number) => readonly PartTime[],
): LongSteps | null {
  const ranges = endsAtItsMark(all.ranges) ? all.ranges.slice(0, -1) : all.ranges;
  const times = ranges.map(({ startNs, untilNs, endNs }) => Math.max(untilNs, endNs) - startNs).slice(1);
  if (times.length < fewestCompared) return null;
  const typicalNs = lowerMedian(recordedNs);
  const long = times.filter((ns) => ns > longFrom * typicalNs);
  const totalNs = times.reduce((sum, ns) => sum + ns, 0);
  const beyondNs = long.reduce((sum, ns) => sum + ns - typicalNs, 0);
  if (beyondNs < leastLong * totalNs || totalNs > maxDurationNs) return null;
  const longestNs = Math.max(...long);
  const usual = new Map(parts.map(({ part, ns }) => [part, ns]));
  const more = partsOf(times.indexOf(longestNs) + 2)
    .map((part) => ({ part, moreNs: part.ns - (usual.get(part.part) ?? 0) }))
    .sort((a, b) => b.moreNs - a.moreNs)[0];
  return more === undefined || !(more.moreNs > 0)
    ? null
    : {
        count: long.length,
        of: times.length,
        longestNs,
        typicalNs,
        averageNs: totalNs / times.length,
        share: beyondNs / totalNs,
        ...more,
      };
}

function liftSteps(trace: Trace, line: HostLine, name: string, all: FoundSteps, options: LiftOptions): Lifted {
  const found = withFewCalls(chosenSteps(all, options), line);
  const bounds = stepBounds(found, line);
  const ends = stepEnds(trace, line, found, bounds);
  const initialisation = new Initialisation(trace, line);
  const during = {
    fromNs: Math.min(ends[0]?.fromNs ?? 0, found.ranges[0]?.startNs ?? 0),
    toNs: Math.max(ends.at(-1)?.toNs ?? 0, found.ranges.at(-1)?.untilNs ?? 0),
  };
  const marks = new Set(found.ranges.map(({ name }) => name));
  const activity = new HostActivity(trace, line, initialisation, { ...during, marks });
  const ranges = new HostRanges(trace, line, during);
  const builder = new ScriptBuilder(trace, line, bounds, { activity, initialisation, ranges });
  const withoutRecords = bounds.map(({ from, to, untilNs }, index) => ({
    name: found.ranges[index]?.name ?? `step ${index + 1}`,
    items: builder.items(index, from, to, found.ranges[index]?.startNs ?? 0, untilNs),
  }));
  const steps = withoutRecords.map(({ name, items }) => ({ name, items: builder.withRecords(items) }));
  const inferred = [...builder.inferred, ...othersNotes(line)];
  const recordedNs = ends.map(({ fromNs, toNs }) => toNs - fromNs - initialisation.nsWithin(fromNs, toNs));
  requireShortSteps(found, recordedNs);
  const typical = ends[recordedNs.indexOf(lowerMedian(recordedNs))] ?? { fromNs: 0, toNs: 0 };
  const rows = deviceRows(trace, line, typical);
  return {
    script: { name, steps, helper: null, inTurn: builder.inTurn, inferred: [`Steps: ${found.rule}.`, ...inferred] },
    found,
    stepsFound: all.ranges.length,
    recordedNs,
    parts: splitTime(
      trace,
      rows,
      [
        ...initialisation.spans(),
        ...builder.spans,
        ...activity.spans(typical.fromNs, typical.toNs, (ns) => builder.isOwn(ns)),
      ],
      typical.fromNs,
      typical.toNs,
    ),
    busiestNs: busiestNs(trace, rows, typical),
    long: null,
    initialisation: { ns: initialisation.ns, names: initialisation.names },
  };
}

/** Returns everything that the device did in these streams in this time, also work that others issued. */
function deviceRows(
  trace: Trace,
  { device, streams }: HostLine,
  { fromNs, toNs }: { readonly fromNs: number; readonly toNs: number },
): RowIndex[] {
  const { startNs, lane } = trace.columns;
  const rows: RowIndex[] = [];
  for (const row of device) {
    if ((startNs[row] as number) >= toNs) break;
    if (rowEndNs(trace, row) > fromNs && streams.has(lane[row] as number)) rows.push(row);
  }
  return rows;
}

function busiestNs(
  trace: Trace,
  rows: readonly RowIndex[],
  { fromNs, toNs }: { readonly fromNs: number; readonly toNs: number },
): number {
  const { name, startNs } = trace.columns;
  const computes = trace.names.map((text) => !isCommunication(text));
  const kernels = rows.filter((row) => trace.columns.kind[row] === kernelCode && computes[name[row] ?? -1] === true);
  const times = [...groupBy(kernels, (row) => rowDevice(trace, row)).values()].map((own) =>
    coveredLength(
      union(
        own.map((row) => startNs[row] ?? 0),
        own.map((row) => rowEndNs(trace, row)),
      ),
      fromNs,
      toNs,
    ),
  );
  return Math.max(0, ...times);
}

const earlyNote = 'Work that was issued before the recording began is issued at the begin of the first step.';
const graphNote = 'A launch of a CUDA graph is one block, for as long as what it ran took in all.';
const orderNote =
  'Kernels of one stream that in every step began only after those of another had ended wait for them, though no event says so.';
const besideNote = 'Other host threads put work on the device at the same time; they are left out of the experiment.';

const othersNotes = ({ beside, process, processes }: HostLine): string[] => [
  ...(beside.length === 0 ? [] : [besideNote]),
  ...(processes === 1
    ? []
    : [
        `The trace has ${processes} processes that put work on a device: the steps are those of ${process}, which makes the most calls.`,
      ]),
];

function requireCalls(trace: Trace, { calls }: HostLine, error: ErrorInfo | undefined): void {
  if (calls.rows.some((_, place) => calls.firstActivity(place) >= 0)) return;
  const hasDevice = trace.lanes.some(({ kind }) => kind === 'stream');
  throw new CopyscopeError({
    code: 'lift.no-host-calls',
    message: hasDevice
      ? 'This trace does not say which host call issued which GPU work.'
      : 'This trace contains no GPU activity.',
    remedy: error?.remedy ?? 'Record it with the activities of both CPU and CUDA.',
  });
}

function chosenSteps(all: FoundSteps, options: LiftOptions): FoundSteps {
  const { from, to } = options;
  const found = !isAsked(options) && endsAtItsMark(all.ranges) ? withoutLast(all) : all;
  const { ranges } = found;
  const whole = isAsked(options) ? null : longestSpan(ranges);
  const first = whole?.first ?? from ?? 1;
  const last = whole?.last ?? to ?? ranges.length;
  if (!(first >= 1 && first <= last && last <= ranges.length)) {
    throw new CopyscopeError({
      code: 'lift.no-such-steps',
      field: '--steps',
      message: `steps ${first}..${last} were given, and the trace has ${ranges.length}.`,
      remedy: `Name steps from 1 to ${ranges.length}.`,
    });
  }
  const asked = ranges.slice(first - 1, last);
  const skip = Math.max(0, Math.floor((asked.length - mostSteps) / 2));
  return { ...found, ranges: asked.slice(skip, skip + mostSteps) };
}

const withoutLast = ({ ranges, rule, ...found }: FoundSteps): FoundSteps => ({
  ...found,
  ranges: ranges.slice(0, -1),
  rule: `${rule}; the last one is left out, since the trace doesn't show its end`,
});

/** Returns the longest sequence of steps without a pause, counted from 1; if several, the last, which is warm. */
function longestSpan(ranges: FoundSteps['ranges']): { readonly first: number; readonly last: number } {
  let best = { first: 1, last: 0 };
  let first = 1;
  for (let last = 1; last <= ranges.length; last += 1) {
    if (isAfterGap(ranges, last - 1)) first = last;
    if (last - first >= best.last - best.first) best = { first, last };
  }
  return best;
}

/** Takes fewer steps if they have more calls than the limit; if one step exceeds it, takes its middle. */
function withFewCalls(found: FoundSteps, line: HostLine): FoundSteps {
  for (let count = found.ranges.length; count >= 1; count -= 1) {
    const from = Math.floor((found.ranges.length - count) / 2);
    const fewer = { ...found, ranges: found.ranges.slice(from, from + count) };
    const bounds = stepBounds(fewer, line);
    const calls = (bounds.at(-1)?.to ?? 0) - (bounds[0]?.from ?? 0);
    if (calls <= mostCalls) return fewer;
    if (count === 1) return middleOf(fewer, (bounds[0]?.from ?? 0) + Math.floor((calls - mostCalls) / 2), line);
  }
  return found;
}

/** Returns the part of the only step that starts at call `first`. */
function middleOf({ ranges: [step], ...found }: FoundSteps, first: number, { calls }: HostLine): FoundSteps {
  const [startNs, endNs] = [calls.startNs(first), calls.startNs(first + mostCalls)];
  return {
    ...found,
    ranges: [{ name: step?.name ?? 'step', startNs, endNs, untilNs: endNs }],
    rule: `${found.rule}; ${mostCalls.toLocaleString('en')} calls in its middle are used`,
  };
}

/** The clock may have jumped in a damaged trace. */
function requireShortSteps({ ranges }: FoundSteps, recordedNs: readonly number[]): void {
  const long = recordedNs.findIndex((ns) => !(ns <= maxDurationNs));
  if (long < 0) return;
  throw new CopyscopeError({
    code: 'lift.step-too-long',
    message: `step ${long + 1} (${ranges[long]?.name ?? 'without a name'}) lasts ${formatDuration(recordedNs[long] ?? 0)}, and an experiment's step at most an hour.`,
    remedy: 'Lift other steps with --steps, or record the trace again: its clock may have jumped.',
  });
}

interface StepBounds {
  /** Calls [from, to). */
  readonly from: number;
  readonly to: number;
  readonly untilNs: number;
}

function stepBounds({ ranges }: FoundSteps, { calls }: HostLine): StepBounds[] {
  const at = (ns: number): number => lowerBound(0, calls.length, (i) => calls.startNs(i) < ns);
  return ranges.map(({ startNs, untilNs }) => ({ from: at(startNs), to: at(untilNs), untilNs }));
}

/** Returns each step's time: from the end of the one before (its own begin after a gap) until all is finished. */
function stepEnds(trace: Trace, { calls }: HostLine, { ranges }: FoundSteps, bounds: readonly StepBounds[]) {
  let fromNs = ranges[0]?.fromNs ?? ranges[0]?.startNs ?? 0;
  return bounds.map(({ from, to, untilNs }, index) => {
    if (isAfterGap(ranges, index)) fromNs = ranges[index]?.startNs ?? fromNs;
    let end = Math.max(fromNs, untilNs);
    for (let place = from; place < to; place += 1) {
      for (let row = calls.firstActivity(place); row >= 0; row = calls.nextActivity(row)) {
        end = Math.max(end, rowEndNs(trace, row));
      }
    }
    const step = { fromNs, toNs: end };
    fromNs = end;
    return step;
  });
}

class ScriptBuilder {
  readonly inferred: string[] = [];
  /** Lifted host activity. */
  readonly spans: HostSpan[] = [];
  readonly #trace: Trace;
  readonly #line: HostLine;
  readonly #activity: HostActivity;
  readonly #initialisation: Initialisation;
  readonly #ranges: HostRanges;
  readonly #waits: ReadonlyMap<number, { event: string; stream: string }>;
  readonly #records: ReadonlyMap<number, { event: string; stream: string }[]>;
  /** By row, 1 for a kernel that overlapped one of another stream. */
  readonly #shared: Uint8Array;
  readonly #programStreams: ReadonlySet<number>;
  readonly #order: StreamOrder;
  /** End of the latest work issued to each stream so far. */
  readonly #busyUntil = new Map<number, number>();
  readonly #devices = new BusyDevices();
  /** Whether work was issued since the last call that freed memory: the next one waits for it. */
  #hasIssued = false;
  readonly #ended: EndedWork;
  /** Item of each call, by its activity that ends last, for all calls so far. */
  readonly #issued = new Map<RowIndex, LaunchItem | CopyItem>();
  /** Activity that ends last in the last call of each stream. */
  readonly #last = new Map<string, RowIndex>();
  /** Events that the host waits for, by the item that they follow. */
  readonly #awaited = new Map<Item, RecordItem>();

  constructor(
    trace: Trace,
    line: HostLine,
    bounds: readonly StepBounds[],
    {
      activity,
      initialisation,
      ranges,
    }: { activity: HostActivity; initialisation: Initialisation; ranges: HostRanges },
  ) {
    this.#trace = trace;
    this.#line = line;
    this.#activity = activity;
    this.#initialisation = initialisation;
    this.#ranges = ranges;
    this.#shared = sharedRows(trace, line);
    this.#programStreams = programStreams(trace, line.calls);
    this.#ended = new EndedWork(trace, [...line.early, ...issuedIn(trace, line.calls, bounds)]);
    // One stream needs no further order.
    const ordered = line.streams.size < 2 ? [] : bounds;
    this.#order = streamOrder(trace, line.calls, ordered, (rows) => firstOfProgram(trace, rows, this.#programStreams));
    if (this.#order.before.size > 0) this.inferred.push(orderNote);
    const pairs = eventPairs(trace, line.calls, [...line.streams]);
    const waits = new Map<number, { event: string; stream: string }>();
    const records = new Map<number, { event: string; stream: string }[]>();
    pairs.forEach(({ record, wait, recorded, waiting }) => {
      const event = `e${record}-${recorded}`;
      waits.set(wait, { event, stream: this.#streamId(waiting) });
      const known = records.get(record) ?? [];
      if (!known.some((one) => one.event === event)) known.push({ event, stream: this.#streamId(recorded) });
      records.set(record, known);
    });
    this.#waits = waits;
    this.#records = records;
    if (pairs.some(({ isKnown }) => !isKnown)) {
      this.inferred.push(
        'Copyscope infers which stream waits for which event from the work around the calls, and when that ran.',
      );
    }
  }

  items(step: number, from: number, to: number, startNs: number, untilNs: number): Item[] {
    const calls = this.#line.calls.slice(from, to);
    const spans = this.#spans(calls);
    const items: Item[] = [];
    let atNs = startNs;
    let issued = -1;
    let copies = 0;
    if (step === 0) items.push(...this.#early(startNs, () => ({ id: calls.length + copies++, step })));
    copies = 0;
    calls.forEach((call, index) => {
      this.#work(items, spans, atNs, Math.max(atNs, call.startNs));
      const first = this.#firstOf(call);
      if (first !== undefined) issued = this.#trace.columns.lane[first] ?? -1;
      items.push(...this.#inOrder(call, from + index));
      const nextCopy = (): CopyPlace => {
        const id = copies++;
        const finds = spans.finds(id);
        return { id, step, ...(finds === undefined ? {} : { finds }) };
      };
      const made = this.#call(call, from + index, issued, spans, nextCopy);
      items.push(...made);
      this.#note(call, made.at(-1));
      atNs = Math.max(atNs, call.endNs);
    });
    this.#work(items, spans, atNs, Math.max(atNs, untilNs));
    return items;
  }

  /** Streams that wait for each other. */
  get inTurn(): Script['inTurn'] {
    return this.#order.inTurn.map((lanes) => lanes.map((lane) => this.#streamId(lane)));
  }

  #inOrder(call: Call, place: number): Item[] {
    const lane = this.#trace.columns.lane[this.#firstOf(call) ?? -1] ?? -1;
    return (this.#order.before.get(place) ?? []).flatMap((before): Item[] => {
      const event = `after-${place}-${before}`;
      return [
        { kind: 'record', event, stream: this.#streamId(before), callNs: 0 },
        { kind: 'wait', event, stream: this.#streamId(lane), callNs: 0 },
      ];
    });
  }

  /** Returns work that ran from this time on but was issued before the recording began: it waited in its stream. */
  #early(startNs: number, nextCopy: () => CopyPlace): Item[] {
    const { columns } = this.#trace;
    const ran = this.#line.early.filter((row) => (columns.startNs[row] ?? 0) >= startNs);
    if (ran.length > 0 && !this.inferred.includes(earlyNote)) this.inferred.push(earlyNote);
    return ran.map((row) => {
      const kind = rowKind(this.#trace, row) === 'copy' ? 'copy' : 'launch';
      const call: Call = { row, kind, name: this.#name(row), startNs, endNs: startNs, activities: [row] };
      const item = this.#isHostCopy(call) ? this.#copy(call, 0, '', nextCopy()) : this.#launch(call, 0);
      this.#note(call, item);
      return item;
    });
  }

  /** Returns the activity that shows the stream of the call. */
  #firstOf({ activities }: Pick<Call, 'activities'>): RowIndex | undefined {
    return firstOfProgram(this.#trace, activities, this.#programStreams);
  }

  #note(call: Call, item: Item | undefined): void {
    const { activities } = call;
    const last = lastToEnd(this.#trace, activities);
    if (last < 0 || (item?.kind !== 'launch' && item?.kind !== 'copy')) return;
    this.#hasIssued = true;
    const { lane } = this.#trace.columns;
    // Work after a graph in its stream waits for all of it.
    const first = this.#firstOf(call);
    const endNs = rowEndNs(this.#trace, last);
    for (const row of activities) {
      const at = lane[row] ?? -1;
      const untilNs = row === first ? endNs : rowEndNs(this.#trace, row);
      this.#busyUntil.set(at, Math.max(this.#busyUntil.get(at) ?? 0, untilNs));
      this.#devices.note(deviceOf(this.#streamId(at)), untilNs);
    }
    this.#issued.set(last, item);
    this.#last.set(item.stream, last);
  }

  /** Inserts the events that the host waits for, after all waits are known. */
  withRecords(items: readonly Item[]): Item[] {
    return items.flatMap((item) => {
      const record = this.#awaited.get(item);
      return record === undefined ? [item] : [item, record];
    });
  }

  /** Finds the framework calls of copies between host and device, with the copies' numbers; one may have several. */
  #spans(calls: readonly Call[]): CopySpans {
    const spans: SpanOfCopy[] = [];
    let copies = 0;
    let wasCopy = false;
    for (const call of calls) {
      if (this.#isHostCopy(call)) spans.push({ ...this.#ranges.copySpan(call), copy: copies++ });
      else if (call.activities.length === 0) continue;
      else if (wasCopy && copies > 1) {
        // A call that joins the copied tensors belongs to the last copy.
        const join = this.#ranges.joinSpan(call);
        if (join !== null) spans.push({ ...join, copy: copies - 1 });
      }
      wasCopy = this.#isHostCopy(call);
    }
    return new CopySpans(spans);
  }

  /** A copy in a graph is part of the graph. */
  #isHostCopy({ kind, activities: [row, another] }: Call): boolean {
    if (kind !== 'copy' || row === undefined || another !== undefined) return false;
    const direction = rowDirection(this.#trace, row);
    return direction === 'h2d' || direction === 'd2h';
  }

  /** Returns whether a moment lies in the program's own work. */
  isOwn(ns: number): boolean {
    const after = lowerBound(0, this.spans.length, (at) => (this.spans[at]?.startNs ?? 0) <= ns);
    const span = this.spans[after - 1];
    return span !== undefined && span.endNs > ns && span.part === 'own-host-work';
  }

  /** Adds host time between calls, split where a copy's framework call or a loader's range begins or ends. */
  #work(items: Item[], spans: CopySpans, fromNs: number, toNs: number): void {
    if (!(toNs > fromNs)) return;
    const cuts = this.#cutsBetween(fromNs, toNs);
    const edges = spans.edgesBetween(fromNs, toNs);
    const places = [fromNs, ...(cuts.length === 0 ? edges : [...edges, ...cuts].sort((a, b) => a - b)), toNs];
    const last = items.findLast((item) => item.kind !== 'work' && !(item.kind === 'sync' && item.frees === true));
    const hasRead = last?.kind === 'sync' || (last?.kind === 'copy' && last.direction === 'd2h' && isPageable(last));
    for (let index = 1; index < places.length; index += 1) {
      const [a, b] = [places[index - 1] ?? 0, places[index] ?? 0];
      if (!(b > a) || this.#initialisation.nsWithin(a, b) > (b - a) / 2) continue;
      const copy = spans.firstAt((a + b) / 2);
      const item = this.#workItem(a, b, copy, hasRead ? leastOwnNs : leastSilentNs);
      items.push(item);
      const isOwn = (item.isOwn || item.part === 'own-host-work') && copy < 0 && item.part !== 'loading-data';
      this.spans.push({ startNs: a, endNs: b, part: isOwn ? 'own-host-work' : 'issuing' });
    }
  }

  /** Returns begins and ends of loaders and initialisation, in order. */
  #cutsBetween(fromNs: number, toNs: number): number[] {
    const cuts: number[] = [];
    for (const { startNs, endNs } of this.#activity.loadersBetween(fromNs, toNs)) cuts.push(startNs, endNs);
    cuts.push(...this.#initialisation.edgesBetween(fromNs, toNs));
    return cuts.filter((ns) => ns > fromNs && ns < toNs);
  }

  #workItem(fromNs: number, toNs: number, copy: number, silentFromNs: number): WorkItem {
    const { trivialNs, othersNs } = this.#line;
    const ns = toNs - fromNs;
    const calls = countWithin(trivialNs, fromNs, toNs);
    const { operators, frames } = this.#ranges.recorded(fromNs, toNs);
    const isLong = ns >= leastOwnNs;
    const issuingNs = operators * mostIssuingNs;
    const isBusy = this.#ranges.insideNs(fromNs, toNs) >= ns / 2 && ns - issuingNs >= leastOwnNs;
    // While another thread works, this one waits for it.
    const isAlone = countWithin(othersNs, fromNs, toNs) === 0;
    const isEmpty = calls === 0 && !this.#ranges.hasOperators(fromNs, toNs) && isAlone;
    const isSilent = isAlone && ns >= silentFromNs && this.#ranges.silentNs(fromNs, toNs, silentFromNs) >= ns / 2;
    const recorded = { operators, calls, frames };
    const [loader] = this.#activity.loadersBetween(fromNs, toNs);
    const isOwn = isLong && (isEmpty || isBusy || isSilent || loader !== undefined);
    const hasWorkers = loader !== undefined && waitsForWorkers(loader.name);
    const mayWait = isEmpty && (loader === undefined || hasWorkers);
    const ran = isLong ? this.#activity.ran(fromNs, toNs, isOwn ? 'own-host-work' : 'issuing') : nothingRan;
    const inOperators = ran.reduce((sum, one) => sum + (one.part === 'host-operators' ? one.ns : 0), 0);
    const part =
      loader !== undefined
        ? 'loading-data'
        : inOperators >= ns / 2
          ? 'host-operators'
          : isOwn
            ? 'own-host-work'
            : 'issuing';
    // Not the launches of an operator, but work that it does itself, such as a search for the fastest algorithm.
    const isInside = part === 'issuing' && isItsOwn(ran[0], ns);
    return {
      kind: 'work',
      ns,
      copy,
      recorded,
      isOwn,
      mayWait,
      hasWorkers,
      part: isInside ? 'own-host-work' : part,
      ran,
    };
  }

  #call(call: Call, index: number, issued: number, spans: CopySpans, nextCopy: () => CopyPlace): Item[] {
    const copy = spans.lastAround(call);
    const callNs = call.endNs - call.startNs - this.#initialisation.nsWithin(call.startNs, call.endNs);
    const line = (): string => this.#ranges.line(call);
    switch (call.kind) {
      case 'copy':
        if (this.#isHostCopy(call)) return [this.#copy(call, callNs, line(), nextCopy())];
        return [this.#launch(call, callNs)];
      case 'launch': {
        const launch = this.#launch(call, callNs);
        return [spans.finds(copy) === undefined ? launch : { ...launch, copy }];
      }
      case 'record':
        return (this.#records.get(index) ?? []).map((one) => ({ kind: 'record', ...one, callNs }));
      case 'wait': {
        const one = this.#waits.get(index);
        return one === undefined ? [] : [{ kind: 'wait', ...one, callNs }];
      }
      case 'sync':
        return this.#sync(call, issued, copy, line());
      default:
        return this.#memoryCall(call, callNs, copy);
    }
  }

  /** A call that frees device memory waits for the device first, unless it returned while the device still worked. */
  #memoryCall(call: Call, callNs: number, copy: number): Item[] {
    const device = this.#devices.waitedFor(call.endNs + slackNs);
    const untilNs = this.#devices.untilNs(device);
    const waits = freeing.test(call.name) && untilNs <= call.endNs + slackNs && this.#hasIssued;
    const waitedNs = waits ? Math.min(callNs, Math.max(0, untilNs - call.startNs)) : 0;
    const ns = callNs - waitedNs;
    if (waits) this.#hasIssued = false;
    return [
      ...(waits
        ? [{ kind: 'sync' as const, stream: null, device, callNs: waitedNs, copy: -1, line: '', frees: true }]
        : []),
      {
        kind: 'work',
        ns,
        copy,
        recorded: { operators: 0, calls: 1, frames: 0 },
        isOwn: false,
        part: 'allocation',
        ran: [{ name: call.name, part: 'allocation', ns }],
      },
    ];
  }

  /** A call with several activities launches a graph: its nodes follow faster than launches do, and run in parallel. */
  #launch(call: Call, callNs: number): LaunchItem {
    const { columns } = this.#trace;
    const { activities } = call;
    const first = this.#firstOf(call) ?? 0;
    const nodes = activities.length;
    if (nodes > 1 && !this.inferred.includes(graphNote)) this.inferred.push(graphNote);
    const startNs = activities.reduce(
      (start, row) => Math.min(start, columns.startNs[row] ?? 0),
      Number.POSITIVE_INFINITY,
    );
    const kind = rowKind(this.#trace, first);
    const name = kind === 'kernel' ? this.#name(first) : kind;
    return {
      kind: 'launch',
      name: nodes > 1 ? `graph of ${nodes} nodes` : name,
      stream: this.#streamId(columns.lane[first] ?? -1),
      callNs,
      deviceNs: rowEndNs(this.#trace, lastToEnd(this.#trace, activities)) - startNs,
      shares: activities.some((row) => this.#shared[row] === 1),
      nodes,
    };
  }

  #copy({ activities: [row = 0], startNs }: Call, callNs: number, line: string, place: CopyPlace): CopyItem {
    const { columns } = this.#trace;
    const deviceNs = columns.durationNs[row] ?? 0;
    const waitedNs = Math.max(0, (this.#busyUntil.get(columns.lane[row] ?? -1) ?? 0) - startNs);
    const direction = rowDirection(this.#trace, row) === 'd2h' ? 'd2h' : 'h2d';
    const lateNs = direction === 'd2h' ? (columns.startNs[row] ?? 0) - startNs - waitedNs : 0;
    const side = direction === 'h2d' ? columns.srcMemory[row] : columns.dstMemory[row];
    return {
      kind: 'copy',
      ...place,
      direction,
      host: memoryKinds[side ?? 0] ?? 'unknown',
      bytes: this.#bytes(row),
      stream: this.#streamId(columns.lane[row] ?? -1),
      callNs,
      deviceNs,
      heldNs: Math.max(deviceNs, callNs - waitedNs),
      ...(lateNs > mostStartNs ? { lateNs } : {}),
      line,
      hostAddress: columns.hostAddress?.[row] ?? 0,
      row,
    };
  }

  #bytes(row: RowIndex): number {
    const bytes = Math.max(1, this.#trace.columns.bytes[row] ?? 1);
    if (bytes <= maxBufferBytes) return bytes;
    throw new CopyscopeError({
      code: 'lift.copy-too-large',
      field: 'bytes',
      message: `a copy of the trace moves ${formatBytes(bytes)}, and an experiment's copy at most ${formatBytes(maxBufferBytes)}.`,
      remedy: 'Lift other steps with --steps, or record the trace again: the file may be damaged.',
    });
  }

  /** Waits for the last stream that got work, unless that finished before the wait or ran beyond it. */
  #sync(call: Call, issued: number, copy: number, line: string): SyncItem[] {
    const untilNs = call.endNs + slackNs;
    const isDevice = /Device|Ctx|Thread/.test(call.name);
    const stream = isDevice || issued < 0 ? null : this.#streamId(issued);
    const device = stream === null ? { device: this.#devices.waitedFor(untilNs) } : {};
    const isInside = copy < 0 && this.#ranges.isInside(call.startNs) ? { isInside: true } : {};
    const sync: SyncItem = {
      kind: 'sync',
      stream,
      ...device,
      callNs: call.endNs - call.startNs,
      copy,
      line,
      ...isInside,
    };
    // The framework call of a copy waits for that copy.
    if (isDevice || copy >= 0) return [sync];
    const busyUntil = issued < 0 ? this.#devices.allUntilNs : (this.#busyUntil.get(issued) ?? 0);
    if (busyUntil > call.startNs && busyUntil <= untilNs) return [sync];
    const awaited = this.#ended.by(untilNs, (row) => this.#issued.has(row));
    const isNothing = awaited < 0 || rowEndNs(this.#trace, awaited) <= call.startNs;
    return busyUntil <= call.startNs && isNothing ? [sync] : this.#syncFor(awaited, sync);
  }

  /** Waits for a call's work, by its activity that ended last. Work issued before all steps needs no wait. */
  #syncFor(awaited: RowIndex, sync: SyncItem): SyncItem[] {
    const item = this.#issued.get(awaited);
    if (item === undefined) return [];
    const { stream } = item;
    if (this.#last.get(stream) === awaited) return [{ ...sync, stream }];
    const event = `until-${awaited}`;
    this.#awaited.set(item, { kind: 'record', event, stream, callNs: 0 });
    return [{ ...sync, stream, event }];
  }

  #name(row: RowIndex): string {
    return this.#trace.names[this.#trace.columns.name[row] ?? -1] ?? 'kernel';
  }

  #streamId(lane: number): string {
    return this.#trace.lanes[lane]?.id ?? 'stream:0';
  }
}

type CopyPlace = Pick<CopyItem, 'id' | 'step' | 'finds'>;

/** Returns the activity that ends last of each call in the steps. */
function issuedIn(trace: Trace, calls: Calls, bounds: readonly StepBounds[]): RowIndex[] {
  const rows: RowIndex[] = [];
  for (const { from, to } of bounds) {
    for (let place = from; place < to; place += 1) {
      const last = lastToEnd(trace, calls.activities(place));
      if (last >= 0) rows.push(last);
    }
  }
  return rows;
}

/** Returns, by row, 1 for kernels that overlapped one of another stream on the multiprocessors of the same device. */
function sharedRows(trace: Trace, { device: rows, streams }: HostLine): Uint8Array {
  const { columns, lanes } = trace;
  const shared = new Uint8Array(trace.count);
  if (streams.size < 2) return shared;
  const longestOf = new Map<string, RowIndex>();
  for (const row of rows) {
    const lane = columns.lane[row] as number;
    if (columns.kind[row] !== kernelCode || !streams.has(lane)) continue;
    const device = lanes[lane]?.device ?? '';
    const longest = longestOf.get(device) ?? row;
    const isOther = lane !== columns.lane[longest];
    if (isOther && (columns.startNs[row] ?? 0) < rowEndNs(trace, longest)) {
      shared[row] = 1;
      shared[longest] = 1;
    }
    if (longest === row || rowEndNs(trace, row) > rowEndNs(trace, longest)) longestOf.set(device, row);
  }
  return shared;
}

/**
 * Returns lanes of streams used by calls with one activity, which excludes a graph's own streams. No trace shows the
 * stream of a graph launch: nodes ran there and in the graph's own streams, and one of those may have begun first.
 */
function programStreams({ columns }: Trace, calls: Calls): ReadonlySet<number> {
  const lanes = new Set<number>();
  for (let place = 0; place < calls.length; place += 1) {
    const row = calls.firstActivity(place);
    if (row >= 0 && calls.nextActivity(row) < 0) lanes.add(columns.lane[row] ?? -1);
  }
  return lanes;
}

/** Returns a call's activity that began first in a stream of the program; or the first of all if none did. */
const firstOfProgram = (
  { columns }: Trace,
  activities: readonly RowIndex[],
  streams: ReadonlySet<number>,
): RowIndex | undefined => activities.find((row) => streams.has(columns.lane[row] ?? -1)) ?? activities[0];

/** Finds the device that a device-wide wait was for: a trace only shows that the host waited. */
export class BusyDevices {
  /** End of the last work issued so far on each device. */
  readonly #untilNs = new Map<string, number>();

  note(device: string, endNs: number): void {
    this.#untilNs.set(device, Math.max(this.#untilNs.get(device) ?? 0, endNs));
  }

  /** End of the last work issued so far on a device. */
  untilNs(device: string): number {
    return this.#untilNs.get(device) ?? 0;
  }

  /** End of all work issued so far. */
  get allUntilNs(): number {
    return Math.max(0, ...this.#untilNs.values());
  }

  /** Returns the device that finished last before the wait returned, or else the first to finish. */
  waitedFor(ns: number): string {
    let [found, foundNs] = ['', Number.NaN];
    for (const [device, untilNs] of this.#untilNs) {
      const isLater = untilNs > foundNs;
      const isBetter = untilNs <= ns ? isLater || foundNs > ns : untilNs < foundNs;
      if (Number.isNaN(foundNs) || isBetter) [found, foundNs] = [device, untilNs];
    }
    return found;
  }
}
