/** Boxes to fill, four numbers each: x, y, width, height. Frames reuse them, so that they make no garbage. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export class Boxes {
  #values = new Float32Array(64);
  #length = 0;

  /** Number of values, four for each box. */
  get length(): number {
    return this.#length;
  }

  get values(): Float32Array {
    return this.#values;
  }

  clear(): void {
    this.#length = 0;
  }

  add(x: number, y: number, width: number, height: number): void {
    const at = this.#length;
    if (at === this.#values.length) {
      const grown = new Float32Array(2 * at);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[at] = x;
    this.#values[at + 1] = y;
    this.#values[at + 2] = width;
    this.#values[at + 3] = height;
    this.#length = at + 4;
  }

  /** Returns the boxes as objects, for tests. */
  all(): Box[] {
    return Array.from({ length: this.#length / 4 }, (_, index) => {
      const [x = 0, y = 0, width = 0, height = 0] = this.#values.subarray(4 * index, 4 * index + 4);
      return { x, y, width, height };
    });
  }
}
