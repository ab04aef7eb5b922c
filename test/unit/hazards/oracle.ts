/**
 * Executes a small experiment in every order that CUDA allows, and says which operations really meet: touch the same
 * bytes, one of them writing, at one time or in either order. Written from the documentation alone; it shares nothing
 * with the detector it judges (not even lowering), and is only fit for programs of a dozen operations.
 */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Operation } from '../../../core/experiment/operations.ts';
import { bufferBytes } from '../../../core/experiment/resources.ts';

export interface OracleAnswer {
  /** `lower op`, `higher op` and buffer of every pair that really meets. */
  readonly races: ReadonlySet<string>;
  /** Numbers of elapsedTime operations that can come too early. */
  readonly earlyTimings: ReadonlySet<number>;
  /** Numbers of operations that can use memory which is not there: not allocated yet, or handed on. */
  readonly strayUses: ReadonlySet<number>;
  /** Some execution never ends: a signal that nobody gives. */
  readonly canHang: boolean;
  /** Pairs that touch common bytes, ordered or not. */
  readonly meetings: number;
  readonly states: number;
}

interface Bytes {
  readonly buffer: string;
  readonly from: number;
  readonly to: number;
  readonly writes: boolean;
  /** Number of the allocation it belongs to, from 1; 0 for memory that is always there. */
  readonly life: number;
}

/** One call of a host thread. Its place in `calls` is its bit in every mask. */
interface Act {
  readonly bit: number;
  readonly op: number;
  readonly operation: Operation;
  /** What the calling thread touches between call and return. */
  readonly host: readonly Bytes[];
  /** What is touched when its turn comes in its stream; null where nothing is put into a stream. */
  readonly queued: readonly Bytes[] | null;
  readonly stream: string;
  /** The call returns only when its own work is done. */
  readonly holds: boolean;
  readonly synchronizes: 'nothing' | 'stream' | 'event' | 'device';
  /** Allocations that begin or end with it: when its turn in its stream comes, or else with the call. */
  readonly begins: number;
  readonly ends: number;
  /** Streams whose work must be over before its turn comes, as of the call. */
  readonly alsoAfter: readonly string[];
}

const notQueued = 0;
const queued = 1;
const running = 2;
const over = 3;

interface State {
  /** By thread: the next act, and whether the thread is inside its call. */
  readonly next: number[];
  readonly inside: number[];
  /** By thread: acts that the call waits for. */
  readonly awaited: number[];
  /** By act. */
  readonly status: number[];
  readonly after: number[];
  /** Acts in the order in which they were put into streams. */
  readonly issued: number[];
  /** By event: the act that recorded it last, or -1. */
  readonly recorded: number[];
  readonly pending: number[];
  /** Bit by allocation: the memory is there. */
  readonly alive: number;
}

export function explore(experiment: Experiment, mostStates = 200_000): OracleAnswer | null {
  const machine = new Machine(experiment);
  const seen = new Set<string>();
  const start = machine.start();
  const stack: State[] = [start];
  seen.add(keyOf(start));
  for (let state = stack.pop(); state !== undefined; state = stack.pop()) {
    const successors = machine.successors(state);
    if (successors.length === 0 && !machine.isFinished(state)) machine.hangs = true;
    for (const next of successors) {
      const key = keyOf(next);
      if (seen.has(key)) continue;
      if (seen.size >= mostStates) return null;
      seen.add(key);
      stack.push(next);
    }
  }
  return {
    races: machine.races(),
    earlyTimings: machine.early,
    strayUses: machine.strays,
    canHang: machine.hangs,
    meetings: machine.meetings,
    states: seen.size,
  };
}

function keyOf({ next, inside, awaited, status, after, issued, recorded, pending, alive }: State): string {
  const codes: number[] = [];
  const add = (value: number): void => void codes.push((value + 1) & 0xffff);
  const addMask = (mask: number): void => void codes.push(mask & 0xffff, mask >>> 16);
  for (const at of next) add(at);
  for (const isInside of inside) add(isInside);
  for (const mask of awaited) addMask(mask);
  for (const [act, now] of status.entries()) {
    add(now);
    // What an act that has begun came after no longer matters, nor does the order in which acts that are over were issued.
    if (now === queued) addMask(after[act] ?? 0);
  }
  for (const act of issued) if (status[act] !== over) add(act);
  add(-1);
  for (const act of recorded) add(act);
  for (const count of pending) add(count);
  addMask(alive);
  return String.fromCharCode(...codes);
}

