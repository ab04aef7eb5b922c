/** Lanes of an Nsight Systems export: threads and streams of its processes, and engines of its devices. */
import type { LaneIndex } from '../../trace/trace.ts';
import { deviceId, type EngineName, LaneList, laneRanks } from '../laneList.ts';
import type { GlobalId } from './database.ts';
import type { StreamFlag } from './kinds.ts';

export class NsightLanes {
  readonly #list = new LaneList();
  readonly #threads = new Map<string, LaneIndex>();
  readonly #threadNames = new Map<string, string>();
  readonly #streams = new Map<string, LaneIndex>();
  /** By process and stream, for any device: some records name a stream and another device. */
  readonly #streamsOfProcess = new Map<string, LaneIndex>();
  readonly #numbers = new Set<string>();
  readonly #streamFlags = new Map<string, StreamFlag>();
  readonly #words = new Map<LaneIndex, string>();
  readonly #pids = new Map<LaneIndex, number>();
  /** Texts for the processes that have streams. */
  readonly #ofProcess = new Map<number, string>();

  get isFull(): boolean {
    return this.#list.isFull;
  }

  nameThread({ process, tid }: GlobalId, name: string): void {
    this.#threadNames.set(`${process} ${tid}`, name);
  }

  flagStream(pid: number, stream: number, flag: StreamFlag): void {
    this.#streamFlags.set(`${pid} ${stream}`, flag);
  }

  thread({ process, pid, tid }: GlobalId): LaneIndex {
    const key = `${process} ${tid}`;
    const known = this.#threads.get(key);
    if (known !== undefined) return known;
    const lane = { kind: 'host-thread', id: `thread:${pid}:${tid}`, name: `thread ${tid}`, device: '' } as const;
    const index = this.#list.add(lane, [laneRanks.thread, pid, tid]);
    this.#threads.set(key, index);
    this.#words.set(index, this.#threadNames.get(key) ?? '');
    this.#pids.set(index, pid);
    return index;
  }

  /** Returns a stream's lane. Streams of two processes are different, even on one device. */
  stream({ process, pid }: GlobalId, device: number, stream: number): LaneIndex {
    const key = `${process} ${device} ${stream}`;
    const known = this.#streams.get(key);
    if (known !== undefined) return known;
    const id = `stream:${deviceId(device)}:${stream}`;
    const isTaken = this.#numbers.has(id);
    this.#numbers.add(id);
    const lane = {
      kind: 'stream',
      id: isTaken ? `${id}:p${pid}` : id,
      name: isTaken ? `${stream} of process ${pid}` : String(stream),
      device: deviceId(device),
    } as const;
    const index = this.#list.add(lane, [laneRanks.stream, device, stream, pid]);
    this.#streams.set(key, index);
    if (!this.#ofProcess.has(process)) this.#ofProcess.set(process, this.#newWords(pid));
    if (!this.#streamsOfProcess.has(`${process} ${stream}`)) this.#streamsOfProcess.set(`${process} ${stream}`, index);
    this.#words.set(index, this.#streamFlags.get(`${pid} ${stream}`) ?? '');
    return index;
  }

  /** Returns the lane of a stream with activity; null for any other. */
  knownStream({ process }: GlobalId, stream: number): LaneIndex | null {
    return this.#streamsOfProcess.get(`${process} ${stream}`) ?? null;
  }

  /** Returns the text that distinguishes a process's events from those of others; empty if no other has streams. */
  ofProcess({ process }: GlobalId): string {
    return this.#ofProcess.size < 2 ? '' : (this.#ofProcess.get(process) ?? '');
  }

  /** Processes of two machines may have the same number. */
  #newWords(pid: number): string {
    const words = ` of process ${pid}`;
    return [...this.#ofProcess.values()].includes(words) ? `${words}.${this.#ofProcess.size}` : words;
  }

  /** Returns the engine of a copy in this direction, or compute. */
  engine(device: number, engine: EngineName): LaneIndex {
    return this.#list.engine(device, engine);
  }

  /** Returns the lanes in display order, and the position of each declared index. */
  finish(): ReturnType<LaneList['finish']> {
    const severalProcesses = new Set(this.#pids.values()).size > 1;
    return this.#list.finish(({ name }, index) => {
      const pid = this.#pids.get(index);
      const process = pid === undefined || !severalProcesses ? '' : `process ${pid}, `;
      const word = this.#words.get(index) ?? '';
      return `${process}${name}${word === '' ? '' : ` (${word})`}`;
    });
  }
}
