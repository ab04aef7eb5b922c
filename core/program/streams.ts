/** Resolves stream references: declared streams, and the predefined default streams. */
import type { Experiment } from '../experiment/experiment.ts';
import type { ProgramStream } from './program.ts';

/** Streams that a program uses: the declared ones, then default streams in order of first use. */
export class StreamTable {
  readonly streams: ProgramStream[];
  readonly #experiment: Experiment;
  readonly #indices: Map<string, number>;

  constructor(experiment: Experiment) {
    this.#experiment = experiment;
    this.streams = experiment.streams.map((stream) => ({
      id: stream.id,
      kind: stream.flags,
      device: this.#device(stream.device),
      priority: stream.priority,
      thread: -1,
    }));
    this.#indices = new Map(this.streams.map((stream, index) => [stream.id, index]));
  }

  /** Returns the index of the stream that `id` means in host thread `thread`. */
  resolve(id: string, thread: number): number {
    const declared = this.#indices.get(id);
    if (declared !== undefined) return declared;
    const meaning = id === 'default' ? this.#experiment.environment.defaultStream : id;
    return meaning === 'legacy' ? this.#legacy(thread) : this.#perThread(thread);
  }

  #legacy(thread: number): number {
    const device = this.#device(this.#experiment.threads[thread]?.device);
    const name = device === 0 ? 'legacy default' : `legacy default ${this.#experiment.devices[device]?.id}`;
    return this.#define(name, { kind: 'legacy-default', device, thread: -1 });
  }

  #perThread(thread: number): number {
    const declared = this.#experiment.threads[thread];
    const device = this.#device(declared?.device);
    return this.#define(`default of ${declared?.id}`, { kind: 'per-thread-default', device, thread });
  }

  #define(id: string, stream: Pick<ProgramStream, 'kind' | 'device' | 'thread'>): number {
    // Declared ids contain no space, so they never equal a default stream's name.
    const existing = this.#indices.get(id);
    if (existing !== undefined) return existing;
    this.#indices.set(id, this.streams.length);
    return this.streams.push({ id, priority: 0, ...stream }) - 1;
  }

  #device(id: string | undefined): number {
    return id === undefined ? 0 : this.#experiment.devices.findIndex((device) => device.id === id);
  }
}
