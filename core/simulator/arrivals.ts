/**
 * Which buffers that host threads hold against known content are still to be filled: each byte that hasn't arrived is
 * counted as wrong, which takes longer than a look at a right one.
 */
import type { Program } from '../program/program.ts';
import type { Dependent, StreamEntry } from './entry.ts';

export class Arrivals {
  /** Copies under way into each of those buffers. */
  readonly #pending = new Map<number, { count: number }>();

  constructor({ threads }: Program) {
    for (const { instructions } of threads) {
      for (const one of instructions) {
        if (one.code === 'read' && one.expected !== null) this.#pending.set(one.buffer, { count: 0 });
      }
    }
  }

  /** `entry` has just been issued. */
  issued(entry: StreamEntry): void {
    if (this.#pending.size === 0) return;
    const { code, dst, hostBuffer } = entry.step;
    const pending = code === 'copy' && dst !== 'device' ? this.#pending.get(hostBuffer) : undefined;
    if (pending === undefined) return;
    pending.count += 1;
    const arrived: Dependent = {
      dependencyDone: () => {
        pending.count -= 1;
      },
    };
    entry.dependents.push(arrived);
  }

  isArriving(buffer: number): boolean {
    return (this.#pending.get(buffer)?.count ?? 0) > 0;
  }
}
