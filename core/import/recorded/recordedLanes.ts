/** Lanes of recorded processes: host threads, then streams, then the engines of each device. */
import type { LaneIndex } from '../../trace/trace.ts';
import { deviceId, type EngineName, LaneList, laneRanks } from '../laneList.ts';
import { placeOf, type RecordedProcess } from './recordedProcess.ts';

export class RecordedLanes {
  readonly #processes: readonly RecordedProcess[];
  readonly #list = new LaneList();
  readonly #threads = new Map<string, LaneIndex>();
  readonly #streams = new Map<string, LaneIndex>();

  constructor(processes: readonly RecordedProcess[]) {
    this.#processes = processes;
  }

  get isFull(): boolean {
    return this.#list.isFull;
  }

  /** Returns a thread's lane, by the process's index; -1 if there are too many. */
  thread(process: number, thread: number): LaneIndex {
    const key = `${process} ${thread}`;
    return this.#threads.get(key) ?? this.#keep(this.#threads, key, () => this.#addThread(process, thread));
  }

  stream(process: number, device: number, stream: number): LaneIndex {
    const key = `${process} ${placeOf(device, stream)}`;
    return this.#streams.get(key) ?? this.#keep(this.#streams, key, () => this.#addStream(process, device, stream));
  }

  /** Returns the text that distinguishes a process's events from those of others; empty if there is only one. */
  ofProcess(index: number): string {
    return this.#areSeveral ? ` of process ${this.#pid(index)}${this.#again(index)}` : '';
  }

  /** Returns the engine of a copy, or compute; -1 for none. */
  engine(device: number, engine: EngineName | null): LaneIndex {
    return engine === null ? -1 : this.#list.engine(device, engine);
  }

  /** Returns the lanes in display order, and the position of each declared index. */
  finish(): ReturnType<LaneList['finish']> {
    return this.#list.finish(({ name }) => name);
  }

  #keep(lanes: Map<string, LaneIndex>, key: string, add: () => LaneIndex): LaneIndex {
    if (this.isFull) return -1;
    const lane = add();
    lanes.set(key, lane);
    return lane;
  }

  #addThread(index: number, thread: number): LaneIndex {
    const pid = this.#pid(index);
    const name = this.#processes[index]?.threads.get(thread) ?? '';
    const own = thread === pid ? 'main' : name === '' ? `thread ${thread}` : `${name} (${thread})`;
    return this.#list.add(
      {
        kind: 'host-thread',
        id: `thread:${pid}:${thread}${this.#again(index)}`,
        name: `${this.#areSeveral ? `${pid} ` : ''}${own}`,
        device: '',
      },
      [laneRanks.thread, index, thread === pid ? 0 : 1, thread],
    );
  }

  #addStream(index: number, device: number, stream: number): LaneIndex {
    const pid = this.#pid(index);
    return this.#list.add(
      {
        kind: 'stream',
        id: `stream:${deviceId(device)}:${stream}${index === 0 ? '' : `:p${pid}${this.#again(index)}`}`,
        name: this.#areSeveral ? `${stream} (process ${pid})` : String(stream),
        device: deviceId(device),
      },
      [laneRanks.stream, device, index, stream],
    );
  }

  get #areSeveral(): boolean {
    return this.#processes.length > 1;
  }

  #pid(index: number): number {
    return this.#processes[index]?.header.pid ?? 0;
  }

  /** A program that exec()s another keeps its number, but both are processes here, with different ids. */
  #again(index: number): string {
    const pid = this.#pid(index);
    return this.#processes.findIndex(({ header }) => header.pid === pid) === index ? '' : `.${index}`;
  }
}
