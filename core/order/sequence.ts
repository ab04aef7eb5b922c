/** Work that runs one after another although it is in several streams, such as the launches of one graph. */
import { type Call, type Caller, countBefore, type Issued } from './calls.ts';
import { type Clock, joinCompleted } from './clock.ts';

interface Member extends Issued {
  readonly position: number;
}

interface InLane {
  readonly thread: number;
  readonly members: Member[];
}

export class Sequence {
  readonly #byLane = new Map<number, InLane>();
  /** The program has one host thread, which asks for the last member only. */
  readonly #isAlone: boolean;

  constructor(isAlone: boolean) {
    this.#isAlone = isAlone;
  }

  add(issued: Issued, { thread, position }: Pick<Call, 'thread' | 'position'>): void {
    const member = { ...issued, position };
    const inLane = this.#byLane.get(issued.lane);
    if (inLane === undefined || this.#isAlone) this.#byLane.set(issued.lane, { thread, members: [member] });
    else inLane.members.push(member);
  }

  /** Joins what surely came before the call: of each lane the last, which has the lane's earlier ones behind it. */
  joinInto(start: Clock, { thread, host }: Pick<Caller, 'thread' | 'host'>): void {
    for (const [lane, { thread: from, members }] of this.#byLane) {
      const before = from === thread ? members.length : countBefore(members, host[from] ?? 0);
      const last = members[before - 1];
      if (last !== undefined) joinCompleted(start, last.start, lane, last.index);
    }
  }
}
