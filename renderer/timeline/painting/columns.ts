/**
 * Rows narrower than a pixel, collected by pixel: the busy share of each, and the paint of its longest row. The sum
 * over all pixels is exactly the duration of those rows, so that a lane looks equally busy at any zoom.
 */
import type { PaintCode } from '../../common/palette.ts';

export class Columns {
  #busy = new Float64Array(0);
  #longest = new Float64Array(0);
  #paint = new Uint8Array(0);
  #width = 0;

  clear(width: number): void {
    this.#width = Math.ceil(width);
    if (this.#busy.length < this.#width) {
      this.#busy = new Float64Array(this.#width);
      this.#longest = new Float64Array(this.#width);
      this.#paint = new Uint8Array(this.#width);
    }
    this.#busy.fill(0);
    this.#longest.fill(-1);
  }

  /** Adds rows that start at `x` and take `busy` pixels together; `longest` is the longest one's duration. */
  add(x: number, busy: number, longest: number, paint: PaintCode): void {
    const at = Math.min(Math.max(Math.floor(x), 0), this.#width - 1);
    this.#busy[at] = (this.#busy[at] as number) + busy;
    if (longest > (this.#longest[at] as number)) {
      this.#longest[at] = longest;
      this.#paint[at] = paint;
    }
  }

  /** Calls `draw` from left to right for each busy pixel with its busy share, 0 to 1, and its paint. */
  each(draw: (x: number, share: number, paint: PaintCode) => void): void {
    let over = 0;
    let paint = 0;
    for (let x = 0; x < this.#width; x += 1) {
      const isOwn = (this.#longest[x] as number) >= 0;
      if (!isOwn && over <= 0) continue;
      // A row that starts late in a pixel reaches into the next one.
      const busy = (this.#busy[x] as number) + over;
      if (isOwn) paint = this.#paint[x] as number;
      const share = Math.min(busy, 1);
      over = x === this.#width - 1 ? 0 : busy - share;
      if (over < 1e-9) over = 0;
      draw(x, share, paint);
    }
  }
}
