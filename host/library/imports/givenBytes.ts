/** A stream of bytes that can be read in pieces of any size. */
import type { ByteStream } from '../../../core/import/importedRun.ts';

export class GivenBytes {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  /** Position in the chunk. */
  #from = 0;
  #at = 0;

  constructor(source: ByteStream) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Number of bytes read. */
  get at(): number {
    return this.#at;
  }

  get #waiting(): Uint8Array {
    return this.#chunk.subarray(this.#from);
  }

  /** Resolves with true if `count` more bytes come. */
  async has(count: number): Promise<boolean> {
    while (this.#chunk.length - this.#from < count) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      this.#chunk = this.#from === this.#chunk.length ? next.value : Buffer.concat([this.#waiting, next.value]);
      this.#from = 0;
    }
    return true;
  }

  async beginsWith(bytes: readonly number[]): Promise<boolean> {
    return (await this.has(bytes.length)) && bytes.every((byte, index) => this.#waiting[index] === byte);
  }

  /** Returns at least one and at most `most` bytes, or null at the end. */
  async take(most: number): Promise<Uint8Array | null> {
    if (!(await this.has(1))) return null;
    const taken = this.#waiting.subarray(0, most);
    this.#move(taken.length);
    return taken;
  }

  /** Makes the last `count` bytes come again. */
  giveBack(count: number): void {
    this.#move(-count);
  }

  async skipWhile(isSkipped: (byte: number) => boolean): Promise<void> {
    while (await this.has(1)) {
      const stop = this.#waiting.findIndex((byte) => !isSkipped(byte));
      this.#move(stop < 0 ? this.#waiting.length : stop);
      if (stop >= 0) return;
    }
  }

  async *rest(): ByteStream {
    const waiting = this.#waiting;
    if (waiting.length > 0) yield waiting;
    yield* { [Symbol.asyncIterator]: () => this.#chunks };
  }

  #move(count: number): void {
    this.#from += count;
    this.#at += count;
  }
}
