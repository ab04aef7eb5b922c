/** Takes a file's bytes as they come. Its first bytes decide how it is handled. */
import { sniffedBytes } from '../../../core/import/sniff.ts';
import type { Imported } from '../../../core/service/service.ts';

export interface Sink {
  /** Resolves when more bytes can be taken. Rejects if the file is refused. */
  push(part: Uint8Array): Promise<void>;
  /** Called after all bytes: validates the file, and stores it. */
  finish(): Promise<Imported>;
  /** Called if no more bytes come. Deletes everything of it. */
  abandon(): Promise<void>;
}

/** Holds the first bytes back until they identify the file, then passes all to the sink that `choose` makes. */
export class SniffingSink implements Sink {
  readonly #choose: (head: Uint8Array) => Sink;
  #head = new Uint8Array(0);
  #sink: Sink | null = null;

  constructor(choose: (head: Uint8Array) => Sink) {
    this.#choose = choose;
  }

  async push(part: Uint8Array): Promise<void> {
    if (this.#sink !== null) return this.#sink.push(part);
    this.#head = Buffer.concat([this.#head, part]);
    if (this.#head.length >= sniffedBytes) await this.#chosen();
  }

  async finish(): Promise<Imported> {
    return (this.#sink ?? (await this.#chosen())).finish();
  }

  async abandon(): Promise<void> {
    this.#head = new Uint8Array(0);
    await this.#sink?.abandon();
  }

  async #chosen(): Promise<Sink> {
    const sink = this.#choose(this.#head);
    this.#sink = sink;
    const head = this.#head;
    this.#head = new Uint8Array(0);
    if (head.length > 0) await sink.push(head);
    return sink;
  }
}
