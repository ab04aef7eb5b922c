/** Work in several streams that runs one after another, such as the launches of one graph. */
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
  /** Whether the program has one host thread, which needs the last member only. */
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

  /** Joins what certainly came before the call: the last of each lane, which includes the lane's earlier ones. */
  joinInto(start: Clock, { thread, host }: Pick<Caller, 'thread' | 'host'>): void {
    for (const [lane, { thread: from, members }] of this.#byLane) {
      const before = from === thread ? members.length : countBefore(members, host[from] ?? 0);
      const last = members[before - 1];
      if (last !== undefined) joinCompleted(start, last.start, lane, last.index);
    }
  }
}
