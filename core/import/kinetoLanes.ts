/** The lanes of an imported trace: declared as they appear, and put in order when everything has been read. */
import type { CopyDirection, Lane, LaneIndex } from '../trace/trace.ts';
import type { TextTable } from './textTable.ts';

/** As many as a run file's reader takes, less the engines of every device. */
const mostLanes = 9000;

interface Declared {
  readonly lane: Lane;
  /** Sorts lanes: host threads, streams, engines; then by device and number. */
  readonly rank: readonly number[];
  /** Process and thread of a host thread, as the file writes them. */
  readonly thread?: { readonly pid: number; readonly tid: number };
}

export type EngineName = CopyDirection | 'compute' | 'peer';

const engineRanks: Readonly<Record<EngineName, number>> = { h2d: 0, d2h: 1, d2d: 2, peer: 2, h2h: 3, compute: 4 };

export class KinetoLanes {
  readonly #texts: TextTable;
  readonly #declared: Declared[] = [];
  readonly #threads = new Map<number, LaneIndex>();
  readonly #streams = new Map<number, LaneIndex>();
  readonly #engines = new Map<string, LaneIndex>();
  readonly #threadNames = new Map<number, number>();
  #lastThread = -1;
  #lastThreadLane = -1;

  constructor(texts: TextTable) {
    this.#texts = texts;
  }

  get isFull(): boolean {
    return this.#declared.length > mostLanes;
  }

  /** `pid` and `tid` are text ids. */
  thread(pid: number, tid: number): LaneIndex {
    const key = pair(pid, tid);
    if (key === this.#lastThread) return this.#lastThreadLane;
    const lane = this.#threads.get(key) ?? this.#addThread(key, pid, tid);
    this.#lastThread = key;
    this.#lastThreadLane = lane;
    return lane;
  }

  /** A metadata event's name for a thread. */
  nameThread(pid: number, tid: number, name: number): void {
    this.#threadNames.set(pair(pid, tid), name);
  }

  stream(device: number, stream: number): LaneIndex {
    const key = pair(device, stream);
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    const id = `stream:${deviceId(device)}:${stream}`;
    const lane = { kind: 'stream', id, name: String(stream), device: deviceId(device) } as const;
    const index = this.#add({ lane, rank: [1, device, stream] });
    this.#streams.set(key, index);
    return index;
  }

  /** The engine that a copy of this direction went through, or compute. */
  engine(device: number, engine: EngineName): LaneIndex {
    const key = `${device} ${engine}`;
    const known = this.#engines.get(key);
    if (known !== undefined) return known;
    const index = this.#add({ lane: engineLane(device, engine), rank: [2, device, engineRanks[engine]] });
    this.#engines.set(key, index);
    return index;
  }

  /** The lanes in the order in which they are shown, and for each declared index its place there. */
  finish(): { readonly lanes: Lane[]; readonly places: Int32Array } {
    const several = new Set(this.#declared.map(({ lane }) => lane.device).filter((device) => device !== '')).size > 1;
    const order = this.#declared.map((_, index) => index).sort((a, b) => this.#compare(a, b));
    const places = new Int32Array(order.length);
    for (const [place, index] of order.entries()) places[index] = place;
    const lanes = order.flatMap((index) => {
      const declared = this.#declared[index];
      return declared === undefined ? [] : [this.#named(declared, several)];
    });
    return { lanes, places };
  }

  #addThread(key: number, pid: number, tid: number): LaneIndex {
    const [process, thread] = [this.#texts.text(pid), this.#texts.text(tid)];
    const id = `thread:${process}:${thread}`.slice(0, 200);
    const clash = this.#declared.some(({ lane }) => lane.id === id);
    const lane: Lane = {
      kind: 'host-thread',
      id: clash ? `thread:${this.#declared.length}` : id,
      name: `thread ${thread}`,
      device: '',
    };
    const index = this.#add({ lane, rank: [0, Number(process), Number(thread)], thread: { pid, tid } });
    this.#threads.set(key, index);
    return index;
  }

  #add(declared: Declared): LaneIndex {
    return this.#declared.push(declared) - 1;
  }

  #named({ lane, thread }: Declared, severalDevices: boolean): Lane {
    const own = thread === undefined ? undefined : this.#threadNames.get(pair(thread.pid, thread.tid));
    const name = own === undefined ? lane.name : this.#texts.text(own);
    const prefix = severalDevices && lane.device !== '' ? `${lane.device} ` : '';
    return { ...lane, name: `${prefix}${name}`.slice(0, 200) };
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

export const deviceId = (device: number): string => `gpu${device}`;

function engineLane(device: number, engine: EngineName): Lane {
  const gpu = deviceId(device);
  if (engine === 'compute') return { kind: 'compute', id: `compute:${gpu}`, name: 'Compute', device: gpu };
  if (engine === 'peer') {
    return { kind: 'copy-engine', id: `engine:${gpu}:peer`, name: 'Peer copies', device: gpu, direction: 'd2d' };
  }
  const name = `${engine.toUpperCase()} engine`;
  return { kind: 'copy-engine', id: `engine:${gpu}:${engine}`, name, device: gpu, direction: engine };
}

/** One number for two that are below 2^26, or -1. */
const pair = (a: number, b: number): number => (a + 1) * 2 ** 26 + (b + 1);
