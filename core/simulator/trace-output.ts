/** Writes what happened into a trace, with the lanes and names of a native run. */
import type { Program } from '../program/program.ts';
import { TraceBuilder } from '../trace/builder.ts';
import type { LaneIndex, RowKind, Trace } from '../trace/trace.ts';
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

export class TraceOutput {
  makespanNs = 0;
  readonly #builder = new TraceBuilder();
  readonly #threads: readonly LaneIndex[];
  readonly #streams: readonly LaneIndex[];
  readonly #engines: ReadonlyMap<EngineIndex, LaneIndex>;
  #correlations = 0;

  /** Lanes: host threads, streams, then of each device the engines that some step uses. */
  constructor(program: Program, steps: readonly (readonly Step[])[]) {
    const builder = this.#builder;
    const device = (index: number): string => program.devices[index]?.id ?? '';
    this.#threads = program.threads.map(({ id }) =>
      builder.lane({ kind: 'host-thread', id: `thread:${id}`, name: id, device: '' }),
    );
    this.#streams = program.streams.map((stream) =>
      builder.lane({ kind: 'stream', id: `stream:${stream.id}`, name: stream.id, device: device(stream.device) }),
    );
    const used = new Set(steps.flatMap((thread) => thread.map((step) => step.engine)));
    const engines = program.devices.flatMap((_, index) => engineNames.map((name) => engineIndex(index, name)));
    this.#engines = new Map(
      engines.filter((engine) => used.has(engine)).map((engine) => [engine, engineLane(builder, engine, device)]),
    );
  }

  /** Joins a call with what it issued; the first is 1. */
  nextCorrelation(): number {
    this.#correlations += 1;
    return this.#correlations;
  }

  host(thread: number, kind: RowKind, name: string, step: Step, startNs: number, endNs: number, correlation = 0): void {
    const start = Math.round(startNs);
    const bytes = kind === 'host-read' || kind === 'host-write' || kind === 'host-work' ? step.bytes : 0;
    const lane = this.#threads[thread] ?? -1;
    this.#builder.add({
      startNs: start,
      durationNs: this.#until(endNs) - start,
      lane,
      kind,
      name,
      op: step.op,
      correlation,
      bytes,
    });
  }

  /** A copy or kernel that has just ended. */
  activity(entry: StreamEntry, endNs: number): void {
    const { step } = entry;
    const startNs = Math.round(entry.startNs);
    this.#builder.add({
      startNs,
      durationNs: this.#until(endNs) - startNs,
      lane: this.#streams[entry.stream] ?? -1,
      engine: this.#engines.get(step.engine) ?? -1,
      kind: activityKinds[step.code] ?? 'copy',
      name: step.label,
      op: step.op,
      correlation: entry.correlation,
      bytes: step.bytes,
      src: step.src,
      dst: step.dst,
      channelType: isCopyEngine(step.engine) ? 'async-memcpy' : step.engine >= 0 ? 'compute' : 'unknown',
    });
  }

  /** A stream has reached a recorded event, or passed a wait. */
  mark(entry: StreamEntry, atNs: number): void {
    const { step } = entry;
    this.#builder.add({
      startNs: this.#until(atNs),
      durationNs: 0,
      lane: this.#streams[step.stream] ?? -1,
      kind: step.code === 'waitEvent' ? 'event-wait' : 'event-record',
      name: step.label,
      op: step.op,
      correlation: entry.correlation,
    });
  }

  build(): Trace {
    return this.#builder.build();
  }

  /** Rows lie on whole nanoseconds: ends and starts that are one in the model stay one, whatever was rounded before. */
  #until(endNs: number): number {
    const end = Math.round(endNs);
    if (end > this.makespanNs) this.makespanNs = end;
    return end;
  }
}

function engineLane(builder: TraceBuilder, engine: EngineIndex, device: (index: number) => string): LaneIndex {
  const owner = device(deviceOf(engine));
  const name = engineNames[engine % enginesPerDevice] ?? 'compute';
  return name === 'compute'
    ? builder.lane({ kind: 'compute', id: `compute:${owner}`, name: engineTitles.compute, device: owner })
    : builder.lane({
        kind: 'copy-engine',
        id: `engine:${owner}:${directions[name]}`,
        name: engineTitles[name],
        device: owner,
        direction: directions[name],
      });
}
