/**
 * Device buffers that were copied to and that no kernel has read yet, by the stream whose next kernel reads them. Each
 * stream has a queue, so the state at a moment is a position in it rather than a list.
 */
interface Line {
  /** Buffers in the queue, in order of arrival. */
  readonly buffers: Set<string>;
  /** Number of buffers that have left the queue at its front. */
  left: number;
}

export class UnreadBuffers {
  readonly #lines = new Map<string, Line>();
  /** Streams in whose queues each buffer is. */
  readonly #streams = new Map<string, Set<string>>();

  add(stream: string, buffer: string): void {
    this.#line(stream).buffers.add(buffer);
    const known = this.#streams.get(buffer);
    if (known === undefined) this.#streams.set(buffer, new Set([stream]));
    else known.add(stream);
  }

  /** Returns the present end of the queue, for handOver(). */
  place(stream: string): number {
    const { left, buffers } = this.#line(stream);
    return left + buffers.size;
  }

  /** Moves buffers before `place` to the queue of another stream, whose next kernel reads them. */
  handOver(from: string, place: number, to: string): void {
    for (const buffer of this.#take(from, place - this.#line(from).left)) this.add(to, buffer);
  }

  /** Returns the first `most` buffers and empties the queue, since all count as read. */
  read(stream: string, most: number): string[] {
    return this.#take(stream, Number.POSITIVE_INFINITY).slice(0, most);
  }

  isUnreadIn(buffer: string, isAsked: (stream: string) => boolean): boolean {
    for (const stream of this.#streams.get(buffer) ?? []) if (isAsked(stream)) return true;
    return false;
  }

  #take(stream: string, count: number): string[] {
    const line = this.#line(stream);
    const taken: string[] = [];
    for (const buffer of line.buffers) {
      if (taken.length >= count) break;
      taken.push(buffer);
    }
    for (const buffer of taken) {
      line.buffers.delete(buffer);
      this.#streams.get(buffer)?.delete(stream);
    }
    line.left += taken.length;
    return taken;
  }

  #line(stream: string): Line {
    const known = this.#lines.get(stream);
    if (known !== undefined) return known;
    const line = { buffers: new Set<string>(), left: 0 };
    this.#lines.set(stream, line);
    return line;
  }
}
