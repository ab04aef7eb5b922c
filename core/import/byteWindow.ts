/**
 * The unread part of a byte stream: chunks are added at the end, and read bytes are dropped. `bytes[end]` is always 0,
 * which no JSON text contains, so that loops over bytes need not compare positions.
 */
export class ByteWindow {
  bytes = new Uint8Array(1 << 16);
  /** Position of the next byte to read. */
  at = 0;
  /** Position after the last byte. */
  end = 0;
  /** Whether the stream has ended, so that nothing more will come. */
  closed = false;
  #dropped = 0;
  #droppedLines = 0;

  /** Drops everything before `at`, then adds the chunk. Positions stored elsewhere become invalid. */
  push(chunk: Uint8Array): void {
    this.#drop();
    const needed = this.end + chunk.length + 1;
    if (needed > this.bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2));
      larger.set(this.bytes.subarray(0, this.end));
      this.bytes = larger;
    }
    this.bytes.set(chunk, this.end);
    this.end += chunk.length;
    this.bytes[this.end] = 0;
  }

  /** Number of bytes that wait to be read. */
  get waiting(): number {
    return this.end - this.at;
  }

  /** Returns the number of bytes in the stream before a position. */
  offsetOf(position: number): number {
    return this.#dropped + position;
  }

  /** Returns the line of a position, counted from 1. */
  lineOf(position: number): number {
    return 1 + this.#droppedLines + this.#linesBefore(position);
  }

  #drop(): void {
    if (this.at === 0) return;
    this.#droppedLines += this.#linesBefore(this.at);
    this.#dropped += this.at;
    this.bytes.copyWithin(0, this.at, this.end);
    this.end -= this.at;
    this.at = 0;
  }

  #linesBefore(position: number): number {
    const { bytes } = this;
    let lines = 0;
    for (let index = 0; index < position; index += 1) if (bytes[index] === 0x0a) lines += 1;
    return lines;
  }
}
