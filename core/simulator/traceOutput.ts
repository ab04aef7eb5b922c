/** Writes what happened into a trace, with the lanes and names of a native run. */
import { hostLane } from '../program/hostLane.ts';
import type { Program } from '../program/program.ts';
import { kindCodes, memoryCodes, RowWriter } from '../trace/rowWriter.ts';
import { channelTypes, type Lane, type LaneIndex, type RowKind, type Trace } from '../trace/trace.ts';
import { deviceOf, type EngineIndex, engineIndex, engineNames, enginesPerDevice, isCopyEngine } from './engines.ts';
import type { StreamEntry } from './entry.ts';
import type { Step } from './step.ts';

const engineTitles = { h2d: 'H2D engine', d2h: 'D2H engine', peer: 'Peer engine', compute: 'Compute' } as const;
const directions = { h2d: 'h2d', d2h: 'd2h', peer: 'd2d' } as const;

/** Kinds of row on streams, by what the step is; others are copies. */
const activityKinds: Partial<Record<Step['code'], RowKind>> = {
  kernel: 'kernel',
  memset: 'memset',
  hostFunction: 'host-function',
};

const unknownChannel = channelTypes.indexOf('unknown');
const computeChannel = channelTypes.indexOf('compute');
const copyChannel = channelTypes.indexOf('async-memcpy');

export class TraceOutput {
  makespanNs = 0;
  readonly #rows: RowWriter;
  /** Lanes: host threads, streams, then of each device the engines that some step uses. */
  readonly #firstStream: number;
  /** Of each host thread; its helpers follow it. */
  readonly #threads: readonly LaneIndex[];
  readonly #engines: ReadonlyMap<EngineIndex, LaneIndex>;
  #correlations = 0;

  /**
   * `helpers` is how many threads help each host thread, `kernelPlans` the multi-tensor copies that launch kernels,
   * `expectedRows` about how many rows there will be.
   */
  constructor(
    program: Program,
    steps: readonly (readonly Step[])[],
    helpers: readonly number[],
    kernelPlans: ReadonlySet<number>,
    expectedRows: number,
  ) {
    const device = (index: number): string => program.devices[index]?.id ?? '';
    const used = new Set<EngineIndex>();
    for (const ofThread of steps) {
      for (const step of ofThread) {
        used.add(step.engine);
        const hasKernels = step.code === 'multiCopy' && kernelPlans.has(step.index);
        if (hasKernels) used.add(engineIndex(step.device, 'compute'));
      }
    }
    const engines = program.devices
      .flatMap((_, index) => engineNames.map((name) => engineIndex(index, name)))
      .filter((engine) => used.has(engine));
    const ofThread = program.threads.map(({ id }, thread) =>
      Array.from({ length: 1 + (helpers[thread] ?? 0) }, (_, helper) => hostLane(id, helper)),
    );
    const lanes: Lane[] = [
      ...ofThread.flat(),
      ...program.streams.map(
        (stream): Lane => ({
          kind: 'stream',
          id: `stream:${stream.id}`,
          name: stream.id,
          device: device(stream.device),
        }),
      ),
      ...engines.map((engine) => engineLane(engine, device)),
    ];
    this.#threads = ofThread.map((_, thread) => ofThread.slice(0, thread).flat().length);
    this.#firstStream = ofThread.flat().length;
    const firstEngine = this.#firstStream + program.streams.length;
    this.#engines = new Map(engines.map((engine, index) => [engine, firstEngine + index]));
    this.#rows = new RowWriter(lanes, expectedRows);
  }

  /** Joins a call with what it issued; the first is 1. */
  nextCorrelation(): number {
    this.#correlations += 1;
    return this.#correlations;
  }

  /** `helper` is 0 for the host thread itself. */
  host(
    thread: number,
    kind: RowKind,
    name: string,
    step: Step,
    startNs: number,
    endNs: number,
    correlation = 0,
    helper = 0,
  ): void {
    const lane = (this.#threads[thread] ?? 0) + helper;
    const row = this.#add(startNs, endNs, lane, kindCodes[kind], name, step.op, correlation);
    const { bytes } = this.#rows.columns;
    if (kind === 'host-read' || kind === 'host-write' || kind === 'host-work') bytes[row] = step.bytes;
  }

  /** Something that a stream did, which has just ended. */
  activity(entry: StreamEntry, endNs: number): void {
    const { step } = entry;
    const lane = this.#firstStream + entry.stream;
    const kind = activityKinds[step.code] ?? 'copy';
    const row = this.#add(entry.startNs, endNs, lane, kindCodes[kind], step.label, step.op, entry.correlation);
    const { columns } = this.#rows;
    columns.bytes[row] = step.bytes;
    columns.srcMemory[row] = memoryCodes[step.src];
    columns.dstMemory[row] = memoryCodes[step.dst];
    if (step.engine < 0) return;
    columns.engine[row] = this.#engines.get(step.engine) ?? -1;
    columns.channelType[row] = isCopyEngine(step.engine) ? copyChannel : computeChannel;
    columns.channel[row] = entry.queue?.number ?? -1;
  }

  /** A stream has reached a recorded event, or passed a wait. */
  mark(entry: StreamEntry, atNs: number): void {
    const { step } = entry;
    const kind = step.code === 'waitEvent' ? kindCodes['event-wait'] : kindCodes['event-record'];
    this.#add(atNs, atNs, this.#firstStream + entry.stream, kind, step.label, step.op, entry.correlation);
  }

  build(): Trace {
    return this.#rows.build();
  }

  #add(
    startNs: number,
    endNs: number,
    lane: LaneIndex,
    kind: number,
    name: string,
    op: number,
    correlation: number,
  ): number {
    const row = this.#rows.add();
    const { columns } = this.#rows;
    const start = Math.round(startNs);
    columns.startNs[row] = start;
    columns.durationNs[row] = this.#until(endNs) - start;
    columns.lane[row] = lane;
    columns.engine[row] = -1;
    columns.kind[row] = kind;
    columns.name[row] = this.#rows.name(name);
    columns.op[row] = op;
    columns.correlation[row] = correlation;
    columns.channel[row] = -1;
    columns.channelType[row] = unknownChannel;
    return row;
  }

  /** Rows lie on whole nanoseconds: ends and starts that are one in the model stay one, whatever was rounded before. */
  #until(endNs: number): number {
    const end = Math.round(endNs);
    if (end > this.makespanNs) this.makespanNs = end;
    return end;
  }
}

function engineLane(engine: EngineIndex, device: (index: number) => string): Lane {
  const owner = device(deviceOf(engine));
  const name = engineNames[engine % enginesPerDevice] ?? 'compute';
  if (name === 'compute') return { kind: 'compute', id: `compute:${owner}`, name: engineTitles.compute, device: owner };
  const direction = directions[name];
  return {
    kind: 'copy-engine',
    id: `engine:${owner}:${direction}`,
    name: engineTitles[name],
    device: owner,
    direction,
  };
}
