/** The lanes of a run: host threads, streams, then the device's copy engines and compute if used. */

import type { Program } from '../core/program/program.ts';
import type { TraceBuilder } from '../core/trace/builder.ts';
import { hostLane } from '../core/trace/laneTitles.ts';
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
  /** Index of the stream, which belongs to the device whose engine did the work. */
  readonly stream: number;
}

/**
 * Returns the engine of an activity. A copy through the compute channel ran there; any other used its direction's
 * engine. A copy within the device on an unknown channel counts as compute, as on recorded devices.
 */
function engineOf({ kind, src, dst, channelType }: ActivityFacts): EngineName | null {
  if (kind === 'kernel' || kind === 'memset') return 'compute';
  if (kind !== 'copy') return null;
  if (channelType === 'compute') return 'compute';
  const direction = copyDirection(src, dst);
  if (direction === null || direction === 'h2h') return null;
  return direction === 'd2d' && channelType === 'unknown' ? 'compute' : direction;
}

export class RunLanes {
  readonly streams: readonly LaneIndex[];
  /** Lanes of each host thread and its helpers. */
  readonly #hosts: readonly (readonly LaneIndex[])[];
  readonly #program: Program;
  /** Lanes by engineKey(). */
  readonly #engines = new Map<string, LaneIndex>();

  /** `helpers` is the number of threads that have helped each host thread. */
  constructor(
    builder: TraceBuilder,
    program: Program,
    helpers: readonly number[],
    activities: Iterable<ActivityFacts>,
  ) {
    this.#program = program;
    this.#hosts = program.threads.map(({ id }, thread) =>
      Array.from({ length: 1 + (helpers[thread] ?? 0) }, (_, helper) => builder.lane(hostLane(id, helper))),
    );
    this.streams = program.streams.map(({ id, device }) =>
      builder.lane({ kind: 'stream', id: `stream:${id}`, name: id, device: program.devices[device]?.id ?? '' }),
    );
    const used = new Set<string>();
    for (const activity of activities) used.add(this.#key(activity, engineOf(activity)));
    const several = program.devices.length > 1;
    program.devices.forEach(({ id }, device) => {
      for (const name of engineOrder.filter((engine) => used.has(engineKey(device, engine)))) {
        this.#engines.set(engineKey(device, name), builder.lane(engineLane(name, id, several)));
      }
    });
  }

  /** Returns the lane of a host thread, or of one of its helpers. */
  host(thread: number, helper: number): LaneIndex {
    return this.#hosts[thread]?.[helper] ?? -1;
  }

  /** Returns the lane of the activity's engine; -1 for marks and for activities without an engine. */
  engine(activity: ActivityFacts): LaneIndex {
    return this.#engines.get(this.#key(activity, engineOf(activity))) ?? -1;
  }

  #key({ stream }: ActivityFacts, engine: EngineName | null): string {
    return engineKey(this.#program.streams[stream]?.device ?? 0, engine);
  }
}

const engineKey = (device: number, engine: EngineName | null): string => `${device} ${engine ?? ''}`;

function engineLane(name: EngineName, device: string, several: boolean): Lane {
  const suffix = several ? ` ${device}` : '';
  if (name === 'compute') return { kind: 'compute', id: `compute:${device}`, name: `Compute${suffix}`, device };
  const direction: CopyDirection = name;
  return {
    kind: 'copy-engine',
    id: `engine:${device}:${name}`,
    name: `${name.toUpperCase()} engine${suffix}`,
    device,
    direction,
  };
}
