/** Lanes of an imported trace: declared as they appear, and sorted when everything has been read. */
import type { CopyDirection, Lane, LaneIndex } from '../trace/trace.ts';

/** Limit of a run file's reader, minus the engines of every device. */
const mostLanes = 9000;
const longestName = 200;

export type EngineName = CopyDirection | 'compute' | 'peer';

const engineRanks: Readonly<Record<EngineName, number>> = { h2d: 0, d2h: 1, d2d: 2, peer: 2, h2h: 3, compute: 4 };

/** First sort key of a lane: host threads, then streams, then engines. */
export const laneRanks = { thread: 0, stream: 1, engine: 2 } as const;

interface Declared {
  readonly lane: Lane;
  /** Sort keys: the kind of lane, then device or process, then number. */
  readonly rank: readonly number[];
}

export class LaneList {
  readonly #declared: Declared[] = [];
  readonly #ids = new Set<string>();
  readonly #engines = new Map<string, LaneIndex>();
  /** Ranks of a merged trace, in order of appearance. */
  readonly #merged = new Map<string, number>();

  get isFull(): boolean {
    return this.#declared.length > mostLanes;
  }

  /** Declares a lane. Changes an id that another lane already has. */
  add(lane: Lane, rank: readonly number[]): LaneIndex {
    const wanted = lane.id.slice(0, longestName);
    const id = this.#ids.has(wanted) ? `${lane.kind}:${this.#declared.length}` : wanted;
    this.#ids.add(id);
    return this.#declared.push({ lane: { ...lane, id }, rank }) - 1;
  }

  /** Returns the engine of a copy in this direction, or compute. `merged`: see deviceId(). */
  engine(device: number, engine: EngineName, merged = ''): LaneIndex {
    const key = `${merged} ${device} ${engine}`;
    const known = this.#engines.get(key);
    if (known !== undefined) return known;
    const rank = [laneRanks.engine, this.mergedRank(merged), device, engineRanks[engine]];
    const index = this.add(engineLane(deviceId(device, merged), engine), rank);
    this.#engines.set(key, index);
    return index;
  }

  /** Returns the index of a rank in a merged trace. */
  mergedRank(merged: string): number {
    const known = this.#merged.get(merged);
    if (known !== undefined) return known;
    return this.#merged.set(merged, this.#merged.size).size - 1;
  }

  /**
   * Returns the lanes in display order, and the position of each declared index. `nameOf` may improve a lane's name;
   * with several devices each lane names its own.
   */
  finish(nameOf: (lane: Lane, index: LaneIndex) => string): { readonly lanes: Lane[]; readonly places: Int32Array } {
    const several = new Set(this.#declared.map(({ lane }) => lane.device).filter((device) => device !== '')).size > 1;
    const order = this.#declared.map((_, index) => index).sort((a, b) => this.#compare(a, b));
    const places = new Int32Array(order.length);
    for (const [place, index] of order.entries()) places[index] = place;
    const lanes = order.flatMap((index) => {
      const declared = this.#declared[index];
      if (declared === undefined) return [];
      const { lane } = declared;
      const prefix = several && lane.device !== '' ? `${lane.device} ` : '';
      return [{ ...lane, name: `${prefix}${nameOf(lane, index)}`.slice(0, longestName) }];
    });
    return { lanes, places };
  }

  #compare(a: LaneIndex, b: LaneIndex): number {
    const [first, second] = [this.#declared[a]?.rank ?? [], this.#declared[b]?.rank ?? []];
    for (const [place, value] of first.entries()) {
      const difference = value - (second[place] ?? 0);
      // A thread whose number is a word has no order, so it stays where it appeared.
      if (difference > 0 || difference < 0) return difference;
    }
    return a - b;
  }
}

/** Returns a device's id. In a merged trace it includes the rank, because each rank calls its own device 0. */
export const deviceId = (device: number, merged = ''): string => `${merged}gpu${device}`;

function engineLane(gpu: string, engine: EngineName): Lane {
  if (engine === 'compute') return { kind: 'compute', id: `compute:${gpu}`, name: 'Compute', device: gpu };
  if (engine === 'peer') {
    return { kind: 'copy-engine', id: `engine:${gpu}:peer`, name: 'Peer copies', device: gpu, direction: 'd2d' };
  }
  const name = `${engine.toUpperCase()} engine`;
  return { kind: 'copy-engine', id: `engine:${gpu}:${engine}`, name, device: gpu, direction: engine };
}
