/**
 * Copies that run alone on their devices (core/program/aloneCopies.ts): each waits for all earlier work of its devices,
 * and all later work waits for it, whatever the stream. Rule (core/rules): peer-copy.
 */
import { aloneOn } from '../program/aloneCopies.ts';
import type { Program } from '../program/program.ts';
import type { EngineIndex } from './engines.ts';
import type { StreamEntry } from './entry.ts';
import { emptyTail, follow, settle, type Tail } from './tail.ts';

interface DeviceStream {
  readonly device: number;
  readonly tail: Tail;
}

/** State of a device: the last such copy, the number of them, and the streams that got work since. */
interface Turns {
  readonly last: Tail;
  issued: number;
  readonly touched: number[];
}

export class AloneCopies {
  readonly #streams: readonly DeviceStream[];
  readonly #turns: readonly Turns[];
  /** By stream: whether it is in its device's `touched`, and the number of the copy that it already waits for. */
  readonly #isTouched: boolean[];
  readonly #seen: number[];

  constructor(streams: readonly DeviceStream[], devices: number) {
    this.#streams = streams;
    this.#turns = Array.from({ length: devices }, () => ({ last: emptyTail(), issued: 0, touched: [] }));
    this.#isTouched = streams.map(() => false);
    this.#seen = streams.map(() => 0);
  }

  /** Adds the dependencies of an entry, before it becomes the last of its stream. */
  issue(entry: StreamEntry): void {
    const { stream, step } = entry;
    const own = this.#turns[step.device];
    if (own !== undefined && this.#seen[stream] !== own.issued) {
      this.#seen[stream] = own.issued;
      follow(entry, own.last);
    }
    for (const device of step.alone) this.#takeTurn(entry, this.#turns[device]);
    if (own === undefined || this.#isTouched[stream] === true) return;
    this.#isTouched[stream] = true;
    own.touched.push(stream);
  }

  #takeTurn(entry: StreamEntry, turns: Turns | undefined): void {
    if (turns === undefined) return;
    for (const stream of turns.touched) {
      this.#isTouched[stream] = false;
      const other = this.#streams[stream];
      if (other !== undefined && stream !== entry.stream) follow(entry, other.tail);
    }
    turns.touched.length = 0;
    follow(entry, turns.last);
    turns.last.entry = entry;
    turns.issued += 1;
  }

  complete(entry: StreamEntry, nowNs: number, via: EngineIndex): void {
    for (const device of entry.step.alone) {
      const turns = this.#turns[device];
      if (turns !== undefined) settle(turns.last, entry, nowNs, via);
    }
  }
}

/** Returns null if the program has no such copies. */
export function aloneCopies(program: Program, streams: readonly DeviceStream[]): AloneCopies | null {
  const { devices, threads } = program;
  const isNeeded =
    devices.length > 1 &&
    threads.some(({ instructions }) => instructions.some((one) => aloneOn(one, program).length > 0));
  return isNeeded ? new AloneCopies(streams, devices.length) : null;
}
