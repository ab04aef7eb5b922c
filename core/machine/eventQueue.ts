/** The simulated clock: events in order of time, then in the order in which they were scheduled. */

export interface Actor {
  /** Handles an event. `what` is the number with which it was scheduled. */
  act(what: number, nowNs: number): void;
}

const initialCapacity = 1024;
const maxSkips = 256;

/**
 * A binary heap in typed arrays, without an object per event. Equal times come out in the order in which they went in,
 * so equal input gives equal results.
 */
export class EventQueue {
  nowNs = 0;
  /** Number of clock moves so far, a measure of progress. */
  moves = 0;
  #size = 0;
  #scheduled = 0;
  #skips = 0;
  #times = new Float64Array(initialCapacity);
  #order = new Float64Array(initialCapacity);
  #whats = new Int32Array(initialCapacity);
  readonly #actors: (Actor | undefined)[] = [];

  /** Time of the next event; infinite if none is scheduled. */
  get nextNs(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#times[0] ?? 0);
  }

  /**
   * Moves the clock to `atNs` if nothing else happens before, and returns whether it did. Saves the heap for an actor
   * that continues by itself. Refuses now and then, so that advance() returns in bounded time.
   */
  skipTo(atNs: number): boolean {
    if (this.nextNs <= atNs || this.#skips === maxSkips) return false;
    this.#skips += 1;
    this.moves += 1;
    this.nowNs = atNs;
    return true;
  }

  schedule(atNs: number, actor: Actor, what: number): void {
    const index = this.#size;
    if (index === this.#times.length) this.#grow();
    this.#size += 1;
    this.#scheduled += 1;
    this.#rise(index, Math.max(atNs, this.nowNs), this.#scheduled, what, actor);
  }

  /** Moves the clock to the next event and handles it. Returns false if none is scheduled. */
  advance(): boolean {
    const actor = this.#actors[0];
    if (this.#size === 0 || actor === undefined) return false;
    const what = this.#whats[0] ?? 0;
    this.nowNs = this.#times[0] ?? 0;
    this.#skips = 0;
    this.moves += 1;
    this.#removeFirst();
    actor.act(what, this.nowNs);
    return true;
  }

  #rise(from: number, time: number, order: number, what: number, actor: Actor): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      // The new event is the newest, so it passes only strictly later ones.
      if ((this.#times[parent] ?? 0) <= time) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#put(index, time, order, what, actor);
  }

  #removeFirst(): void {
    this.#size -= 1;
    const last = this.#size;
    const actor = this.#actors[last];
    this.#actors[last] = undefined;
    if (last === 0 || actor === undefined) return;
    // No arrays here: this runs for every event.
    const time = this.#times[last] ?? 0;
    const order = this.#order[last] ?? 0;
    const what = this.#whats[last] ?? 0;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#before(child + 1, child)) child += 1;
      const childTime = this.#times[child] ?? 0;
      if (time < childTime || (time === childTime && order < (this.#order[child] ?? 0))) break;
      this.#move(child, index);
      index = child;
    }
    this.#put(index, time, order, what, actor);
  }

  #before(a: number, b: number): boolean {
    const left = this.#times[a] ?? 0;
    const right = this.#times[b] ?? 0;
    return left < right || (left === right && (this.#order[a] ?? 0) < (this.#order[b] ?? 0));
  }

  #move(from: number, to: number): void {
    this.#times[to] = this.#times[from] ?? 0;
    this.#order[to] = this.#order[from] ?? 0;
    this.#whats[to] = this.#whats[from] ?? 0;
    this.#actors[to] = this.#actors[from];
  }

  #put(index: number, time: number, order: number, what: number, actor: Actor): void {
    this.#times[index] = time;
    this.#order[index] = order;
    this.#whats[index] = what;
    this.#actors[index] = actor;
  }

  #grow(): void {
    const capacity = this.#times.length * 2;
    const [times, order, whats] = [this.#times, this.#order, this.#whats];
    this.#times = new Float64Array(capacity);
    this.#order = new Float64Array(capacity);
    this.#whats = new Int32Array(capacity);
    this.#times.set(times);
    this.#order.set(order);
    this.#whats.set(whats);
  }
}
