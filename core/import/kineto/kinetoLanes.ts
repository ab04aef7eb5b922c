/** Lanes of a PyTorch trace: its threads, streams and engines. */

import { type Pid, readPid } from '../../trace/ranks.ts';
import type { Lane, LaneIndex } from '../../trace/trace.ts';
import { deviceId, type EngineName, LaneList, laneRanks } from '../laneList.ts';
import type { TextTable } from '../textTable.ts';
import type { Owner } from './rankCalls.ts';

export class KinetoLanes {
  readonly #texts: TextTable;
  readonly #list = new LaneList();
  readonly #threads = new Map<number, LaneIndex>();
  /** Process and thread of a host thread's lane, as in the file, combined into one number. */
  readonly #threadKeys = new Map<LaneIndex, number>();
  /** By rank, then by device and stream combined into one number. */
  readonly #streams = new Map<string, Map<number, LaneIndex>>();
  readonly #pids = new Map<number, Pid>();
  /** Owner of each lane with rows. */
  readonly #owners: Owner[] = [];
  readonly #threadNames = new Map<number, number>();
  /** By process and thread number; those of a device are its streams. */
  readonly #streamNames = new Map<string, string>();
  readonly #streamKeys = new Map<LaneIndex, string>();
  /** Process group of streams with collectives, as text ids of name and ranks; null if there are several. */
  readonly #groups = new Map<LaneIndex, readonly [name: number, ranks: number] | null>();
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

  /** Sets a thread's name from a metadata event. */
  nameThread(pid: number, tid: number, name: number): void {
    this.#threadNames.set(pair(pid, tid), name);
    const { rank, number } = this.#pid(pid);
    this.#streamNames.set(`${rank} ${number} ${this.#texts.text(tid)}`, this.#texts.text(name));
  }

  /** Returns the rank of a process or device; empty in a trace of one process. `pid` is a text id. */
  rank(pid: number): string {
    return pid < 0 ? '' : this.#pid(pid).rank;
  }

  /** Returns a stream's lane. Streams of two ranks are different, even if their devices have the same number. */
  stream(rank: string, device: number, stream: number): LaneIndex {
    const own = this.#streams.get(rank) ?? new Map<number, LaneIndex>();
    const key = pair(device, stream);
    const known = own.get(key);
    if (known !== undefined) return known;
    const gpu = deviceId(device, rank);
    const lane = { kind: 'stream', id: `stream:${gpu}:${stream}`, name: String(stream), device: gpu } as const;
    const place = this.#list.mergedRank(rank);
    const index = this.#list.add(lane, [laneRanks.stream, place, device, stream]);
    this.#streams.set(rank, own.set(key, index));
    this.#streamKeys.set(index, `${rank} ${device} ${stream}`);
    this.#owners[index] = { rank: place, process: -1 };
    return index;
  }

  /** Records that a collective of this process group ran in a stream. */
  communicates(lane: LaneIndex, name: number, ranks: number): void {
    const known = this.#groups.get(lane);
    if (known === undefined) this.#groups.set(lane, [name, ranks]);
    else if (known !== null && (known[0] !== name || known[1] !== ranks)) this.#groups.set(lane, null);
  }

  /** Returns the engine of a copy in this direction, or compute. */
  engine(rank: string, device: number, engine: EngineName): LaneIndex {
    return this.#list.engine(device, engine, rank);
  }

  /** Returns the owner of each declared lane; engines have none. */
  owners(): readonly Owner[] {
    return Array.from(this.#owners, (owner) => owner ?? { rank: -1, process: -1 });
  }

  /** Returns the lanes in display order, and the position of each declared index. */
  finish(): { readonly lanes: Lane[]; readonly places: Int32Array } {
    const { lanes, places } = this.#list.finish((lane, index) => {
      if (lane.kind === 'stream') return this.#streamName(lane, index);
      return lane.kind === 'host-thread' ? this.#threadName(lane, index) : lane.name;
    });
    for (const [index, group] of this.#groups) {
      const [place, lane] = [places[index] ?? -1, lanes[places[index] ?? -1]];
      if (group === null || lane === undefined) continue;
      const texts = group.map((id) => (id < 0 ? '' : this.#texts.text(id)));
      lanes[place] = { ...lane, communicator: texts.join(' ').trim().slice(0, longestGroup) };
    }
    return { lanes, places };
  }

  /** Includes the rank, if there is one: threads of all ranks have the same names. */
  #threadName({ name }: Lane, index: LaneIndex): string {
    const key = this.#threadKeys.get(index);
    const given = key === undefined ? undefined : this.#threadNames.get(key);
    const own = given === undefined ? name : this.#texts.text(given);
    const rank = this.rank(this.#owners[index]?.process ?? -1);
    // Traces written by Copyscope already include it.
    return rank === '' || own.startsWith(`${rank} `) ? own : `${rank} ${own}`;
  }

  /** The profiler writes 'stream 7 copies' if the program has named its stream 'copies'. */
  #streamName({ name }: Lane, index: LaneIndex): string {
    const given = this.#streamNames.get(this.#streamKeys.get(index) ?? '') ?? '';
    const own = given.replace(/^stream\s+-?\d+/i, '').trim();
    // Traces written by Copyscope contain the displayed name.
    const shown = own.replace(/^\S*gpu\d+ /, '');
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
    const { rank, number } = this.#pid(pid);
    const place = this.#list.mergedRank(rank);
    const index = this.#list.add(lane, [
      laneRanks.thread,
      place,
      number === '' ? Number.NaN : Number(number),
      Number(thread),
    ]);
    this.#owners[index] = { rank: place, process: pid };
    this.#threadKeys.set(index, key);
    this.#threads.set(key, index);
    return index;
  }

  #pid(pid: number): Pid {
    const known = this.#pids.get(pid);
    if (known !== undefined) return known;
    const read = readPid(this.#texts.text(pid));
    this.#pids.set(pid, read);
    return read;
  }
}

/** Limit of the text: a large group has many ranks. */
const longestGroup = 1000;

/** Combines two numbers below 2^26, or -1, into one. */
const pair = (a: number, b: number): number => (a + 1) * 2 ** 26 + (b + 1);
