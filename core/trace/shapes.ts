/**
 * Shapes that one frame draws of a lane, as columns that are refilled for each frame. A frame has tens of thousands of
 * shapes; objects would cost more than drawing them.
 */
export class Shapes {
  length = 0;
  startNs = new Float64Array(256);
  endNs = new Float64Array(256);
  busyNs = new Float64Array(256);
  /** The row; for a block of rows, the longest. */
  row = new Uint32Array(256);
  count = new Uint32Array(256);

  clear(): void {
    this.length = 0;
  }

  add(startNs: number, endNs: number, busyNs: number, row: number, count: number): void {
    const at = this.length;
    if (at === this.startNs.length) this.#grow();
    this.startNs[at] = startNs;
    this.endNs[at] = endNs;
    this.busyNs[at] = busyNs;
    this.row[at] = row;
    this.count[at] = count;
    this.length = at + 1;
  }

  #grow(): void {
    const capacity = 2 * this.startNs.length;
    const [startNs, endNs, busyNs] = [this.startNs, this.endNs, this.busyNs];
    const [row, count] = [this.row, this.count];
    this.startNs = new Float64Array(capacity);
    this.endNs = new Float64Array(capacity);
    this.busyNs = new Float64Array(capacity);
    this.row = new Uint32Array(capacity);
    this.count = new Uint32Array(capacity);
    this.startNs.set(startNs);
    this.endNs.set(endNs);
    this.busyNs.set(busyNs);
    this.row.set(row);
    this.count.set(count);
  }
}
