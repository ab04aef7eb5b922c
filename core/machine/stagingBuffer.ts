/**
 * The page-locked buffer through which the driver brings pageable memory to a device: it has few slots, one call at a
 * time fills them, and a slot is free again once its piece has crossed. On an H200 the third of three pageable copies of
 * 100 KB whose stream was held up returned only when the first of them had crossed, and another thread's pageable
 * copy of 256 KB only when one of 8 MB had been staged.
 */
import { Fifo } from './fifo.ts';

export interface StagingTurn {
  /** It may fill slots now, or another one has become free. */
  maySlot(nowNs: number): void;
}

export class StagingBuffer {
  readonly #waiting = new Fifo<StagingTurn>();
  #free: number;
  #holder: StagingTurn | null = null;

  constructor(slots: number) {
    this.#free = slots;
  }

  /** False where another call fills slots; it hears of it when its turn has come. */
  enter(turn: StagingTurn): boolean {
    if (this.#holder !== null) {
      this.#waiting.push(turn);
      return false;
    }
    this.#holder = turn;
    return true;
  }

  /** Whether the one whose turn it is has got a slot. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  give(nowNs: number): void {
    this.#free += 1;
    this.#holder?.maySlot(nowNs);
  }

  leave(nowNs: number): void {
    this.#holder = this.#waiting.shift() ?? null;
    this.#holder?.maySlot(nowNs);
  }
}
