/** Writes the simulation into a trace, with the lanes and names of a native run. */

import { frontendName } from '../program/frontend.ts';
import type { Program } from '../program/program.ts';
import { hostLane } from '../trace/laneTitles.ts';
import { kindCodes, memoryCodes, RowWriter } from '../trace/rowWriter.ts';
import { channelTypes, type Lane, type LaneIndex, type RowKind, type Trace } from '../trace/trace.ts';
import { deviceOf, type EngineIndex, engineIndex, engineNames, enginesPerDevice, isCopyEngine } from './engines.ts';
import type { StreamEntry } from './entry.ts';
import type { ThreadPlan } from './plan.ts';
import type { Step } from './step.ts';

/** Model (core/trace/rowWriter.ts) of the latest row of each step. The step's next row usually has the same. */
class StepModels {
  /** By operation. */
  readonly #steps: (Step | undefined)[];
  readonly #models: Int32Array;

  constructor(operations: number) {
    this.#steps = new Array<Step | undefined>(operations).fill(undefined);
    this.#models = new Int32Array(operations);
  }

  /** Returns -1 if the operation's latest row was of another step. */
  of(step: Step, op: number): number {
    return this.#steps[op] === step ? (this.#models[op] ?? -1) : -1;
  }

  set(step: Step, op: number, model: number): void {
    this.#steps[op] = step;
    this.#models[op] = model;
  }
}

const engineTitles = { h2d: 'H2D engine', d2h: 'D2H engine', peer: 'Peer engine', compute: 'Compute' } as const;
const directions = { h2d: 'h2d', d2h: 'd2h', peer: 'd2d' } as const;

/** Kinds of row on streams, by step code; other steps are copies. */
const activityKinds: Partial<Record<Step['code'], RowKind>> = {
  kernel: 'kernel',
  memset: 'memset',
  hostFunction: 'host-function',
};

const unknownChannel = channelTypes.indexOf('unknown');
const computeChannel = channelTypes.indexOf('compute');
const copyChannel = channelTypes.indexOf('async-memcpy');

function channelTypeOf(engine: EngineIndex): number {
  if (engine < 0) return unknownChannel;
  return isCopyEngine(engine) ? copyChannel : computeChannel;
}

export class TraceOutput {
  makespanNs = 0;
  readonly #rows: RowWriter;
  readonly #operations: Program['operations'];
  /** Lanes: host threads, streams, then the used engines of each device. */
  readonly #firstStream: number;
  /** Lane of each host thread; its helpers follow it. */
  readonly #threads: readonly LaneIndex[];
  readonly #engines: ReadonlyMap<EngineIndex, LaneIndex>;
  readonly #hostModels: StepModels;
  readonly #hostNames: string[] = [];
  readonly #frontendModels = new Map<number, number>();
  readonly #streamModels: StepModels;
  #correlations = 0;

