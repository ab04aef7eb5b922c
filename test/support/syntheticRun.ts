/**
 * A run of any number of events in 24 lanes: host threads full of calls of a microsecond inside long ranges, streams
 * with short and long kernels, copies in both directions, and marks. The same count always gives the same events.
 */
import { TraceBuilder } from '../../core/trace/builder.ts';
import type { Run } from '../../core/trace/run.ts';
import type { CopyDirection, MemoryKind, Trace } from '../../core/trace/trace.ts';

const hostThreads = 4;
const streams = 12;
const devices = ['gpu0', 'gpu1'] as const;
const directions = ['h2d', 'd2h', 'd2d'] as const;
const seed = 20_261_120;

/** Returns a linear congruential generator with the constants of Numerical Recipes. */
function randomNumbers(): () => number {
  let value = seed;
  return () => {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0;
    return value / 2 ** 32;
  };
}

interface Source {
  /** Start of its next event. */
  atNs: number;
  readonly add: (atNs: number) => number;
}

export function syntheticTrace(events: number): Trace {
  const builder = new TraceBuilder();
  const calls = new Calls();
  const sources = [...hostSources(builder, calls), ...streamSources(builder, calls)];
  for (let count = 0; count < events; count += 1) {
    const next = earliest(sources);
    next.atNs = next.add(next.atNs);
  }
  return builder.build();
}

/** Joins calls with their work, first in, first out: the depth of a stream's queue is computed from that. */
class Calls {
  #made = 0;
  #begun = 0;

  /** Returns the correlation of a new call. */
  make(): number {
    this.#made += 1;
    return this.#made;
  }

  /** Returns the correlation of the oldest call whose work has not begun; 0 if none. */
  begin(): number {
    if (this.#begun === this.#made) return 0;
    this.#begun += 1;
    return this.#begun;
  }
}

/** Profiles have some hundreds of names: 200,000 would be too many to read and 20 unrealistic. */
const kernelNames = Array.from({ length: 400 }, (_, index) => `kernel_${index}<float, ${2 ** (index % 10)}>`);
const callNames = ['cudaLaunchKernel', 'cudaMemcpyAsync', 'cudaEventRecord', 'cudaStreamWaitEvent'];

function hostSources(builder: TraceBuilder, calls: Calls): Source[] {
  return Array.from({ length: hostThreads }, (_, thread) => {
    const random = randomNumbers();
    const id = `thread:host${thread}`;
    const lane = builder.lane({ kind: 'host-thread', id, name: `host ${thread}`, device: '' });
    let left = 0;
    return {
      atNs: thread * 137,
      add: (atNs) => {
        if (left === 0) {
          left = 40 + Math.floor(random() * 60);
          builder.add({ startNs: atNs, durationNs: left * 2600, lane, kind: 'host-range', name: `step of ${left}` });
          return atNs + 1;
        }
        left -= 1;
        const durationNs = Math.ceil(300 + random() * 1900);
        const name = callNames[Math.floor(random() * callNames.length)] ?? '';
        builder.add({ startNs: atNs, durationNs, lane, kind: 'host-call', name, correlation: calls.make() });
        return atNs + durationNs + Math.ceil(random() * 400);
      },
    };
  });
}

function streamSources(builder: TraceBuilder, calls: Calls): Source[] {
  const onStreams = Array.from({ length: streams }, (_, stream) => {
    const device = devices[stream % devices.length] ?? '';
    return builder.lane({ kind: 'stream', id: `stream:s${stream}`, name: `stream ${stream}`, device });
  });
  const engines = devices.map((device) =>
    directions.map((direction) =>
      builder.lane({
        kind: 'copy-engine',
        id: `engine:${device}:${direction}`,
        name: `${direction.toUpperCase()} engine`,
        device,
        direction,
      }),
    ),
  );
  const compute = devices.map((device) =>
    builder.lane({ kind: 'compute', id: `compute:${device}`, name: `Compute ${device}`, device }),
  );
  return onStreams.map((lane, stream) => {
    const random = randomNumbers();
    for (let skip = 0; skip < stream; skip += 1) random();
    const device = stream % devices.length;
    return {
      atNs: stream * 61,
      add: (atNs) => {
        const drawn = random();
        if (drawn < 0.06) {
          builder.add({ startNs: atNs, durationNs: 0, lane, kind: 'event-record', name: 'cudaEventRecord' });
          return atNs + 1;
        }
        // One in two hundred is long, the others last some microseconds.
        const durationNs = Math.ceil(random() < 0.005 ? 80_000 + random() * 400_000 : 500 + random() * 6000);
        const correlation = calls.begin();
        if (drawn < 0.4)
          addCopy(builder, lane, engines[device] ?? [], stream, { startNs: atNs, durationNs, correlation });
        else {
          const name = kernelNames[Math.floor(random() * kernelNames.length)] ?? '';
          const engine = compute[device] ?? -1;
          builder.add({ startNs: atNs, durationNs, lane, engine, kind: 'kernel', name, correlation });
        }
        return atNs + durationNs + Math.ceil(random() * 3000);
      },
    };
  });
}

const memories: Readonly<Record<(typeof directions)[number], readonly [MemoryKind, MemoryKind]>> = {
  h2d: ['pinned', 'device'],
  d2h: ['device', 'pinned'],
  d2d: ['device', 'device'],
};

function addCopy(
  builder: TraceBuilder,
  lane: number,
  engines: readonly number[],
  stream: number,
  when: { readonly startNs: number; readonly durationNs: number; readonly correlation: number },
): void {
  const which = Math.floor(stream / 2) % directions.length;
  const direction: CopyDirection & keyof typeof memories = directions[which] ?? 'h2d';
  const [src, dst] = memories[direction];
  const engine = engines[which] ?? -1;
  const bytes = when.durationNs * 50;
  builder.add({ ...when, lane, engine, kind: 'copy', name: `Memcpy ${direction}`, bytes, src, dst });
}

function earliest(sources: readonly Source[]): Source {
  let [found] = sources;
  for (const source of sources) if (found === undefined || source.atNs < found.atNs) found = source;
  if (found === undefined) throw new RangeError('no source of events');
  return found;
}

export function syntheticRun(events: number): Run {
  const trace = syntheticTrace(events);
  let end = 0;
  for (let row = 0; row < trace.count; row += 1) {
    end = Math.max(end, (trace.columns.startNs[row] ?? 0) + (trace.columns.durationNs[row] ?? 0));
  }
  return {
    info: {
      format: 'copyscope/run',
      version: 1,
      engine: 'cuda',
      status: 'complete',
      createdAt: '2026-01-01T00:00:00.000Z',
      experiment: null,
      imported: { format: 'pytorch-profiler', name: `synthetic ${events}`, events, rows: events },
      device: null,
      machine: null,
      versions: { copyscope: '0.1.0', driver: null, runtime: null, cupti: null },
      timing: 'cupti',
      iterations: { recordedMakespanNs: [end], recordedWallNs: [], plainWallNs: [], representative: 0 },
      verification: { bytesChecked: 0, bytesWrong: 0, checks: [], unverified: [] },
      notes: [],
    },
    trace,
  };
}
