/** The lanes of a run: host threads, streams, then the device's copy engines and compute as far as they are used. */
import type { Program } from '../core/program/program.ts';
import type { TraceBuilder } from '../core/trace/builder.ts';
import {
  type ChannelType,
  type CopyDirection,
  copyDirection,
  type Lane,
  type LaneIndex,
  type MemoryKind,
  type RowKind,
} from '../core/trace/trace.ts';

type EngineName = 'h2d' | 'd2h' | 'd2d' | 'compute';
const engineOrder: readonly EngineName[] = ['h2d', 'd2h', 'd2d', 'compute'];

export interface ActivityFacts {
  readonly kind: RowKind;
  readonly src: MemoryKind;
  readonly dst: MemoryKind;
  readonly channelType: ChannelType;
}

/**
 * What did the work. A copy through the compute channel ran there; any other went through its direction's engine. A
 * copy within the device whose channel isn't known is taken for compute, as it was recorded on real devices.
 */
function engineOf({ kind, src, dst, channelType }: ActivityFacts): EngineName | null {
  if (kind === 'kernel') return 'compute';
  if (kind !== 'copy') return null;
  if (channelType === 'compute') return 'compute';
  const direction = copyDirection(src, dst);
  if (direction === null || direction === 'h2h') return null;
  return direction === 'd2d' && channelType === 'unknown' ? 'compute' : direction;
}

export class RunLanes {
  readonly threads: readonly LaneIndex[];
  readonly streams: readonly LaneIndex[];
  readonly #engines: ReadonlyMap<EngineName, LaneIndex>;

  constructor(builder: TraceBuilder, program: Program, activities: Iterable<ActivityFacts>) {
    const device = program.devices[0]?.id ?? '';
    this.threads = program.threads.map(({ id }) =>
      builder.lane({ kind: 'host-thread', id: `thread:${id}`, name: id, device: '' }),
    );
    this.streams = program.streams.map(({ id }) =>
      builder.lane({ kind: 'stream', id: `stream:${id}`, name: id, device }),
    );
    const used = new Set<EngineName | null>();
    for (const activity of activities) used.add(engineOf(activity));
    const declared = engineOrder.filter((name) => used.has(name));
    this.#engines = new Map(declared.map((name) => [name, builder.lane(engineLane(name, device))]));
  }

  /** Lane of the engine that did it; -1 for marks and for what no engine did. */
  engine(activity: ActivityFacts): LaneIndex {
    const name = engineOf(activity);
    return name === null ? -1 : (this.#engines.get(name) ?? -1);
  }
}

function engineLane(name: EngineName, device: string): Lane {
  if (name === 'compute') return { kind: 'compute', id: `compute:${device}`, name: 'Compute', device };
  const direction: CopyDirection = name;
  return {
    kind: 'copy-engine',
    id: `engine:${device}:${name}`,
    name: `${name.toUpperCase()} engine`,
    device,
    direction,
  };
}
