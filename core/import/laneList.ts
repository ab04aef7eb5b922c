/** The lanes of an imported trace: declared as they appear, and put in order when everything has been read. */
import type { CopyDirection, Lane, LaneIndex } from '../trace/trace.ts';

/** As many as a run file's reader takes, less the engines of every device. */
const mostLanes = 9000;
const longestName = 200;

export type EngineName = CopyDirection | 'compute' | 'peer';

const engineRanks: Readonly<Record<EngineName, number>> = { h2d: 0, d2h: 1, d2d: 2, peer: 2, h2h: 3, compute: 4 };

/** The first number of a lane's rank: host threads, then streams, then engines. */
export const laneRanks = { thread: 0, stream: 1, engine: 2 } as const;

interface Declared {
  readonly lane: Lane;
  /** Sorts lanes: by what they are, then by device or process, and by number. */
  readonly rank: readonly number[];
}

export class LaneList {
  readonly #declared: Declared[] = [];
  readonly #ids = new Set<string>();
  readonly #engines = new Map<string, LaneIndex>();
  /** Ranks of a merged trace, in the order in which they appear. */
  readonly #merged = new Map<string, number>();

  get isFull(): boolean {
    return this.#declared.length > mostLanes;
  }

  /** Declares a lane. An id that another has already is made another one. */
  add(lane: Lane, rank: readonly number[]): LaneIndex {
    const wanted = lane.id.slice(0, longestName);
    const id = this.#ids.has(wanted) ? `${lane.kind}:${this.#declared.length}` : wanted;
    this.#ids.add(id);
    return this.#declared.push({ lane: { ...lane, id }, rank }) - 1;
  }

  /** The engine that a copy of this direction went through, or compute. `merged` is as deviceId() takes it. */
  engine(device: number, engine: EngineName, merged = ''): LaneIndex {
    const key = `${merged} ${device} ${engine}`;
    const known = this.#engines.get(key);
    if (known !== undefined) return known;
    const rank = [laneRanks.engine, this.mergedRank(merged), device, engineRanks[engine]];
    const index = this.add(engineLane(deviceId(device, merged), engine), rank);
    this.#engines.set(key, index);
    return index;
  }

  /** The place of a merged trace's rank among its ranks. */
  mergedRank(merged: string): number {
    const known = this.#merged.get(merged);
    if (known !== undefined) return known;
    return this.#merged.set(merged, this.#merged.size).size - 1;
  }

  /**
   * The lanes in the order in which they are shown, and for each declared index its place there. `nameOf` may know a
   * better name than a lane was declared with; of several devices each lane names its own.
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
      // A thread whose number is a word has no rank: it stays where it appeared.
      if (difference > 0 || difference < 0) return difference;
    }
    return a - b;
  }
}

/** Of a merged trace, the devices of two ranks are two, though each calls its own 0: `merged` is the rank's name. */
export const deviceId = (device: number, merged = ''): string => `${merged}gpu${device}`;

function engineLane(gpu: string, engine: EngineName): Lane {
  if (engine === 'compute') return { kind: 'compute', id: `compute:${gpu}`, name: 'Compute', device: gpu };
  if (engine === 'peer') {
    return { kind: 'copy-engine', id: `engine:${gpu}:peer`, name: 'Peer copies', device: gpu, direction: 'd2d' };
  }
  const name = `${engine.toUpperCase()} engine`;
  return { kind: 'copy-engine', id: `engine:${gpu}:${engine}`, name, device: gpu, direction: engine };
}
