/**
 * Device buffers that were copied to and that no kernel has read yet, by the stream whose next kernel reads them. In each
 * stream they stand in line, so that what was there at some moment is a place in it and no list.
 */
interface Line {
  /** Buffers that stand in it, in the order in which they came. */
  readonly buffers: Set<string>;
  /** How many have left it, all of them from its front. */
  left: number;
}

export class UnreadBuffers {
  readonly #lines = new Map<string, Line>();
  /** Of each buffer the streams in whose lines it stands. */
  readonly #streams = new Map<string, Set<string>>();

  add(stream: string, buffer: string): void {
    this.#line(stream).buffers.add(buffer);
    const known = this.#streams.get(buffer);
    if (known === undefined) this.#streams.set(buffer, new Set([stream]));
    else known.add(stream);
  }

  /** The end of the line as it is now, for handOver(). */
  place(stream: string): number {
    const { left, buffers } = this.#line(stream);
    return left + buffers.size;
  }

  /** What stood before `place` waits for the other stream's next kernel from now on. */
  handOver(from: string, place: number, to: string): void {
    for (const buffer of this.#take(from, place - this.#line(from).left)) this.add(to, buffer);
  }

  /** The first `most` of them; all have been read then. */
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
