/**
 * Makes correlations unique. CUPTI counts them anew in each process, but a trace's column joins all rows: so each
 * process gets numbers of its own, in the order of its calls.
 */
import { maxInt32 } from '../trace/rules.ts';
import { larger } from './textTable.ts';

export class Correlations {
  #values = new Float64Array(1 << 12);
  /** Process of each row, as an index into those below. */
  #processes = new Int32Array(1 << 12);
  readonly #indices = new Map<number, number>();
  readonly #least: number[] = [];
  readonly #most: number[] = [];

  /** Sets a row's call; any value that isn't a number above 0 means none. */
  set(row: number, process: number, correlation: number): void {
    if (!(correlation > 0 && correlation < 2 ** 32)) return;
    if (row >= this.#values.length) {
      const length = Math.max(row + 1, Math.ceil(this.#values.length * 1.5));
      this.#values = larger(this.#values, length);
      this.#processes = larger(this.#processes, length);
    }
    const index = this.#index(process);
    this.#values[row] = correlation;
    this.#processes[row] = index;
    this.#least[index] = Math.min(this.#least[index] ?? correlation, correlation);
    this.#most[index] = Math.max(this.#most[index] ?? correlation, correlation);
  }

  /** Fills the column of `count` rows; 0 if a row has none. */
  fill(column: Int32Array, count: number): void {
    let next = 1;
    const offsets = this.#least.map((least, index) => {
      const offset = next - least;
      next += (this.#most[index] ?? least) - least + 1;
      return offset;
    });
    for (let row = 0; row < Math.min(count, this.#values.length); row += 1) {
      const value = this.#values[row] ?? 0;
      if (value === 0) continue;
      // Wraps beyond 2^31, where calls that far apart may collide.
      column[row] = ((value + (offsets[this.#processes[row] ?? 0] ?? 0) - 1) % maxInt32) + 1;
    }
  }

  #index(process: number): number {
    const known = this.#indices.get(process);
    if (known !== undefined) return known;
    const index = this.#indices.size;
    this.#indices.set(process, index);
    return index;
  }
}