class Machine {
  readonly early = new Set<number>();
  readonly strays = new Set<number>();
  hangs = false;
  readonly #experiment: Experiment;
  readonly #threads: Act[][];
  readonly #acts: Act[] = [];
  readonly #events: string[];
  readonly #signals: readonly { readonly id: string; readonly capacity: number }[];
  /** The last allocation of each buffer so far, where it was made, and the streams it was recorded for. */
  readonly #lives = new Map<string, { readonly life: number; readonly stream: string; readonly recorded: string[] }>();
  #lifeCount = 0;
  /** By part: see #isPlain. */
  readonly #plain: boolean[] = [];
  /** By act: its thread, and its place there. */
  readonly #placeOf: { readonly thread: number; readonly at: number }[] = [];
  /** Pairs `a b` of parts (2 * act, plus 1 for the host's part) that touch common bytes, one writing. */
  readonly #meets: number[][] = [];
  /** `a * parts + b`: part a was over when b began; and: one began while the other was going on. */
  readonly #ordered = new Set<number>();
  readonly #together = new Set<number>();

  constructor(experiment: Experiment) {
    this.#experiment = experiment;
    this.#events = experiment.events.map((event) => event.id);
    this.#signals = experiment.signals;
    let op = -1;
    this.#threads = experiment.threads.map((thread) => {
      const acts: Act[] = [];
      const list = (operations: readonly Operation[]): void => {
        for (const operation of operations) {
          op += 1;
          if (operation.op !== 'repeat') {
            this.#act(operation, op, thread.id, acts);
            continue;
          }
          const first = op;
          for (let round = 0; round < operation.count; round += 1) {
            op = first;
            list(operation.operations);
          }
        }
      };
      list(thread.operations);
      return acts;
    });
    this.#findMeetings();
    for (const [thread, acts] of this.#threads.entries()) {
      for (const [at, act] of acts.entries()) this.#placeOf[act.bit] = { thread, at };
    }
  }

  get meetings(): number {
    return this.#meets.reduce((sum, others) => sum + others.length, 0) / 2;
  }

  start(): State {
    const none = this.#acts.map(() => 0);
    return {
      next: this.#threads.map(() => 0),
      inside: this.#threads.map(() => 0),
      awaited: this.#threads.map(() => 0),
      status: none,
      after: none,
      issued: [],
      recorded: this.#events.map(() => -1),
      pending: this.#signals.map(() => 0),
      alive: 0,
    };
  }

  isFinished(state: State): boolean {
    return (
      this.#threads.every((acts, thread) => state.next[thread] === acts.length) &&
      this.#acts.every((act) => act.queued === null || state.status[act.bit] === over)
    );
  }

  races(): Set<string> {
    const parts = 2 * this.#acts.length;
    const races = new Set<string>();
    for (const [a, others] of this.#meets.entries()) {
      for (const b of others) {
        const both = this.#ordered.has(a * parts + b) && this.#ordered.has(b * parts + a);
        if (!both && !this.#together.has(a * parts + b) && !this.#together.has(b * parts + a)) continue;
        const [one, other] = [this.#acts[a >> 1]?.op ?? -1, this.#acts[b >> 1]?.op ?? -1];
        for (const buffer of this.#common(a, b)) {
          races.add(`${Math.min(one, other)} ${Math.max(one, other)} ${buffer}`);
        }
      }
    }
    return races;
  }

  successors(state: State): State[] {
    const next: State[] = [];
    for (const thread of this.#threads.keys()) this.#step(state, thread, next);
    for (const act of this.#acts) this.#turn(state, act, next);
    return next;
  }

  #act(operation: Operation, op: number, thread: string, acts: Act[]): void {
    const memory = (id: string): string => this.#experiment.buffers.find((buffer) => buffer.id === id)?.memory ?? '';
    const size = (id: string): number => {
      const buffer = this.#experiment.buffers.find((candidate) => candidate.id === id);
      return buffer === undefined ? 0 : bufferBytes(buffer);
    };
    const mode = this.#experiment.environment.defaultStream;
    const streamOf = (id: string): string => {
      const meant = id === 'default' ? mode : id;
      return meant === 'per-thread' ? `per-thread ${thread}` : meant;
    };
    const add = (part: Partial<Act>): void => {
      const act: Act = {
        bit: this.#acts.length,
        op,
        operation,
        host: [],
        queued: null,
        stream: '',
        holds: false,
        synchronizes: 'nothing',
        begins: 0,
        ends: 0,
        alsoAfter: [],
        ...part,
      };
      this.#acts.push(act);
      acts.push(act);
    };
    const lifeOf = (buffer: string): number => this.#lives.get(buffer)?.life ?? 0;
    const bytesOf = (buffer: string, from: number, to: number, writes: boolean): Bytes => ({
      buffer,
      from,
      to,
      writes,
      life: lifeOf(buffer),
    });
    const whole = (buffer: string, writes: boolean): Bytes => bytesOf(buffer, 0, size(buffer), writes);
    switch (operation.op) {
      case 'write':
      case 'read': {
        const to = operation.bytes === undefined ? size(operation.buffer) : operation.offset + operation.bytes;
        add({ host: [bytesOf(operation.buffer, operation.offset, to, operation.op === 'write')] });
        return;
      }
      case 'copy': {
        const { src, dst, srcOffset, dstOffset, mode: how } = operation;
        const bytes = operation.bytes ?? Math.min(size(src) - srcOffset, size(dst) - dstOffset);
        const source = bytesOf(src, srcOffset, srcOffset + bytes, false);
        const target = bytesOf(dst, dstOffset, dstOffset + bytes, true);
        const stream = streamOf(how === 'blocking-memcpy' ? 'default' : operation.stream);
        const [from, to] = [memory(src), memory(dst)];
        const isCudaMemcpy = how === 'blocking-memcpy';
        // cudaMemcpy synchronises the stream before it stages.
        if (from === 'pageable' && to === 'device' && isCudaMemcpy) add({ synchronizes: 'stream', stream });
        if (from === 'pageable' && to === 'device') add({ host: [source], queued: [target], stream });
        else if (to === 'pageable' && from === 'device') add({ queued: [source, target], stream, holds: true });
        else if (from !== 'device' && to !== 'device') add({ queued: [source, target], stream, holds: true });
        else if (from === 'device' && to === 'device') add({ queued: [source, target], stream });
        else add({ queued: [source, target], stream, holds: isCudaMemcpy });
        if (how === 'blocking-to') add({ synchronizes: 'stream', stream });
        return;
      }
      case 'kernel': {
        const spans = operation.kernel.kind === 'stream';
        const common = Math.min(...[...operation.reads, ...operation.writes].map(size));
        const touched = (buffer: string, writes: boolean): Bytes =>
          spans ? bytesOf(buffer, 0, common, writes) : whole(buffer, writes);
        const queuedBytes = [
          ...operation.reads.map((id) => touched(id, false)),
          ...operation.writes.map((id) => touched(id, true)),
        ];
        const holds = this.#experiment.environment.launchBlocking;
        add({ queued: queuedBytes, stream: streamOf(operation.stream), holds });
        return;
      }
      case 'memset': {
        const to = operation.bytes === undefined ? size(operation.buffer) : operation.offset + operation.bytes;
        const bytes = [bytesOf(operation.buffer, operation.offset, to, true)];
        add({ queued: bytes, stream: streamOf(operation.stream) });
        return;
      }
      case 'item': {
        const bytes = [bytesOf(operation.buffer, 0, Math.min(4, size(operation.buffer)), false)];
        add({ queued: bytes, stream: streamOf(operation.stream), holds: true });
        return;
      }
      case 'allocate': {
        this.#lifeCount += 1;
        const stream = streamOf(operation.stream);
        this.#lives.set(operation.buffer, { life: this.#lifeCount, stream, recorded: [] });
        const isInStream = operation.allocator === 'pool';
        add({ queued: isInStream ? [] : null, stream, begins: this.#lifeCount });
        return;
      }
      case 'recordStream':
        this.#lives.get(operation.buffer)?.recorded.push(streamOf(operation.stream));
        add({});
        return;
      case 'free': {
        const {
          life: ends,
          stream,
          recorded,
        } = this.#lives.get(operation.buffer) ?? { life: 0, stream: '', recorded: [] };
        const allocator = this.#allocatorOf(operation.buffer);
        if (allocator === 'cuda-malloc') add({ synchronizes: 'device', ends });
        else if (allocator === 'pool') add({ queued: [], stream: streamOf(operation.stream), ends });
        // The block can be handed on from the stream it was allocated for: that is the moment it is gone.
        else add({ queued: [], stream, ends, alsoAfter: recorded });
        return;
      }
      case 'hostFunction':
      case 'recordEvent':
      case 'waitEvent':
        add({ queued: [], stream: streamOf(operation.stream) });
        return;
      case 'synchronizeStream':
        add({ synchronizes: 'stream', stream: streamOf(operation.stream) });
        return;
      case 'synchronizeEvent':
        add({ synchronizes: 'event' });
        return;
      case 'synchronizeDevice':
        add({ synchronizes: 'device' });
        return;
      default:
        add({});
    }
  }

  #allocatorOf(buffer: string): string {
    const last = this.#acts.findLast(({ operation }) => operation.op === 'allocate' && operation.buffer === buffer);
    return last?.operation.op === 'allocate' ? last.operation.allocator : '';
  }

  #touched(part: number): readonly Bytes[] {
    const act = this.#acts[part >> 1];
    return (part % 2 === 1 ? act?.host : act?.queued) ?? [];
  }

  #common(a: number, b: number): string[] {
    return this.#touched(a).flatMap((one) =>
      this.#touched(b).flatMap((other) =>
        one.buffer === other.buffer &&
        one.life === other.life &&
        (one.writes || other.writes) &&
        one.from < other.to &&
        other.from < one.to
          ? one.buffer
          : [],
      ),
    );
  }

  #findMeetings(): void {
    for (let a = 0; a < 2 * this.#acts.length; a += 1) {
      const others: number[] = [];
      for (let b = 0; b < 2 * this.#acts.length; b += 1) {
        if (a >> 1 !== b >> 1 && this.#common(a, b).length > 0) others.push(b);
      }
      this.#meets.push(others);
    }
  }

  /** What a thread can do next: begin its call, or return from it. */
  #step(state: State, thread: number, out: State[]): void {
    const act = this.#threads[thread]?.[state.next[thread] ?? 0];
    if (act === undefined) return;
    if (state.inside[thread] === 1) {
      const awaited = state.awaited[thread] ?? 0;
      if (!isOver(state, awaited)) return;
      const done = returned(state, thread);
      out.push(act.queued === null ? this.#changeLives(done, act) : done);
      return;
    }
    const called = this.#call(state, thread, act);
    if (called !== null) out.push(called);
  }

  #call(state: State, thread: number, act: Act): State | null {
    const { operation } = act;
    let { pending, recorded } = state;
    let awaited = 0;
    switch (operation.op) {
      case 'signal':
      case 'waitSignal': {
        const at = this.#signals.findIndex((signal) => signal.id === operation.signal);
        const count = pending[at] ?? 0;
        const isSignal = operation.op === 'signal';
        if (isSignal ? count >= (this.#signals[at]?.capacity ?? 0) : count === 0) return null;
        pending = pending.with(at, count + (isSignal ? 1 : -1));
        break;
      }
      case 'recordEvent':
        recorded = recorded.with(this.#events.indexOf(operation.event), act.bit);
        break;
      case 'elapsedTime':
        for (const event of [operation.start, operation.end]) {
          const record = state.recorded[this.#events.indexOf(event)] ?? -1;
          if (record < 0 || state.status[record] !== over) this.early.add(act.op);
        }
        break;
      case 'synchronizeEvent': {
        const record = state.recorded[this.#events.indexOf(operation.event)] ?? -1;
        if (record >= 0) awaited |= 1 << record;
        break;
      }
      default:
    }
    if (act.synchronizes === 'stream') {
      const isLegacy = act.stream === 'legacy';
      awaited |= this.#issuedMask(state, (stream) => stream === act.stream || (isLegacy && this.#takesPart(stream)));
    }
    if (act.synchronizes === 'device') awaited |= this.#issuedMask(state, () => true);
    let { status, after, issued } = state;
    if (act.queued !== null) {
      status = status.with(act.bit, queued);
      after = after.with(act.bit, this.#comesAfter(state, act));
      issued = [...issued, act.bit];
      if (act.holds) awaited |= 1 << act.bit;
    }
    this.#begin(state, 2 * act.bit + 1);
    const inCall = {
      next: state.next,
      inside: state.inside.with(thread, 1),
      awaited: state.awaited.with(thread, awaited),
      status,
      after,
      issued,
      recorded,
      pending,
      alive: state.alive,
    };
    // A call that touches nothing and waits for nothing is over at once: nobody can tell the difference.
    if (awaited !== 0 || !this.#isPlain(2 * act.bit + 1)) return inCall;
    const done = returned(inCall, thread);
    return act.queued === null ? this.#changeLives(done, act) : done;
  }

  #issuedMask(state: State, isMeant: (stream: string) => boolean): number {
    return state.issued.reduce((mask, bit) => (isMeant(this.#acts[bit]?.stream ?? '') ? mask | (1 << bit) : mask), 0);
  }

  /** Whether the legacy default stream waits for it and is waited for. */
  #takesPart(stream: string): boolean {
    if (stream.startsWith('per-thread')) return true;
    return this.#experiment.streams.find(({ id }) => id === stream)?.flags === 'blocking';
  }

  /** Everything issued so far that must be over before this act begins. */
  #comesAfter(state: State, act: Act): number {
    let mask = this.#issuedMask(
      state,
      (stream) =>
        stream === act.stream ||
        (stream === 'legacy' && this.#takesPart(act.stream)) ||
        (act.stream === 'legacy' && this.#takesPart(stream)),
    );
    mask |= this.#issuedMask(state, (stream) => act.alsoAfter.includes(stream));
    if (act.operation.op === 'waitEvent') {
      const record = state.recorded[this.#events.indexOf(act.operation.event)] ?? -1;
      if (record >= 0) mask |= 1 << record;
    }
    return mask;
  }

  /** What a stream can do next: begin an act whose turn has come, or end it. */
  #turn(state: State, act: Act, out: State[]): void {
    const status = state.status[act.bit] ?? notQueued;
    if (status === notQueued || status === over) return;
    if (status === running) {
      out.push({ ...state, status: state.status.with(act.bit, over) });
      return;
    }
    const mask = state.after[act.bit] ?? 0;
    if (!isOver(state, mask)) return;
    this.#begin(state, 2 * act.bit);
    const now = state.status.with(act.bit, this.#isPlain(2 * act.bit) ? over : running);
    out.push(this.#changeLives({ ...state, status: now }, act));
  }

  /** Nobody can tell whether it takes time: it touches nothing that another does, and no memory that comes and goes. */
  #isPlain(part: number): boolean {
    this.#plain[part] ??= this.#meets[part]?.length === 0 && this.#touched(part).every(({ life }) => life === 0);
    return this.#plain[part] ?? false;
  }

  /** The memory that comes or goes with the act. What goes must be there, and not in use. */
  #changeLives(state: State, { begins, ends, op }: Act): State {
    if (begins === 0 && ends === 0) return state;
    if (ends !== 0) {
      if (((state.alive >> ends) & 1) === 0) this.strays.add(op);
      for (let part = 0; part < 2 * this.#acts.length; part += 1) {
        const isUser = this.#touched(part).some(({ life }) => life === ends);
        if (isUser && this.#statusOf(state, part) === running) this.strays.add(this.#acts[part >> 1]?.op ?? -1);
      }
    }
    const begun = begins === 0 ? state.alive : state.alive | (1 << begins);
    return { ...state, alive: ends === 0 ? begun : begun & ~(1 << ends) };
  }

  /** Notes how what begins now stands to everything it could meet. */
  #begin(state: State, part: number): void {
    const parts = 2 * this.#acts.length;
    for (const { life } of this.#touched(part)) {
      if (life !== 0 && ((state.alive >> life) & 1) === 0) this.strays.add(this.#acts[part >> 1]?.op ?? -1);
    }
    for (const other of this.#meets[part] ?? []) {
      const now = this.#statusOf(state, other);
      if (now === over) this.#ordered.add(other * parts + part);
      else if (now === running) this.#together.add(other * parts + part);
    }
  }

  #statusOf(state: State, part: number): number {
    const bit = part >> 1;
    if (part % 2 === 0) return state.status[bit] ?? notQueued;
    const place = this.#placeOf[bit];
    if (place === undefined) return notQueued;
    const next = state.next[place.thread] ?? 0;
    if (place.at < next) return over;
    return place.at === next && state.inside[place.thread] === 1 ? running : notQueued;
  }
}

/** Whether all acts of the mask are over. */
function isOver({ status }: State, mask: number): boolean {
  for (let rest = mask; rest !== 0; rest &= rest - 1) if (status[31 - Math.clz32(rest & -rest)] !== over) return false;
  return true;
}

const returned = (state: State, thread: number): State => ({
  ...state,
  next: state.next.with(thread, (state.next[thread] ?? 0) + 1),
  inside: state.inside.with(thread, 0),
  awaited: state.awaited.with(thread, 0),
});