  /**
   * `helpers`: number of helper threads of each host thread. `computePlans`: multi-tensor copies on the compute
   * channel. `expectedRows` is approximate.
   */
  constructor(
    program: Program,
    plan: readonly ThreadPlan[],
    helpers: readonly number[],
    computePlans: ReadonlySet<number>,
    expectedRows: number,
  ) {
    const device = (index: number): string => program.devices[index]?.id ?? '';
    const used = new Set<EngineIndex>();
    for (const { steps } of plan) {
      for (const step of steps) {
        used.add(step.engine);
        const isOnCompute = step.code === 'multiCopy' && computePlans.has(step.index);
        if (isOnCompute) used.add(engineIndex(step.device, 'compute'));
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
    const stepCount = plan.reduce((sum, { steps }) => sum + steps.length, 0);
    this.#rows = new RowWriter(lanes, expectedRows, 2 * stepCount);
    this.#operations = program.operations;
    this.#hostModels = new StepModels(program.operations.length);
    this.#streamModels = new StepModels(program.operations.length);
  }

  /** Returns the number that joins a call with its work, starting at 1. */
  nextCorrelation(): number {
    this.#correlations += 1;
    return this.#correlations;
  }

  /** Returns the name for rows without a CUDA call. */
  labelOf({ name, code }: Step, op: number): string {
    return name === '' ? (this.#operations[op]?.label ?? code) : name;
  }

  /** `helper` is 0 for the host thread itself. */
  host(
    thread: number,
    kind: RowKind,
    name: string,
    step: Step,
    op: number,
    startNs: number,
    endNs: number,
    correlation = 0,
    helper = 0,
  ): void {
    const known = this.#hostModels.of(step, op);
    const isKnown = known >= 0 && this.#hostNames[op] === name;
    this.#add(isKnown ? known : this.#hostModel(thread, kind, name, step, op, helper), startNs, endNs, correlation);
  }

  /** Adds PyTorch's own time. A thread's rows share a model, since they belong to no operation. */
  frontend(thread: number, startNs: number, endNs: number): void {
    const known = this.#frontendModels.get(thread);
    const model = known ?? this.#model(this.#threads[thread] ?? 0, 'host-call', frontendName, -1);
    this.#frontendModels.set(thread, model);
    this.#add(model, startNs, endNs, 0);
  }

  /** Adds stream work that has just ended. */
  activity(entry: StreamEntry, endNs: number): void {
    const channel = entry.queue?.number ?? -1;
    const known = this.#streamModels.of(entry.step, entry.op);
    const { models } = this.#rows;
    const isKnown =
      known >= 0 &&
      models.lane[known] === this.#laneOf(entry) &&
      models.channel[known] === channel &&
      models.channelType[known] === channelTypeOf(entry.engine);
    this.#add(isKnown ? known : this.#activityModel(entry, channel), entry.startNs, endNs, entry.correlation);
  }

  /** Marks that a stream reached a recorded event, or passed a wait. */
  mark(entry: StreamEntry, atNs: number): void {
    const known = this.#streamModels.of(entry.step, entry.op);
    this.#add(known >= 0 ? known : this.#markModel(entry), atNs, atNs, entry.correlation);
  }

  build(): Trace {
    return this.#rows.build();
  }

  #laneOf({ stream }: StreamEntry): LaneIndex {
    return this.#firstStream + stream;
  }

  #hostModel(thread: number, kind: RowKind, name: string, step: Step, op: number, helper: number): number {
    const lane = (this.#threads[thread] ?? 0) + helper;
    const model = this.#model(lane, kind, name, op);
    if (kind === 'host-read' || kind === 'host-write' || kind === 'host-work')
      this.#rows.models.bytes[model] = step.bytes;
    this.#hostModels.set(step, op, model);
    this.#hostNames[op] = name;
    return model;
  }

  #activityModel(entry: StreamEntry, channel: number): number {
    const { step, op } = entry;
    const model = this.#model(this.#laneOf(entry), activityKinds[step.code] ?? 'copy', this.labelOf(step, op), op);
    this.#streamModels.set(step, op, model);
    const { models } = this.#rows;
    models.bytes[model] = step.bytes;
    models.srcMemory[model] = memoryCodes[step.src];
    models.dstMemory[model] = memoryCodes[step.dst];
    models.channelType[model] = channelTypeOf(entry.engine);
    if (entry.engine < 0) return model;
    models.engine[model] = this.#engines.get(entry.engine) ?? -1;
    models.channel[model] = channel;
    return model;
  }

  #markModel(entry: StreamEntry): number {
    const { step, op } = entry;
    const kind = step.code === 'waitEvent' ? 'event-wait' : 'event-record';
    const model = this.#model(this.#laneOf(entry), kind, this.labelOf(step, op), op);
    this.#streamModels.set(step, op, model);
    return model;
  }

  #model(lane: LaneIndex, kind: RowKind, name: string, op: number): number {
    const model = this.#rows.model();
    const { models } = this.#rows;
    models.lane[model] = lane;
    models.engine[model] = -1;
    models.kind[model] = kindCodes[kind];
    models.name[model] = this.#rows.name(name);
    models.op[model] = op;
    models.channel[model] = -1;
    models.channelType[model] = unknownChannel;
    return model;
  }

  /** Rounds to whole nanoseconds, so that ends and starts that are equal in the model stay equal. */
  #add(model: number, startNs: number, endNs: number, correlation: number): void {
    const [start, end] = [Math.round(startNs), Math.round(endNs)];
    if (end > this.makespanNs) this.makespanNs = end;
    this.#rows.add(model, start, end - start, correlation);
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
