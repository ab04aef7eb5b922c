/** The lanes of a PyTorch trace: its threads, streams and engines. */
import type { Lane, LaneIndex } from '../../trace/trace.ts';
import { deviceId, type EngineName, LaneList, laneRanks } from '../laneList.ts';
import type { TextTable } from '../textTable.ts';

export class KinetoLanes {
  readonly #texts: TextTable;
  readonly #list = new LaneList();
  readonly #threads = new Map<number, LaneIndex>();
  /** Process and thread of a host thread's lane, as the file writes them, in one number. */
  readonly #threadKeys = new Map<LaneIndex, number>();
  readonly #streams = new Map<number, LaneIndex>();
  readonly #threadNames = new Map<number, number>();
  /** The same by number of process and thread: those of a device are its streams. */
  readonly #streamNames = new Map<string, string>();
  readonly #streamKeys = new Map<LaneIndex, string>();
  #lastThread = -1;
  #lastThreadLane = -1;

  constructor(texts: TextTable) {
    this.#texts = texts;
  }

  get isFull(): boolean {
    return this.#list.isFull;
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
    this.#streamNames.set(`${this.#texts.text(pid)} ${this.#texts.text(tid)}`, this.#texts.text(name));
  }

  stream(device: number, stream: number): LaneIndex {
    const key = pair(device, stream);
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    const id = `stream:${deviceId(device)}:${stream}`;
    const lane = { kind: 'stream', id, name: String(stream), device: deviceId(device) } as const;
    const index = this.#list.add(lane, [laneRanks.stream, device, stream]);
    this.#streams.set(key, index);
    this.#streamKeys.set(index, `${device} ${stream}`);
    return index;
  }

  /** The engine that a copy of this direction went through, or compute. */
  engine(device: number, engine: EngineName): LaneIndex {
    return this.#list.engine(device, engine);
  }

  /** The lanes in the order in which they are shown, and for each declared index its place there. */
  finish(): { readonly lanes: Lane[]; readonly places: Int32Array } {
    return this.#list.finish((lane, index) => {
      if (lane.kind === 'stream') return this.#streamName(lane, index);
      const key = this.#threadKeys.get(index);
      const own = key === undefined ? undefined : this.#threadNames.get(key);
      return own === undefined ? lane.name : this.#texts.text(own);
    });
  }

  /** 'stream 7 copies' is what the profiler writes where the program has called its stream 'copies'. */
  #streamName({ name }: Lane, index: LaneIndex): string {
    const given = this.#streamNames.get(this.#streamKeys.get(index) ?? '') ?? '';
    const own = given.replace(/^stream\s+-?\d+/i, '').trim();
    // A trace that Copyscope wrote names the stream as it shows it.
    const shown = own.replace(/^gpu\d+ /, '');
    if (shown === name || shown.startsWith(`${name} `)) return shown;
    return own === '' ? name : `${name} ${own}`;
  }

  #addThread(key: number, pid: number, tid: number): LaneIndex {
    const [process, thread] = [this.#texts.text(pid), this.#texts.text(tid)];
    const lane: Lane = {
      kind: 'host-thread',
      id: `thread:${process}:${thread}`,
      name: `thread ${thread}`,
      device: '',
    };
    const index = this.#list.add(lane, [laneRanks.thread, Number(process), Number(thread)]);
    this.#threadKeys.set(index, key);
    this.#threads.set(key, index);
    return index;
  }
}

/** One number for two that are below 2^26, or -1. */
const pair = (a: number, b: number): number => (a + 1) * 2 ** 26 + (b + 1);
